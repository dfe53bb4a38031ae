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

// Flags are the flags of a command that destroys.
type Flags struct {
	Yes bool // forget without asking
	Dry bool // only show what would go
}

// Define adds the flags to a command.
func (f *Flags) Define(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.Yes, "yes", false, "do not ask")
	cmd.Flags().BoolVar(&f.Dry, "dry-run", false, "only show what would be forgotten, and change nothing")
}

const (
	// question is what a person is asked below the list of what goes.
	question = "Type yes to forget these: "
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
		return fault.New(fault.Denied, op, "nothing was forgotten: there is no terminal to ask at, and no --yes").
			WithHint("--yes forgets what is listed above, --dry-run only lists it")
	}
	fmt.Fprint(f.Err, question)
	reply, _ := bufio.NewReader(io.LimitReader(f.In, maxReply)).ReadString('\n') // what was not said is no
	if strings.ToLower(strings.TrimSpace(reply)) != "yes" {
		return fault.New(fault.Denied, op, "nothing was forgotten: the reply was not yes")
	}
	return nil
}

// Table starts a table of what goes. It has no colours, because it is said, not answered.
func (f Face) Table(head ...string) *columns.Table { return columns.New(f.Line, false, head...) }

// Others says how many things a list leaves out, if it does.
func Others(w io.Writer, n int) {
	if n > 0 {
		fmt.Fprintf(w, "… and %s more\n", chars.Commas(n))
	}
}
