package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/pflag"

	"ctxledger.dev/agents/registry"
	"ctxledger.dev/carried"
	"ctxledger.dev/config"
	"ctxledger.dev/engine/daemon"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/workspace"
)

func installCommand() command {
	c := editCommand(editOptions{})
	c.name, c.short = "install", "Connect coding agents to ctxledger"
	c.long = "Adds the MCP server ctxmcp, and for " + strings.Join(registry.Names(hooked), " and ") + " its hooks, " +
		"to the configurations of the agents on this machine. It says which files it would change and what it adds to each, and asks before " +
		"it writes; --diff shows each change in full first. Everything else in the files stays as it is. Files of a project get the paths of the programs on this machine: keep them out of a shared repository. AGENT is one of " + strings.Join(registry.Names(connectable), ", ") + "."
	c.example = "ctxledger install\nctxledger install claude-code --dry-run\nctxledger install codex --project"
	return c
}

func uninstallCommand() command {
	c := editCommand(editOptions{undo: true})
	c.name, c.short = "uninstall", "Disconnect coding agents from ctxledger"
	c.long = "Removes from the agents' configurations what install wrote. A file that only install has changed is " +
		"restored byte for byte; from other files, entries that start ctxledger's programs are removed, and anything left " +
		"is listed. The ledger is kept."
	c.example = "ctxledger uninstall claude-code --yes"
	return c
}

// editCommand returns the command that connects agents, or disconnects them.
func editCommand(o editOptions) command {
	return command{
		args: "[AGENT…]", rank: everyday, does: asks, undo: "it edits other programs' files",
		json: answers(setupAnswer{}),
		flags: func(f *pflag.FlagSet) {
			f.BoolVar(&o.project, "project", false, "edit this project's files instead of your own")
			f.BoolVar(&o.diff, "diff", false, "show each change in full before asking")
			o.define(f, deed{past: "written"})
			if !o.undo {
				f.BoolVar(&o.replace, "replace", false, "replace an entry named ctxledger that it did not write")
			}
		},
		at: func(_ context.Context, a *action, args []string) error {
			s, err := newSetup(a.Env, a.place, o.project)
			if err != nil {
				return err
			}
			return edit(a, s, args, o)
		},
	}
}

func doctorCommand() command {
	return command{
		name: "doctor", args: "[AGENT…]", rank: everyday,
		short: "Show which agents are connected, what works, and what to fix",
		long: "Checks the agents that ctxledger knows, their configurations, the programs named there, and the " +
			"daemon. It starts nothing and changes nothing.",
		example: "ctxledger doctor\nctxledger doctor claude-code --json",
		does:    keeps, json: answers(doctorReport{}),
		at: shows(diagnose, func(a *action, w io.Writer, r doctorReport) {
			width, _ := screen(a.Out)
			r.print(w, a.newTable("AGENT", "VERSION", "STATE", "TO DO"), width, a.line)
		}),
	}
}

// diagnose shows how far ctxledger works on this machine.
func diagnose(ctx context.Context, a *action, args []string) (r doctorReport, err error) {
	ws := a.place
	s, err := newSetup(a.Env, ws, false)
	if err != nil {
		return r, err
	}
	a.settings(ws) // hooks are among them
	st, err := daemon.Status(ctx, ws.State)
	r, err = s.doctor(args, daemonState{Running: st.Running, PID: st.PID, Version: st.Version,
		Polling: st.Info.Polling}, err)
	if err != nil {
		return r, err
	}
	r.Others = otherLedgers(ctx, a, ws, "status")
	if ws.Root != "" {
		listed, any := carried.Listed(ctx, carried.Options{Agents: registry.Carried(), Root: ws.Root, Env: a.Env})
		if any {
			r.Index = &listed
		}
	}
	return r, nil
}

// editOptions are the options of the commands that connect and disconnect.
type editOptions struct {
	undo    bool // agents are disconnected
	project bool // the files of the project are edited, not the user's own
	replace bool // entries of our name that others have made are replaced
	diff    bool // the changes are shown, not only their files
	consentFlags
}

const editQuestion = "Type yes (or y) to write these changes, d to see them: "

// edit says what it would change to connect or disconnect agents, asks, and writes it. Errors: those of meant, plan; not_found if our programs are not together; denied without consent; those of Machine.Write.
func edit(a *action, s setup, names []string, o editOptions) error {
	s.Replace = o.replace
	if s.incomplete != nil {
		return s.incomplete
	}
	hosts, err := s.meant(names)
	if o.undo && fault.Is(err, fault.NotFound) {
		return a.answer(setupPlan{}.answer(a, false), func(w io.Writer) {
			fmt.Fprintf(w, "nothing to disconnect: %s\n", err)
		})
	}
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
		p.print(a, &b, o)
		if err := a.writeMasked(b.Bytes()); err != nil {
			return err
		}
	}
	for _, name := range p.agents() {
		h := registry.Of(string(name))
		for _, text := range []string{h.Agreed, h.Costs} {
			if write && !o.undo && text != "" {
				a.say("%s", a.self.in(text))
			}
		}
	}
	if len(p.Conflicts) > 0 {
		a.say("entries named ctxledger that others wrote are kept; --replace replaces them")
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
	if err := a.writeMasked(b.Bytes()); err != nil {
		return err
	}
	if c, _ := config.Load(a.Env, a.place.Root, a.place.State); o.undo && workspace.HoldsLedger(a.place.State) {
		a.say("recorded sessions stay in %s", a.place.State)
		if c.Follow {
			a.hint("ctxledger's commands keep recording this directory's sessions; %s", followOff)
		}
	}
	return nil
}

// writeSetup makes the changes of a plan once somebody has agreed. Errors: denied without a terminal, or if the answer is
// neither yes nor y; those of Machine.Write.
func writeSetup(a *action, s setup, p setupPlan, o editOptions) error {
	switch {
	case o.yes || len(p.Changes) == 0: // only copies of our own are to go
	case !a.asking():
		return fault.New(fault.Denied, setupOp, "nothing was written: no terminal to confirm on").
			WithHint("--yes writes the changes, --dry-run only shows them")
	default:
		word := a.reply(editQuestion)
		for ; word == "d"; word = a.reply(editQuestion) {
			var b bytes.Buffer
			p.printDiff(a, &b)
			if err := a.writeMasked(b.Bytes()); err != nil {
				return err
			}
		}
		if word != "yes" && word != "y" {
			return fault.New(fault.Denied, setupOp, "nothing was written: the answer was not yes")
		}
	}
	return s.Machine.Write(p.Plan)
}
