package cli

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"maps"

	"github.com/spf13/cobra"

	"ctxledger.dev/engine"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/memory"
)

// memoryFlags are the flags that the memory commands share.
type memoryFlags struct {
	scope, description, kind, body string
	overwrite                      bool
}

func (a *app) memoryCommand() *cobra.Command {
	var f memoryFlags
	cmd := &cobra.Command{
		Use:     "memory",
		Short:   "Facts that outlive sessions: add, ls, show, rm, import, export",
		Example: "  ctxledger memory add test-runner --body 'Use go test -race ./...'\n  ctxledger memory ls tests",
		Args:    a.args(cobra.NoArgs),
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.memoryList(cmd, "", f.scope) },
	}
	cmd.PersistentFlags().StringVar(&f.scope, "scope", "", "project or user (default: project to write, both to read)")
	cmd.AddCommand(a.memoryAdd(&f), a.memoryLs(&f), a.memoryShow(&f), a.memoryRm(&f), a.memoryImport(&f), a.memoryExport(&f))
	return cmd
}

func (a *app) memoryAdd(f *memoryFlags) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "add NAME",
		Short:   "Save a fact; without --body it is read from standard input",
		Example: "  ctxledger memory add deploy --description 'how we deploy' --body 'make release on main only'",
		Args:    a.args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			body := f.body
			if body == "" {
				raw, err := io.ReadAll(io.LimitReader(a.In, limits.MemoryBody+1))
				if err != nil {
					return fault.Wrap(fault.Unavailable, "cli.memory", err)
				}
				body = strings.TrimRight(string(raw), "\n")
			}
			api, err := a.open(cmd.Context())
			if err != nil {
				return err
			}
			e, err := api.SaveMemory(cmd.Context(), engine.SaveMemoryRequest{Overwrite: f.overwrite, Entry: memory.Entry{
				Name: args[0], Description: f.description, Type: f.kind, Scope: a.writeScope(f.scope), Body: body, Source: "user",
			}})
			if err != nil {
				return err
			}
			return a.answer(e, func(w io.Writer) { fmt.Fprintf(w, "saved %s (%s)\n", plain(e.Name), e.Scope) })
		},
	}
	cmd.Flags().StringVar(&f.description, "description", "", "one line that says when the fact matters")
	cmd.Flags().StringVar(&f.kind, "type", "project", "user, feedback, project or reference")
	cmd.Flags().StringVar(&f.body, "body", "", "the fact itself")
	cmd.Flags().BoolVar(&f.overwrite, "overwrite", false, "replace a fact that somebody else saved under this name")
	return cmd
}

// writeScope is where a fact goes when nobody says: to the project, or to the user where there is
// no project.
func (a *app) writeScope(scope string) memory.Scope {
	if scope == "" && a.place.Root == "" {
		return memory.User
	}
	if scope == "" {
		return memory.Project
	}
	return memory.Scope(scope)
}

func (a *app) memoryLs(f *memoryFlags) *cobra.Command {
	return &cobra.Command{
		Use:     "ls [QUERY]",
		Short:   "List the facts, or those that fit a query best",
		Example: "  ctxledger memory ls\n  ctxledger memory ls 'how do we run tests'",
		Args:    a.args(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.memoryList(cmd, strings.Join(args, ""), f.scope)
		},
	}
}

func (a *app) memoryList(cmd *cobra.Command, query, scope string) error {
	api, err := a.open(cmd.Context())
	if err != nil {
		return err
	}
	resp, err := api.Memories(cmd.Context(), engine.MemoriesRequest{Scope: memory.Scope(scope), Query: query, Body: a.json})
	if err != nil {
		return err
	}
	for _, n := range resp.Notes {
		a.say("%s", n)
	}
	return a.answer(resp, func(w io.Writer) {
		if len(resp.Entries) == 0 {
			fmt.Fprintln(w, "no fact is kept here")
			return
		}
		t := newTable("NAME", "SCOPE", "TYPE", "UPDATED", "BY", "DESCRIPTION")
		for _, e := range resp.Entries {
			t.add(e.Name, string(e.Scope), e.Type, a.stamp(e.Updated), e.Source, e.Description)
		}
		t.print(w)
	})
}

