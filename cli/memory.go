package cli

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"ctxledger.dev/cli/candidates"
	"ctxledger.dev/cli/columns"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/ledger"
	"ctxledger.dev/memory"
)

func (a *app) memoryCommand() *cobra.Command {
	var scope string
	cmd := &cobra.Command{
		Use:        "memory",
		SuggestFor: []string{"recall", "remember"},
		Short:      "Facts that outlive sessions: add, ls, show, block, rm, restore, import, export, candidates",
		Long: "A memory is a named fact that outlives sessions. Project memories are visible in this workspace\n" +
			"only, user memories in all workspaces. Without a command it lists them.",
		Example: "  ctxledger memory add test-runner --body 'Use go test -race ./...'\n  ctxledger memory ls tests",
		Args:    a.args(0, 0),
		RunE:    a.memoryList(&scope),
	}
	cmd.PersistentPreRunE = func(*cobra.Command, []string) error {
		if scope != "" && scope != string(memory.Project) && scope != string(memory.User) {
			return misuse("--scope takes %s or %s, not %q", memory.Project, memory.User, scope)
		}
		return nil
	}
	cmd.PersistentFlags().StringVar(&scope, "scope", "",
		"`SCOPE`: project or user (default: project to write, both to read)")
	cmd.AddCommand(a.memoryAdd(&scope), a.memoryLs(&scope), a.memoryShow(&scope), a.memoryBlock(&scope),
		a.memoryRm(&scope), a.memoryRestore(&scope), a.memoryImport(&scope), a.memoryExport(&scope))
	cmd.AddCommand(candidates.Commands(candidates.Host{Asks: a.asks, Answer: a.answer, Args: a.args,
		Scope: func() memory.Scope { return a.writeScope(scope) }, Own: a.self.In})...)
	return cmd
}

func (a *app) memoryAdd(scope *string) *cobra.Command {
	var r ledger.SaveMemoryRequest
	cmd := &cobra.Command{
		Use:        "add NAME",
		SuggestFor: []string{"save", "remember"},
		Short:      "Save a fact; without --body it is read from standard input",
		Example:    "  ctxledger memory add deploy --description 'how we deploy' --body 'make release on main only'",
		Args:       a.args(1, 1),
	}
	cmd.Flags().StringVar(&r.Description, "description", "", "one `LINE` that says when the fact matters")
	cmd.Flags().StringVar(&r.Type, "type", "",
		"`KIND` of fact: user, feedback, project, reference or any other (default: as before, or the scope)")
	cmd.Flags().StringVar(&r.Body, "body", "", "the fact itself, a `TEXT` of at most 4 KB")
	cmd.Flags().BoolVar(&r.Overwrite, "overwrite", false, "replace a fact of another author with this name")
	cmd.RunE = shows(a, func(ctx context.Context, api ledger.API, args []string) (e memory.Entry, err error) {
		if !cmd.Flags().Changed("body") {
			if r.Body, err = a.body(); err != nil {
				return e, err
			}
		}
		r.Name, r.Scope, r.Source = args[0], a.writeScope(*scope), "user"
		if err = r.Entry.CheckNew(); err != nil {
			return e, err
		}
		if e, err = api.SaveMemory(ctx, r); err == nil {
			a.sayMasked(e.Masked)
		}
		return e, err
	}, printDone("saved"))
	return cmd
}

// printDone returns a function that says what was done with a fact.
func printDone(what string) func(w io.Writer, e memory.Entry) {
	return func(w io.Writer, e memory.Entry) {
		fmt.Fprintf(w, "%s %s (%s)\n", what, columns.OneLine(e.Name), columns.OneLine(string(e.Scope)))
	}
}

// sayMasked says how many secrets were masked in what was saved.
func (a *app) sayMasked(n int) {
	if n > 0 {
		a.say("masked %s", chars.Plural(n, "secret value"))
	}
}

// body reads a fact from standard input; one that is too long comes back long enough to be refused.
func (a *app) body() (string, error) {
	if terminal(a.In) {
		a.say("reading the fact from the terminal; end it with control-D")
	}
	raw, err := io.ReadAll(io.LimitReader(a.In, limits.MemoryBody+2)) // a byte more, and a line break
	return strings.TrimSuffix(string(raw), "\n"), fault.Wrap(fault.Unavailable, "cli.memory", err)
}

// writeScope returns the scope to write to: by default the project, or the user if there is no project.
func (a *app) writeScope(scope string) memory.Scope {
	switch {
	case scope != "":
		return memory.Scope(scope)
	case a.place.Root == "":
		return memory.User
	}
	return memory.Project
}

func (a *app) memoryLs(scope *string) *cobra.Command {
	return &cobra.Command{
		Use:        "ls [QUERY]",
		SuggestFor: []string{"list", "recall", "search"},
		Short:      "List the facts, or those that match a query best",
		Example:    "  ctxledger memory ls\n  ctxledger memory ls 'how do we run tests'",
		Args:       a.args(0, 1),
		RunE:       a.memoryList(scope),
	}
}

