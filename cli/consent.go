package cli

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/pflag"

	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/fault"
)

// deed describes a command that deletes: it lists what will be deleted and asks, or needs --yes without a terminal.
type deed struct {
	ask  string // what yes does, as in "forget these"
	past string // what nothing was, as in "forgotten"
	does string // what --yes does, as in "forgets what is listed above"
}

// forgetting is the deed of the commands that forget.
func forgetting() deed { return deed{"forget these", "forgotten", "forgets what is listed above"} }

// consentFlags are the options of a command that asks.
type consentFlags struct {
	yes bool // do it without asking
	dry bool // only show what would be done
}

// define adds the options to a command.
func (c *consentFlags) define(f *pflag.FlagSet, d deed) {
	f.BoolVar(&c.yes, "yes", false, "do not ask")
	f.BoolVar(&c.dry, "dry-run", false, "only show what would be "+d.past)
}

// check refuses options that contradict each other.
func (c consentFlags) check() error {
	if c.yes && c.dry {
		return misuse("--yes and --dry-run cannot be used together")
	}
	return nil
}

const (
	// maxListed is how many lines such a list has, besides its headings.
	maxListed = 10
	// maxReply bounds what is read of a reply, in bytes.
	maxReply = 100
)

// consent shows what goes and has a person agree to it, unless that was done with --yes. Errors: those of showGoing; denied
// without a terminal, and if the reply is not yes.
func (a *action) consent(c consentFlags, d deed, show func(w io.Writer)) error {
	if err := a.showGoing(c, show); err != nil || c.yes {
		return err
	}
	const op = "cli.consent"
	if !a.asking() {
		return fault.New(fault.Denied, op, "nothing was %s: no terminal to confirm on, and no --yes", d.past).
			WithHint("--yes %s, --dry-run only lists it", d.does)
	}
	if a.reply("Type yes to "+d.ask+": ") != "yes" {
		return fault.New(fault.Denied, op, "nothing was %s: the reply was not yes", d.past)
	}
	return nil
}

// showGoing shows what goes on standard output, unless that is JSON, or the person who is asked does not see it.
func (a *action) showGoing(c consentFlags, show func(w io.Writer)) error {
	if !a.json && (c.yes || !a.asking() || terminal(a.Out)) {
		return a.answer(nil, show)
	}
	var shown strings.Builder
	show(&shown)
	for line := range strings.Lines(shown.String()) {
		a.say("%s", line)
	}
	return nil
}

// asking reports whether a person sits at the terminal.
func (a *action) asking() bool { return terminal(a.In) && terminal(a.Err) }

// reply asks a person a question, and returns the reply in lower case; "": none, or one without its end.
func (a *action) reply(question string) string {
	fmt.Fprint(a.Err, question)
	reply, err := bufio.NewReader(io.LimitReader(a.In, maxReply)).ReadString('\n')
	if err != nil {
		return "" // what was not said is no
	}
	return strings.ToLower(strings.TrimSpace(reply))
}

// andMore says how many things a list leaves out, if it does.
func andMore(w io.Writer, n int) {
	if n > 0 {
		fmt.Fprintf(w, "… and %s more: `--dry-run --json` lists more of them\n", chars.Commas(n))
	}
}
