package setup

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"ctxledger.dev/agents/sessionfile"
	"ctxledger.dev/internal/fault"
)

// Options are the flags of the commands that connect and disconnect.
type Options struct {
	Undo    bool // agents are disconnected
	Yes     bool // without asking
	DryRun  bool // nothing is written
	Replace bool // entries of our name that others have made are replaced
	JSON    bool // the answer is JSON
}

// Face is where a command shows things and asks. All fields are required.
type Face struct {
	In     io.Reader
	Err    io.Writer                        // for the question
	Asking bool                             // a person sits at In and Err
	Line   func(s string, n int) string     // makes a text one safe line of at most n columns
	Exact  func(s string, n int) string     // does so with the white space as it is
	Say    func(format string, args ...any) // for messages
	Show   func(text []byte) error          // for the answer
	Answer func(v any) error                // the same as JSON
}

const question = "Type yes to write these changes: "

// Edit shows what it would change to connect or disconnect agents, asks, and writes it. Errors: those of Meant, Connect
// and Disconnect; not_found if our programs are not together; denied without consent; those of Machine.Write.
func (s Setup) Edit(names []string, o Options, f Face) error {
	s.Replace = o.Replace
	if s.incomplete != nil {
		return s.incomplete
	}
	hosts, err := s.Meant(names)
	if err != nil {
		return err
	}
	planned := s.Connect
	if o.Undo {
		planned = s.Disconnect
	}
	p, err := planned(hosts)
	if err != nil {
		return err
	}
	write := !p.Empty() && !o.DryRun
	if !o.JSON || write && !o.Yes {
		var b bytes.Buffer
		p.Print(&b, f)
		if err := f.Show(b.Bytes()); err != nil {
			return err
		}
	}
	if write && !o.Undo && slices.Contains(p.agents(), sessionfile.ClaudeCode) {
		f.Say("with this you let Claude Code call three tools without asking you: read_artifact, context_status and changes. " +
			"They only read. Your own rules that deny them or ask are obeyed")
	}
	if len(p.Conflicts) > 0 {
		f.Say("what others wrote under our name stays; --replace replaces it")
	}
	for _, i := range p.Ignored {
		f.Say("%s", f.Line(i.Why, maxFound))
	}
	if write {
		if err := s.write(p, o, f); err != nil {
			return err
		}
	}
	if o.JSON {
		return f.Answer(p.Answer(write, f))
	}
	if !write {
		return nil
	}
	var b bytes.Buffer
	p.PrintDone(&b)
	return f.Show(b.Bytes())
}

// write makes the changes of a plan once somebody has agreed.
func (s Setup) write(p Plan, o Options, f Face) error {
	if !o.Yes && len(p.Changes) > 0 { // else copies of our own are to go
		if err := f.agreed(); err != nil {
			return err
		}
	}
	return s.Machine.Write(p.Plan)
}

// maxTyped bounds what is read of an answer, in bytes.
const maxTyped = 100

// agreed asks a person at the terminal. Errors: denied without one, or if the answer is neither yes nor y.
func (f Face) agreed() error {
	if !f.Asking {
		return fault.New(fault.Denied, op, "nothing was written: there is no terminal to ask at").
			WithHint("--yes writes the changes above, --dry-run only shows them")
	}
	fmt.Fprint(f.Err, question)
	answer, err := bufio.NewReader(io.LimitReader(f.In, maxTyped)).ReadString('\n')
	if word := strings.ToLower(strings.TrimSpace(answer)); err != nil || word != "yes" && word != "y" {
		return fault.New(fault.Denied, op, "nothing was written: the answer was not yes")
	}
	return nil
}