// memoryList makes the function of the commands that list facts, with a query or without.
func (a *app) memoryList(scope *string) func(*cobra.Command, []string) error {
	return a.asks(func(ctx context.Context, api ledger.API, args []string) error {
		query := strings.Join(args, "")
		resp, err := memories(ctx, api, ledger.MemoriesRequest{Scope: memory.Scope(*scope), Query: query, Body: a.json})
		if err != nil {
			return err
		}
		for _, n := range resp.Notes {
			a.say("%s", n)
		}
		a.sayOthers(ctx, "memory")
		return a.answer(resp, func(w io.Writer) {
			switch {
			case len(resp.Entries) == 0 && query != "":
				fmt.Fprintln(w, "no fact matches")
			case len(resp.Entries) == 0:
				fmt.Fprintln(w, "no fact is kept here")
			default:
				t := a.newTable("NAME", "SCOPE", "TYPE", "UPDATED", "BY", "DESCRIPTION")
				for _, e := range resp.Entries {
					t.Add(e.Name, string(e.Scope), e.Type, a.stamp(e.Updated), e.Source, e.Description)
				}
				t.Print(w)
			}
		})
	})
}

// memoryPage is how many facts one call brings: with bodies they fit a frame.
const memoryPage = 200

// memories asks for all pages of a list; a query has one page.
func memories(ctx context.Context, api ledger.MemoryStore, r ledger.MemoriesRequest) (ledger.MemoriesResponse, error) {
	if r.Query == "" {
		r.Limit = memoryPage
	}
	var all ledger.MemoriesResponse
	for {
		page, err := api.Memories(ctx, r)
		page.Entries = append(all.Entries, page.Entries...)
		page.Notes = append(all.Notes, page.Notes...)
		if err != nil || page.Next == "" {
			return page, err
		}
		all, r.After = page, page.Next
	}
}

func (a *app) memoryShow(scope *string) *cobra.Command {
	return &cobra.Command{
		Use:        "show NAME",
		SuggestFor: []string{"get", "read"},
		Short:      "Print one fact",
		Example:    "  ctxledger memory show deploy",
		Args:       a.args(1, 1),
		RunE: shows(a, func(ctx context.Context, api ledger.API, args []string) (memory.Entry, error) {
			return api.Memory(ctx, ledger.MemoryRequest{Name: args[0], Scope: memory.Scope(*scope)})
		}, func(w io.Writer, e memory.Entry) {
			fmt.Fprintf(w, "%s (%s, %s), by %s on %s\n",
				columns.OneLine(e.Name), columns.OneLine(string(e.Scope)), columns.OneLine(e.Type),
				columns.OneLine(e.Source), a.stamp(e.Updated))
			if e.Description != "" {
				fmt.Fprintln(w, columns.OneLine(e.Description))
			}
			fmt.Fprintf(w, "\n%s\n", chars.Plain(e.Body))
		}),
	}
}

func (a *app) memoryBlock(scope *string) *cobra.Command {
	return &cobra.Command{
		Use:   "block [TASK]",
		Short: "Print the facts as a text for a model, a line for each",
		Long: fmt.Sprintf("Prints the facts as a text of at most %s characters that a model can be given: a line\n"+
			"`[type] name: body` for each, ordered by type, then name. \\n stands for the line ends of a body. Where\n"+
			"they are more, those are whole that fit TASK best, and the others are cut short.",
			chars.Commas(memory.BlockChars)),
		Example: "  ctxledger memory block\n  ctxledger memory block 'release the extension' | pbcopy",
		Args:    a.args(0, 1),
		RunE: a.asks(func(ctx context.Context, api ledger.API, args []string) error {
			resp, err := memories(ctx, api, ledger.MemoriesRequest{Scope: memory.Scope(*scope), Body: true})
			if err != nil {
				return err
			}
			for _, n := range resp.Notes {
				a.say("%s", n)
			}
			if len(resp.Entries) == 0 {
				a.say("no fact is kept here")
			}
			ordered := memory.Ordered(resp.Entries, strings.Join(args, ""))
			text := memory.Block(ordered, memory.BlockChars, memory.Chars)
			return a.answer(struct {
				Text string `json:"text"`
			}{text}, func(w io.Writer) { fmt.Fprint(w, text) })
		}),
	}
}

func (a *app) memoryRm(scope *string) *cobra.Command {
	return &cobra.Command{
		Use:        "rm NAME",
		SuggestFor: []string{"delete", "remove"},
		Short:      "Delete one fact; restore brings it back, and `ctxledger forget --memory` deletes it for good",
		Example:    "  ctxledger memory rm deploy",
		Args:       a.args(1, 1),
		RunE: shows(a, func(ctx context.Context, api ledger.API, args []string) (memory.Entry, error) {
			e, err := api.DeleteMemory(ctx, ledger.DeleteMemoryRequest{Name: args[0], Scope: memory.Scope(*scope)})
			return e, ofOtherScope(ctx, api, args[0], *scope, "memory rm", err)
		}, printDone("deleted")),
	}
}

func (a *app) memoryRestore(scope *string) *cobra.Command {
	return &cobra.Command{
		Use:     "restore NAME",
		Short:   "Undo what happened to a fact last: its deletion, or a change",
		Example: "  ctxledger memory restore deploy",
		Args:    a.args(1, 1),
		RunE: shows(a, func(ctx context.Context, api ledger.API, args []string) (memory.Entry, error) {
			return api.RestoreMemory(ctx, ledger.RestoreMemoryRequest{Name: args[0], Scope: memory.Scope(*scope)})
		}, printDone("restored")),
	}
}
