package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"ctxledger.dev/cli/columns"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/ledger"
	"ctxledger.dev/memory"
)

// memoryScopes is what a person has to know of scopes.
const memoryScopes = "Memories of the project are visible in this workspace only, those of the user in all " +
	"workspaces."

func memoryCommand() command {
	c := listMemories("memory", "")
	c.short, c.rank = "Facts that outlive sessions: save, recall, get, delete, …", everyday
	c.long = "A memory is a named fact that outlives sessions. " + memoryScopes + " Without a command it lists them."
	c.near, c.was = []string{"recall", "remember"}, map[string]string{"memory list": "memory", "memory ls": "memory"}
	c.example = "ctxledger memory\nctxledger memory save test-runner --body 'Use go test -race ./...'"
	return c
}

func recallCommand() command {
	c := listMemories("memory recall", "[QUERY…]")
	c.short = "List the facts, best matches for a query first"
	c.example = "ctxledger memory recall 'how do we run tests'"
	c.near = []string{"search", "find"}
	return c
}

// scopeFlag defines the option that says whose memories are meant.
func scopeFlag(f *pflag.FlagSet, scope *string, usual string) {
	f.StringVar(scope, "scope", "", "`SCOPE` is project or user (default: "+usual+")")
}

// checkScope refuses what is no scope.
func checkScope(scope *string) func(*action, []string) error {
	return func(*action, []string) error {
		if *scope != "" && *scope != string(memory.Project) && *scope != string(memory.User) {
			return misuse("--scope takes %s or %s, not %q", memory.Project, memory.User, *scope)
		}
		return nil
	}
}

func saveCommand() command {
	var scope string
	var r ledger.SaveMemoryRequest
	return command{
		name: "memory save", args: "NAME", short: "Save a fact; without --body it is read from standard input",
		example: "ctxledger memory save deploy --body 'make release on main only'\n" +
			"ctxledger memory save tests --scope user < tests.txt",
		near: []string{"remember"}, was: map[string]string{"memory add": ""},
		does: undoable, undo: "`memory restore` recovers the old version", json: answers(memory.Entry{}),
		flags: func(f *pflag.FlagSet) {
			scopeFlag(f, &scope, "project")
			f.StringVar(&r.Description, "description", "", "one `LINE` that says when the fact matters")
			f.StringVar(&r.Type, "type", "", "`KIND`: user, feedback, project, reference or any other")
			f.StringVar(&r.Body, "body", "", "the fact itself, a `TEXT` of at most 4 KB")
			f.BoolVar(&r.Overwrite, "overwrite", false, "replace another author's fact with this name")
		},
		check: checkScope(&scope),
		ask: shows(func(ctx context.Context, a *action, args []string) (e memory.Entry, err error) {
			if !a.flags.Changed("body") {
				r.Body, err = readText(a, "fact", limits.MemoryBody+2) // a byte more, and a line break
				if r.Body = strings.TrimSuffix(r.Body, "\n"); err != nil {
					return e, err
				}
			}
			r.Name, r.Scope, r.Source = args[0], writeScope(a, scope), "user"
			if err = r.Entry.CheckNew(); err != nil {
				return e, err
			}
			if e, err = a.ledger.SaveMemory(ctx, r); err == nil {
				sayMasked(a, e.Masked)
			}
			return e, err
		}, func(a *action, w io.Writer, e memory.Entry) {
			done := "saved"
			if !e.Created.Equal(e.Updated) {
				done = "replaced"
			}
			printDone(done)(a, w, e)
		}),
	}
}

// printText returns a function that says what was done with a fact, and shows what it says now.
func printText(what string) func(a *action, w io.Writer, e memory.Entry) {
	return func(a *action, w io.Writer, e memory.Entry) {
		printDone(what)(a, w, e)
		fmt.Fprintf(w, "  %s\n", a.line(e.Body, columns.CellWidth))
	}
}

// printDone returns a function that says what was done with a fact.
func printDone(what string) func(a *action, w io.Writer, e memory.Entry) {
	return func(_ *action, w io.Writer, e memory.Entry) {
		fmt.Fprintf(w, "%s %s (%s)\n", what, columns.OneLine(e.Name), columns.OneLine(string(e.Scope)))
	}
}

// sayMasked says how many secrets were masked in what was saved.
func sayMasked(a *action, n int) {
	if n > 0 {
		was := "were"
		if n == 1 {
			was = "was"
		}
		a.say("%s %s masked: memories are stored without secrets", chars.Plural(n, "secret value"), was)
	}
}

// writeScope returns the scope to write to: by default the project, or the user if there is no project.
func writeScope(a *action, scope string) memory.Scope {
	switch {
	case scope != "":
		return memory.Scope(scope)
	case a.place.Root == "":
		return memory.User
	}
	return memory.Project
}

// listMemories makes a command that lists facts, those that match its argument best if it takes one.
func listMemories(name, args string) command {
	var scope string
	return command{
		name: name, args: args, does: keeps, json: answers(ledger.MemoriesResponse{}),
		flags: func(f *pflag.FlagSet) { scopeFlag(f, &scope, "both") }, check: checkScope(&scope),
		ask: func(ctx context.Context, a *action, args []string) error {
			query := strings.Join(args, " ")
			r := ledger.MemoriesRequest{Scope: memory.Scope(scope), Query: query, Body: true}
			resp, err := memories(ctx, a.ledger, r)
			if err != nil {
				return err
			}
			for _, n := range resp.Notes {
				a.say("%s", n)
			}
			sayOthers(ctx, a, "memory")
			return a.answer(resp, func(w io.Writer) { printMemories(a, w, resp, query) })
		},
	}
}

