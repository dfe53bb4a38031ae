package cli

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"ctxledger.dev/agents"
	"ctxledger.dev/agents/audit"
	"ctxledger.dev/agents/sessionfile"
	"ctxledger.dev/cli/columns"
	"ctxledger.dev/engine/temporary"
	"ctxledger.dev/internal/agentname"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/internal/logcap"
	"ctxledger.dev/internal/shell"
	"ctxledger.dev/ledger"
)

func importCommand() command {
	var agent string
	var follow bool
	return command{
		name: "import", args: "PATH…", short: "Read session files into the ledger",
		long: "Imports a coding agent's session files, or all of them below a directory, and keeps the originals byte " +
			"for byte. Importing a file again adds only what is new. The session's id, or of a directory each one, is printed. A file " +
			"that cannot be read is reported; the others are imported. Sessions from the last day are picked up automatically.",
		example: "ctxledger import session.jsonl",
		does:    keeps, undo: "a record that differs is kept alongside the first", json: answers([]agents.Report{}),
		flags: func(f *pflag.FlagSet) {
			agentFlag(f, &agent, "the `AGENT` that wrote them (default: detected)")
			f.BoolVar(&follow, "follow", false, "keep reading what is appended, until interrupted")
		},
		check: func(_ *action, files []string) error {
			if names := agents.Hosts(); agent != "" && !slices.Contains(names, agentname.Key(agent)) {
				return misuse("unknown agent %q: this version reads session files from %s", agent,
					strings.Join(names, ", "))
			}
			if follow && len(files) > 1 {
				return misuse("--follow takes one file, not %d", len(files))
			}
			return nil
		},
		ask: func(ctx context.Context, a *action, files []string) error {
			if follow {
				return followImport(ctx, a, sessionfile.Agent(agentname.Key(agent)), files[0])
			}
			return importPaths(ctx, a, sessionfile.Agent(agentname.Key(agent)), files)
		},
	}
}

// importPaths imports files, and those below directories.
func importPaths(ctx context.Context, a *action, by sessionfile.Agent, names []string) error {
	var files, dirs []string
	for _, name := range names {
		if st, err := os.Stat(a.absolute(name)); err == nil && st.IsDir() {
			dirs = append(dirs, filepath.Clean(a.absolute(name)))
		} else {
			files = append(files, name)
		}
	}
	found, looked, err := audit.Find(ctx, dirs)
	if err != nil {
		return err
	}
	failed := error(nil)
	if len(dirs) > 0 {
		failed = sayUnread(a, looked, true)
	}
	for _, f := range found {
		files = append(files, f.Path)
	}
	return cmp.Or(importFiles(ctx, a, by, files), failed)
}

// importFiles imports each file and prints a report of those that could be read.
func importFiles(ctx context.Context, a *action, by sessionfile.Agent, files []string) error {
	reports := []agents.Report{}
	bar := a.progress("importing")
	bar.shares = true
	for i, file := range files {
		if len(files) == 1 {
			bar = a.progress(file)
		}
		r, err := importFile(ctx, a, agents.Source{Path: file, Agent: by}, bar, int64(i), int64(len(files)))
		switch {
		case err == nil:
			reports = append(reports, r)
		case ctx.Err() != nil || len(files) == 1:
			return err
		default:
			a.say("%s", err)
		}
	}
	if err := a.answer(reports, func(w io.Writer) { printReports(w, reports) }); err != nil {
		return err
	}
	sayElsewhere(ctx, a, reports)
	if n := len(files) - len(reports); n > 0 {
		return fault.New(fault.Invalid, "cli.import", "%d of %s could not be imported", n,
			chars.Plural(len(files), "file"))
	}
	return nil
}

