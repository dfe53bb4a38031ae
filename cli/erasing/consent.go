package erasing

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"ctxledger.dev/cli/columns"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/fault"
)

// Deed names what a command does, where it asks.
type Deed struct {
	Ask  string // what yes does, as in "forget these"
	Past string // what nothing was, as in "forgotten"
	Does string // what --yes does, as in "forgets what is listed above"
}

// Forgetting is the deed of the commands that forget.
func Forgetting() Deed { return Deed{"forget these", "forgotten", "forgets what is listed above"} }

// Flags are the flags of a command that asks.
type Flags struct {
	Yes bool // do it without asking
	Dry bool // only show what would be done
}

// Define adds the flags to a command.
func (f *Flags) Define(cmd *cobra.Command, d Deed) {
	cmd.Flags().BoolVar(&f.Yes, "yes", false, "do not ask")
	cmd.Flags().BoolVar(&f.Dry, "dry-run", false, "only show what would be "+d.Past+", and change nothing")
}

const (
	// MaxListed is how many lines such a list has, besides its headings.
	MaxListed = 10
	// maxReply bounds what is read of a reply, in bytes.
	maxReply = 100
)

// Face is where a command lists what goes, and asks. All fields are required.
type Face struct {
	In     io.Reader
	Err    io.Writer                        // for the question
	Asking bool                             // a person sits at In and Err
	Line   func(s string, n int) string     // makes a text one safe line of at most n columns
	Say    func(format string, args ...any) // for the list: one line on Err
	Deed   Deed
}

// Consent shows what goes and has a person agree to it, unless that was done with --yes. Errors: denied without a
// terminal, and if the reply is not yes.
func (f Face) Consent(c Flags, show func(w io.Writer)) error {
	var shown strings.Builder
	show(&shown)
	for line := range strings.Lines(shown.String()) {
		f.Say("%s", line)
	}
	if c.Yes {
		return nil
	}
	const op = "cli.erasing"
	if !f.Asking {
		return fault.New(fault.Denied, op, "nothing was %s: there is no terminal to ask at, and no --yes", f.Deed.Past).
			WithHint("--yes %s, --dry-run only lists it", f.Deed.Does)
	}
	if f.Reply("Type yes to "+f.Deed.Ask+": ") != "yes" {
		return fault.New(fault.Denied, op, "nothing was %s: the reply was not yes", f.Deed.Past)
	}
	return nil
}

// Reply asks a person a question, and returns the reply in lower case; "": none.
func (f Face) Reply(question string) string {
	fmt.Fprint(f.Err, question)
	reply, _ := bufio.NewReader(io.LimitReader(f.In, maxReply)).ReadString('\n') // what was not said is no
	return strings.ToLower(strings.TrimSpace(reply))
}

// Table starts a table of what goes. It has no colours, because it is said, not answered.
func (f Face) Table(head ...string) *columns.Table { return columns.New(f.Line, false, head...) }

// Others says how many things a list leaves out, if it does.
func Others(w io.Writer, n int) {
	if n > 0 {
		fmt.Fprintf(w, "… and %s more\n", chars.Commas(n))
	}
}