func (a *app) memoryShow(f *memoryFlags) *cobra.Command {
	return &cobra.Command{
		Use:     "show NAME",
		Short:   "Print one fact",
		Example: "  ctxledger memory show deploy",
		Args:    a.args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			api, err := a.open(cmd.Context())
			if err != nil {
				return err
			}
			e, err := api.Memory(cmd.Context(), engine.MemoryRequest{Name: args[0], Scope: memory.Scope(f.scope)})
			if err != nil {
				return err
			}
			return a.answer(e, func(w io.Writer) {
				fmt.Fprintf(w, "%s (%s, %s), by %s on %s\n", plain(e.Name), e.Scope, plain(e.Type), plain(e.Source), a.stamp(e.Updated))
				if e.Description != "" {
					fmt.Fprintln(w, plain(e.Description))
				}
				fmt.Fprintf(w, "\n%s\n", plain(e.Body))
			})
		},
	}
}

func (a *app) memoryRm(f *memoryFlags) *cobra.Command {
	return &cobra.Command{
		Use:     "rm NAME",
		Short:   "Delete one fact",
		Example: "  ctxledger memory rm deploy",
		Args:    a.args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			api, err := a.open(cmd.Context())
			if err != nil {
				return err
			}
			e, err := api.DeleteMemory(cmd.Context(), engine.DeleteMemoryRequest{Name: args[0], Scope: memory.Scope(f.scope)})
			if err != nil {
				return err
			}
			return a.answer(e, func(w io.Writer) { fmt.Fprintf(w, "deleted %s (%s)\n", plain(e.Name), e.Scope) })
		},
	}
}

func (a *app) memoryImport(f *memoryFlags) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "import DIRECTORY",
		Short:   "Read facts from a directory with MEMORY.md and one Markdown file a fact",
		Example: "  ctxledger memory import ~/.fuseraft/memory/repl --scope user",
		Args:    a.args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir := args[0]
			if !filepath.IsAbs(dir) {
				dir = filepath.Join(a.Env.Dir, dir)
			}
			entries, problems, err := memory.Import(os.DirFS(dir))
			if err != nil {
				return err
			}
			for _, p := range problems {
				a.say("%s", p.String())
			}
			api, err := a.open(cmd.Context())
			if err != nil {
				return err
			}
			for _, e := range entries {
				e.Scope = a.writeScope(f.scope)
				if _, err := api.SaveMemory(cmd.Context(), engine.SaveMemoryRequest{Entry: e, Overwrite: f.overwrite}); err != nil {
					return err
				}
			}
			return a.answer(entries, func(w io.Writer) { fmt.Fprintf(w, "imported %s\n", plural(len(entries), "fact")) })
		},
	}
	cmd.Flags().BoolVar(&f.overwrite, "overwrite", false, "replace facts that somebody else saved under the same name")
	return cmd
}

func (a *app) memoryExport(f *memoryFlags) *cobra.Command {
	return &cobra.Command{
		Use:     "export DIRECTORY",
		Short:   "Write all facts as MEMORY.md and one Markdown file each",
		Example: "  ctxledger memory export ./memory",
		Args:    a.args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			api, err := a.open(cmd.Context())
			if err != nil {
				return err
			}
			resp, err := api.Memories(cmd.Context(), engine.MemoriesRequest{Scope: memory.Scope(f.scope), Body: true})
			if err != nil {
				return err
			}
			dir := args[0]
			if !filepath.IsAbs(dir) {
				dir = filepath.Join(a.Env.Dir, dir)
			}
			files := memory.Export(resp.Entries)
			if err := writeFiles(dir, files); err != nil {
				return err
			}
			names := slices.Sorted(maps.Keys(files))
			return a.answer(names, func(w io.Writer) { fmt.Fprintf(w, "wrote %s to %s\n", plural(len(names), "file"), plain(args[0])) })
		},
	}
}

// writeFiles writes an export, each file under its name in dir, readable by the user alone.
func writeFiles(dir string, files map[string][]byte) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fault.Wrap(fault.Denied, "cli.export", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fault.Wrap(fault.Denied, "cli.export", err)
	}
	defer root.Close() //nolint:errcheck // nothing is written through it any more
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := root.WriteFile(name, files[name], 0o600); err != nil {
			return fault.Wrap(fault.Denied, "cli.export", err)
		}
	}
	return nil
}