func printMemories(a *action, w io.Writer, resp ledger.MemoriesResponse, query string) {
	switch {
	case len(resp.Entries) == 0 && query != "":
		fmt.Fprintln(w, "no fact matches")
	case len(resp.Entries) == 0:
		fmt.Fprintln(w, "no facts here")
	default:
		t := a.newTable("NAME", "SCOPE", "TYPE", "UPDATED", "BY", "TEXT")
		for _, e := range resp.Entries {
			t.Add(e.Name, string(e.Scope), e.Type, a.stamp(e.Updated), e.Source, cmp.Or(e.Description, e.Body))
		}
		t.Print(w)
	}
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

func getCommand() command {
	var scope string
	return command{
		name: "memory get", args: "MEMORY", short: "Print one fact", example: "ctxledger memory get deploy",
		near: []string{"read"}, was: map[string]string{"memory show": ""},
		does: keeps, json: answers(memory.Entry{}),
		flags: func(f *pflag.FlagSet) { scopeFlag(f, &scope, "both") }, check: checkScope(&scope),
		ask: shows(func(ctx context.Context, a *action, args []string) (memory.Entry, error) {
			e, err := a.ledger.Memory(ctx, ledger.MemoryRequest{Name: args[0], Scope: memory.Scope(scope)})
			return e, likeMemory(ctx, a, args[0], err)
		}, func(a *action, w io.Writer, e memory.Entry) {
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

// blockAnswer is what the command that prints facts for a model answers.
type blockAnswer struct {
	Text string `json:"text"`
}

// likeMemory adds to the error for a name that no memory has the one that may be meant.
func likeMemory(ctx context.Context, a *action, name string, err error) error {
	if !fault.Is(err, fault.NotFound) {
		return err
	}
	resp, _ := memories(ctx, a.ledger, ledger.MemoriesRequest{}) // else nothing is suggested
	var names []string
	for _, e := range resp.Entries {
		names = append(names, e.Name)
	}
	like := alike(name, slices.DeleteFunc(names, func(n string) bool { return n == name }))
	if like == "" {
		return err
	}
	return fault.New(fault.NotFound, "cli.memory", "%s", err).WithHint("did you mean `ctxledger memory get %s`?", like)
}

func blockCommand() command {
	var scope string
	return command{
		name: "memory block", args: "[TASK]", short: "Print the facts as text for a model, one line each",
		long: fmt.Sprintf("Prints the facts as text of at most %s characters to give to a model: one line "+
			"`[type] name: "+
			"body` per fact, ordered by type, then name. Line breaks in a body are written as \\n. If not all "+
			"fit, the facts most relevant to TASK are complete and the others are shortened.",
			chars.Commas(memory.BlockChars)),
		example: "ctxledger memory block\nctxledger memory block 'release the extension' > facts.txt",
		does:    keeps, json: answers(blockAnswer{}),
		flags: func(f *pflag.FlagSet) { scopeFlag(f, &scope, "project") }, check: checkScope(&scope),
		ask: shows(func(ctx context.Context, a *action, args []string) (out blockAnswer, err error) {
			resp, err := memories(ctx, a.ledger, ledger.MemoriesRequest{Scope: memory.Scope(scope), Body: true})
			if err != nil {
				return out, err
			}
			for _, n := range resp.Notes {
				a.say("%s", n)
			}
			if len(resp.Entries) == 0 {
				a.say("no facts here")
			}
			ordered := memory.Ordered(resp.Entries, strings.Join(args, ""))
			return blockAnswer{memory.Block(ordered, memory.BlockChars, memory.Chars)}, nil
		}, func(_ *action, w io.Writer, b blockAnswer) { fmt.Fprint(w, b.Text) }),
	}
}

func deleteCommand() command {
	var scope string
	return command{
		name: "memory delete", args: "MEMORY", short: "Delete one fact (`memory restore` undoes it)",
		long:    "Deletes one fact. `memory restore` restores it; `ctxledger forget --memory` deletes it for good.",
		example: "ctxledger memory delete deploy",
		near:    []string{"remove"},
		was:     map[string]string{"memory rm": "", "memory forget": "forget --memory NAME"},
		does:    undoable, undo: "`memory restore`", json: answers(memory.Entry{}),
		flags: func(f *pflag.FlagSet) { scopeFlag(f, &scope, "project") }, check: checkScope(&scope),
		ask: shows(func(ctx context.Context, a *action, args []string) (memory.Entry, error) {
			e, err := a.ledger.DeleteMemory(ctx, ledger.DeleteMemoryRequest{Name: args[0], Scope: memory.Scope(scope)})
			return e, ofOtherScope(ctx, a.ledger, args[0], scope, "memory delete", err)
		}, printDone("deleted")),
	}
}

func restoreMemoryCommand() command {
	var scope string
	return command{
		name: "memory restore", args: "MEMORY", short: "Undo the last change to a fact, or its deletion",
		example: "ctxledger memory restore deploy",
		does:    undoable, undo: "saving it again", json: answers(memory.Entry{}),
		flags: func(f *pflag.FlagSet) { scopeFlag(f, &scope, "both") }, check: checkScope(&scope),
		ask: shows(func(ctx context.Context, a *action, args []string) (memory.Entry, error) {
			return a.ledger.RestoreMemory(ctx, ledger.RestoreMemoryRequest{Name: args[0], Scope: memory.Scope(scope)})
		}, printText("restored")),
	}
}
