package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"ctxledger.dev/cli/columns"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/safefs"
	"ctxledger.dev/ledger"
	"ctxledger.dev/memory"
)

func importMemoriesCommand() command {
	var scope string
	var overwrite bool
	return command{
		name: "memory import", args: "DIRECTORY", short: "Import facts from MEMORY.md and its Markdown files",
		long: "Imports the facts that MEMORY.md lists, including from the directories memory, user and repl (facts " +
			"of the user) and agents/NAME. A fact that cannot be imported is reported, and the rest is imported.",
		example: "ctxledger memory import ./memory\nctxledger memory import ./memory --scope user --overwrite",
		does:    undoable, undo: "`memory restore` recovers the old version", json: answers([]memory.Entry{}),
		flags: func(f *pflag.FlagSet) {
			scopeFlag(f, &scope, "as the files say")
			f.BoolVar(&overwrite, "overwrite", false, "replace other authors' facts that have the same name")
		},
		check: checkScope(&scope),
		ask: func(ctx context.Context, a *action, args []string) error {
			return importMemory(ctx, a, args[0], scope, overwrite)
		},
	}
}

func importMemory(ctx context.Context, a *action, dir, scope string, overwrite bool) error {
	const op = "cli.memory"
	path := a.absolute(dir)
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		return fault.New(fault.Invalid, op, "%s is not a directory", dir)
	}
	root, err := safefs.OpenRoot(path) // a link in it leads nowhere else
	if err != nil {
		return fileError(dir, err)
	}
	defer root.Close() // only read from
	found, problems, err := memory.Import(safefs.Files(root))
	if err != nil {
		return err
	}
	for _, p := range problems {
		a.say("%s", p.String())
	}
	saved, masked := []memory.Entry{}, 0
	for _, e := range found {
		if scope != "" || a.place.Root == "" {
			e.Scope = writeScope(a, scope)
		}
		e, err := a.ledger.SaveMemory(ctx, ledger.SaveMemoryRequest{Entry: e, Overwrite: overwrite})
		switch {
		case fault.Is(err, fault.Conflict):
			a.say("%s", err)
		case err != nil:
			return err
		default:
			saved, masked = append(saved, e), masked+e.Masked
		}
	}
	sayMasked(a, masked)
	err = a.answer(saved, func(w io.Writer) { fmt.Fprintln(w, "imported", chars.Plural(len(saved), "fact")) })
	if n := len(found) - len(saved); n > 0 && err == nil {
		err = fault.New(fault.Conflict, op, "%s not imported: facts by other authors, or later ones, have "+
			"these names",
			chars.Plural(n, "fact")).
			WithHint("--overwrite replaces them")
	}
	return err
}

func exportMemoriesCommand() command {
	var scope string
	var overwrite bool
	return command{
		name: "memory export", args: "DIRECTORY", short: "Export facts as MEMORY.md and one Markdown file each",
		long: "Writes files that `ctxledger memory import` reads: facts of the project into DIRECTORY and " +
			"those of the user into DIRECTORY/user, or, with --scope, the facts of one scope into DIRECTORY.",
		example: "ctxledger memory export ./facts\nctxledger memory export --scope user --overwrite ./facts",
		does:    keeps, undo: "an index there is replaced only with --overwrite", json: answers([]string{}),
		flags: func(f *pflag.FlagSet) {
			scopeFlag(f, &scope, "both")
			f.BoolVar(&overwrite, "overwrite", false, "overwrite an existing MEMORY.md")
		},
		check: checkScope(&scope),
		ask: func(ctx context.Context, a *action, args []string) error {
			return exportMemory(ctx, a, args[0], scope, overwrite)
		},
	}
}

func exportMemory(ctx context.Context, a *action, dir, scope string, overwrite bool) error {
	resp, err := memories(ctx, a.ledger, ledger.MemoriesRequest{Scope: memory.Scope(scope), Body: true})
	if err != nil {
		return err
	}
	if len(resp.Notes) > 0 {
		return fault.New(fault.Unavailable, "cli.memory", "%s", resp.Notes[0]).
			WithHint("--scope project exports the rest")
	}
	files := exported(resp.Entries, scope == "" && a.place.Root != "")
	names, err := writeExport(a.absolute(dir), files, overwrite)
	if err != nil {
		return err
	}
	return a.answer(names, func(w io.Writer) {
		fmt.Fprintf(w, "wrote %s as %s to %s\n",
			chars.Plural(len(resp.Entries), "fact"), chars.Plural(len(names), "file"), columns.OneLine(dir))
	})
}

// exported returns the files of an export; apart puts the facts of the user into their own
// directory.
func exported(entries []memory.Entry, apart bool) map[string][]byte {
	if !apart {
		return memory.Export(entries)
	}
	var project, user []memory.Entry
	for _, e := range entries {
		if e.Scope == memory.User {
			user = append(user, e)
		} else {
			project = append(project, e)
		}
	}
	files := memory.Export(project)
	if len(user) > 0 {
		for name, content := range memory.Export(user) {
			files[path.Join(memory.UserDir, name)] = content
		}
	}
	return files
}

// writeExport writes files below dir, readable by the user alone, and returns their names. Each
// is complete or absent, and an index comes after what it names.
func writeExport(dir string, files map[string][]byte, overwrite bool) ([]string, error) {
	const op = "cli.export"
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fileError(dir, err)
	}
	root, err := safefs.OpenRoot(dir)
	if err != nil {
		return nil, fileError(dir, err)
	}
	defer root.Close() // nothing is written through it any more
	names := slices.SortedFunc(maps.Keys(files), indexLast)
	for _, name := range names {
		if _, err := root.Lstat(name); err == nil && isIndex(name) && !overwrite {
			return nil, fault.New(fault.Conflict, op, "there is already a %s in %s", name, dir).
				WithHint("name another directory, or write over it with --overwrite")
		}
	}
	for _, name := range names {
		if err := writeFile(root, name, files[name]); err != nil {
			return nil, fileError(name, err)
		}
	}
	return names, nil
}

// writeFile replaces a file atomically. It never opens an existing file: that could be a pipe, which blocks, or a
// link, which leads elsewhere.
func writeFile(root *os.Root, name string, content []byte) error {
	if err := root.Mkdir(path.Dir(name), 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	temp := name + ".tmp"
	_ = root.Remove(temp) // left by a killed command
	f, err := root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err = errors.Join(err, f.Close()); err == nil {
		err = root.Rename(temp, name)
	}
	if err != nil {
		_ = root.Remove(temp) // the first error counts
	}
	return err
}

func isIndex(name string) bool { return path.Base(name) == memory.IndexFile }

// indexLast orders names, with indexes after all others.
func indexLast(x, y string) int {
	switch {
	case isIndex(x) == isIndex(y):
		return strings.Compare(x, y)
	case isIndex(x):
		return 1
	}
	return -1
}