// sayElsewhere says how many of several sessions ran in other directories: they are now in the ledger of this one.
func sayElsewhere(ctx context.Context, a *action, reports []agents.Report) {
	all, elsewhere := map[string]bool{}, 0
	for _, r := range reports {
		if r.Session == "" || all[r.Session] {
			continue
		}
		all[r.Session] = true
		s, err := a.ledger.Session(ctx, ledger.SessionRequest{Name: r.Session})
		if err == nil && filepath.IsAbs(ranIn(a, s)) {
			elsewhere++
		}
	}
	if len(all) > 1 && elsewhere > 0 && a.place.Root != "" {
		a.say("%d of %s ran in other directories; commands without SESSION take the newest of all", elsewhere,
			chars.Plural(len(all), "session"))
	}
}

// importFile imports a file, the one at an index of so many, and says what could not be taken as it was.
func importFile(ctx context.Context, a *action, src agents.Source, b *bar, index, files int64) (agents.Report, error) {
	src.Dir = a.Env.Dir
	r, err := agents.Import(ctx, a.ledger, src, func(done, total int64) {
		b.show(index*total+done, files*total)
	})
	b.done()
	r.Path = src.Path // as the reader knows it
	sayDamage(a, r)
	if fault.Is(err, fault.Invalid) && isArray(a.absolute(src.Path)) {
		err = fault.New(fault.Invalid, "cli.import", "%s", err).
			WithHint("`ctxledger compact %s` reads a JSON array of messages", shell.Quote(src.Path))
	}
	return r, err
}

// isArray reports whether a file is a JSON array: it may be one of messages.
func isArray(path string) bool {
	array, err := readConversation(path)
	return err == nil && bytes.HasPrefix(array, []byte("["))
}

// followImport imports a file and what is appended to it, until the command is interrupted.
func followImport(ctx context.Context, a *action, by sessionfile.Agent, file string) error {
	ctx, stop := temporary.Interruptible(ctx)
	defer stop()
	switch err := importFiles(ctx, a, by, []string{file}); {
	case ctx.Err() != nil:
		return nil
	case err != nil:
		return err
	}
	a.say("following %s; interrupt to stop", file)
	return agents.FollowFile(ctx, a.ledger, agents.Source{Path: file, Dir: a.Env.Dir}, agents.FollowOptions{
		Env: a.Env, Log: slog.New(slog.NewTextHandler(a.masks.Lines(logcap.Records(a.Err)), nil)),
		Report: func(r agents.Report) {
			sayDamage(a, r)
			if r.Entries > 0 {
				a.say("%s more", chars.Plural(r.Entries, "record"))
			}
		},
	})
}

// sayDamage says on standard error what an import could not take as it was.
func sayDamage(a *action, r agents.Report) {
	for _, w := range []struct {
		lines agents.Lines
		what  string
	}{
		{r.Corrupt, "not JSON: skipped, the rest is imported"},
		{r.Partly, "partly damaged: intact records are read, the rest is skipped"},
		{r.InvalidUTF8, "not valid UTF-8: kept as is"},
		{r.Oversize, "longer than " + chars.Size(limits.Line) + ": kept whole, and not read"},
	} {
		if w.lines.Count > 0 {
			a.say("%s: %s %s (line %s)", r.Path, chars.Plural(w.lines.Count, "line"), w.what, numbers(w.lines))
		}
	}
	if r.Torn {
		a.say("%s: line %d is incomplete: it is imported once its end is there", r.Path, r.TornLine)
	}
}

// numbers prints line numbers, as many as were noted.
func numbers(l agents.Lines) string {
	var s []string
	for _, n := range l.Numbers {
		s = append(s, fmt.Sprint(n))
	}
	if len(s) < l.Count {
		s = append(s, "…")
	}
	return strings.Join(s, ", ")
}

func printReports(w io.Writer, reports []agents.Report) {
	for _, r := range reports {
		if r.Entries == 0 {
			fmt.Fprintf(w, "%s: nothing new\n", columns.OneLine(r.Path))
			continue
		}
		fmt.Fprintf(w, "%s: %s, %s\n", columns.OneLine(r.Path), chars.Plural(r.Entries, "new record"),
			chars.Size(r.Bytes))
	}
	for _, r := range reports {
		if r.Session != "" {
			fmt.Fprintln(w, r.Session)
		}
	}
}
