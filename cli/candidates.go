package cli

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/spf13/pflag"

	"ctxledger.dev/cli/columns"
	"ctxledger.dev/ledger"
	"ctxledger.dev/memory"
)

// candidatesAnswer is what the command that lists candidates answers. What is offered is computed when a person asks
// (ledger.Candidates); nothing here writes unasked.
type candidatesAnswer struct {
	Candidates []ledger.Candidate `json:"candidates"`
}

func candidatesCommand() command {
	return command{
		name: "memory candidates", short: "List user statements that may be worth remembering",
		long: "Lists rules and corrections that the user stated in recent sessions. They are recognised by " +
			"their wording; no model is called. A candidate becomes a memory only when you accept it.",
		example: "ctxledger memory candidates\nctxledger memory candidates --json",
		does:    keeps, json: answers(candidatesAnswer{}),
		ask: shows(func(ctx context.Context, a *action, _ []string) (candidatesAnswer, error) {
			found, err := ledger.Candidates(ctx, a.ledger)
			return candidatesAnswer{found}, err
		}, printCandidates),
	}
}

func printCandidates(a *action, w io.Writer, found candidatesAnswer) {
	if len(found.Candidates) == 0 {
		fmt.Fprintln(w, "no memory candidates")
		return
	}
	for _, c := range found.Candidates {
		fmt.Fprintf(w, "%s  session %s, turn %d, %s\n  %s\n", c.ID, c.Session, c.Turn, c.Why, columns.OneLine(c.Text))
	}
	fmt.Fprintln(w, a.self.in("\n`ctxledger memory accept ID` saves one, `ctxledger memory dismiss ID` "+
		"dismisses it for good"))
}

func acceptCommand() command {
	var scope, name string
	return command{
		name: "memory accept", args: "ID", short: "Save a candidate as a memory",
		example: "ctxledger memory accept 0123456789ab --name branches",
		does:    undoable, undo: "`memory delete`", json: answers(memory.Entry{}),
		flags: func(f *pflag.FlagSet) {
			scopeFlag(f, &scope, "project")
			f.StringVar(&name, "name", "", "its `NAME` (default: its first words)")
		},
		check: checkScope(&scope),
		ask: shows(func(ctx context.Context, a *action, args []string) (memory.Entry, error) {
			return ledger.AcceptCandidate(ctx, a.ledger, args[0], name, writeScope(a, scope))
		}, printText("saved")),
	}
}

func dismissCommand() command {
	return command{
		name: "memory dismiss", args: "ID", short: "Dismiss a candidate for good",
		example: "ctxledger memory dismiss 0123456789ab",
		does:    undoable, undo: "the words are still in its session", json: answers(ledger.Candidate{}),
		ask: shows(func(ctx context.Context, a *action, args []string) (ledger.Candidate, error) {
			return ledger.DismissCandidate(ctx, a.ledger, args[0])
		}, func(_ *action, w io.Writer, c ledger.Candidate) { fmt.Fprintf(w, "dismissed %s\n", c.ID) }),
	}
}

// candidatePatience is how long a status waits for their number, which is computed from the documents of whole sessions.
const candidatePatience = time.Second

// countCandidates returns how many there are for a status: 0 also if that cannot be told soon. The command that lists them waits,
// and says what is wrong.
func countCandidates(ctx context.Context, api ledger.API) int {
	ctx, stop := context.WithTimeout(ctx, candidatePatience)
	defer stop()
	offered, err := ledger.Candidates(ctx, api)
	if err != nil {
		return 0
	}
	return len(offered)
}
