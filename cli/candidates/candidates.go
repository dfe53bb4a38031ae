// Package candidates has the commands that show what is offered as a memory, and accept or dismiss it.
//
// Start at Commands. What is offered is computed when a person asks (ledger.Candidates); nothing here writes unasked.
package candidates

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"ctxledger.dev/cli/columns"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/ledger"
	"ctxledger.dev/memory"
)

// Host is what the commands need of the program.
type Host struct {
	// Asks makes the function of a command that needs the ledger.
	Asks func(do func(ctx context.Context, api ledger.API, args []string) error) func(*cobra.Command, []string) error
	// Answer prints a value, as JSON or as the text.
	Answer func(v any, text func(w io.Writer)) error
	Args   func(least, most int) cobra.PositionalArgs
	Scope  func() memory.Scope // to write to
	// Own returns a text with the commands in it as they work when they are pasted.
	Own func(text string) string
}

// Commands are the commands below memory.
func Commands(h Host) []*cobra.Command { return []*cobra.Command{h.list(), h.accept(), h.dismiss()} }

// answer is what the list command answers.
type answer struct {
	Candidates []ledger.Candidate `json:"candidates"`
}

func (h Host) list() *cobra.Command {
	return &cobra.Command{
		Use:   "candidates",
		Short: "List what the user said in sessions that ended and that may be worth a memory",
		Long: "Lists rules and corrections of the user in the newest sessions whose end a hook told. They are recognised by\n" +
			"their words, and no model is asked. No candidate is a memory before it is accepted.",
		Example: "  ctxledger memory candidates\n  ctxledger memory candidates --json",
		Args:    h.Args(0, 0),
		RunE: h.Asks(func(ctx context.Context, api ledger.API, _ []string) error {
			found, err := ledger.Candidates(ctx, api)
			if err != nil {
				return err
			}
			return h.Answer(answer{found}, func(w io.Writer) { h.write(w, found) })
		}),
	}
}

func (h Host) write(w io.Writer, found []ledger.Candidate) {
	if len(found) == 0 {
		fmt.Fprintln(w, "no candidate for memory")
		return
	}
	for _, c := range found {
		fmt.Fprintf(w, "%s  session %s, turn %d, %s\n  %s\n", c.ID, c.Session, c.Turn, c.Why, columns.OneLine(c.Text))
	}
	fmt.Fprintln(w, h.Own("\n`ctxledger memory accept ID` saves one, `ctxledger memory dismiss ID` leaves it out for good"))
}

func (h Host) accept() *cobra.Command {
	var name string
	cmd := &cobra.Command{
		Use:     "accept ID",
		Short:   "Save a candidate as a memory",
		Example: "  ctxledger memory accept 0123456789ab\n  ctxledger memory accept 0123456789ab --name branches --scope user",
		Args:    h.Args(1, 1),
		RunE: h.Asks(func(ctx context.Context, api ledger.API, args []string) error {
			e, err := ledger.AcceptCandidate(ctx, api, args[0], name, h.Scope())
			if err != nil {
				return err
			}
			return h.Answer(e, func(w io.Writer) {
				fmt.Fprintf(w, "saved %s (%s)\n", columns.OneLine(e.Name), columns.OneLine(string(e.Scope)))
			})
		}),
	}
	cmd.Flags().StringVar(&name, "name", "", "the `NAME` of the memory (default: its first words)")
	return cmd
}

func (h Host) dismiss() *cobra.Command {
	return &cobra.Command{
		Use:     "dismiss ID",
		Short:   "Leave a candidate out: it is not offered again",
		Example: "  ctxledger memory dismiss 0123456789ab",
		Args:    h.Args(1, 1),
		RunE: h.Asks(func(ctx context.Context, api ledger.API, args []string) error {
			c, err := ledger.DismissCandidate(ctx, api, args[0])
			if err != nil {
				return err
			}
			return h.Answer(c, func(w io.Writer) { fmt.Fprintf(w, "dismissed %s\n", c.ID) })
		}),
	}
}

// patience is how long a status waits for their number, which is computed from the documents of whole sessions.
const patience = time.Second

// Count returns how many there are for a status: 0 also if that cannot be told soon. The command that lists them waits,
// and says what is wrong.
func Count(ctx context.Context, api ledger.API) int {
	ctx, stop := context.WithTimeout(ctx, patience)
	defer stop()
	offered, err := ledger.Candidates(ctx, api)
	if err != nil {
		return 0
	}
	return len(offered)
}

// Line is the line of a status, "" for none.
func Line(n int) string {
	if n == 0 {
		return ""
	}
	return chars.Plural(n, "candidate") + " for memory: `ctxledger memory candidates` lists them"
}
