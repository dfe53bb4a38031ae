package cli

import (
	"bytes"

	"ctxledger.dev/agents/registry"
	"ctxledger.dev/internal/fault"
)

// editOptions are the options of the commands that connect and disconnect.
type editOptions struct {
	undo    bool // agents are disconnected
	project bool // the files of the project are edited, not the user's own
	replace bool // entries of our name that others have made are replaced
	consentFlags
}

const editQuestion = "Type yes to write these changes: "

// edit shows what it would change to connect or disconnect agents, asks, and writes it. Errors: those of meant, plan; not_found if our programs are not together; denied without consent; those of Machine.Write.
func edit(a *action, s setup, names []string, o editOptions) error {
	s.Replace = o.replace
	if s.incomplete != nil {
		return s.incomplete
	}
	hosts, err := s.meant(names)
	if err != nil {
		return err
	}
	p, err := s.plan(hosts, o.undo)
	if err != nil {
		return err
	}
	write := !p.Empty() && !o.dry
	if !a.json || write && !o.yes {
		var b bytes.Buffer
		p.print(a, &b)
		if err := a.writeMasked(b.Bytes()); err != nil {
			return err
		}
	}
	for _, name := range p.agents() {
		if h := registry.Of(string(name)); write && !o.undo && h.Agreed != "" {
			a.say("%s", h.Agreed)
		}
	}
	if len(p.Conflicts) > 0 {
		a.say("what others wrote under our name stays; --replace replaces it")
	}
	for _, i := range p.Ignored {
		a.say("%s", a.line(i.Why, maxFound))
	}
	if write {
		if err := writeSetup(a, s, p, o); err != nil {
			return err
		}
	}
	if a.json {
		return a.answerJSON(p.answer(a, write))
	}
	if !write {
		return nil
	}
	var b bytes.Buffer
	p.printDone(&b)
	return a.writeMasked(b.Bytes())
}

// writeSetup makes the changes of a plan once somebody has agreed. Errors: denied without a terminal, or if the answer is
// neither yes nor y; those of Machine.Write.
func writeSetup(a *action, s setup, p setupPlan, o editOptions) error {
	switch {
	case o.yes || len(p.Changes) == 0: // only copies of our own are to go
	case !a.asking():
		return fault.New(fault.Denied, setupOp, "nothing was written: no terminal to confirm on").
			WithHint("--yes writes the changes above, --dry-run only shows them")
	default:
		if word := a.reply(editQuestion); word != "yes" && word != "y" {
			return fault.New(fault.Denied, setupOp, "nothing was written: the answer was not yes")
		}
	}
	return s.Machine.Write(p.Plan)
}
