package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/pflag"

	"ctxledger.dev/cli/columns"
	"ctxledger.dev/engine/daemon"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/shell"
	"ctxledger.dev/workspace"
)

func adoptCommand() command {
	var c consentFlags
	fresh := false
	return command{
		name: "ledger adopt", args: "[LEDGER]",
		short: "Take over the ledger of another directory, or start a new one",
		long: "Makes LEDGER (a name shown by `ctxledger workspaces`) this directory's ledger. The " +
			"current one is " +
			"set aside and can be adopted again. Nothing is merged: use `memory export` before and `memory import` " +
			"after to carry memories over; sessions from the last day are picked up again automatically.\n\n" +
			"If this directory now holds a different repository from the one its ledger was made for, naming " +
			"that ledger keeps it; --new sets it aside and starts a new one.\n\n" +
			"The command says what it would do and asks first. Without a terminal it needs --yes.",
		example: "ctxledger ledger adopt --new --dry-run\nctxledger ledger adopt --new --yes",
		was:     map[string]string{"adopt": ""},
		does:    undoable, undo: "it asks first; the previous ledger is kept and can be adopted again",
		json: answers(adoption{}),
		flags: func(f *pflag.FlagSet) {
			f.BoolVar(&fresh, "new", false, "set this directory's ledger aside and start a new one")
			c.define(f, adopting())
		},
		check: func(_ *action, args []string) error {
			if fresh == (len(args) == 1) {
				return misuse("give the name of a ledger (`ctxledger workspaces` shows them) or --new")
			}
			return c.check()
		},
		at: func(ctx context.Context, a *action, args []string) error {
			return adopt(ctx, a, a.place, append(args, "")[0], c)
		},
	}
}

// adopting is what a person is asked about.
func adopting() deed { return deed{ask: "do this", past: "changed", does: "does this"} }

// adoption is what taking over a ledger does.
type adoption struct {
	Workspace string            `json:"workspace"`
	Ledger    *workspace.Ledger `json:"ledger,omitempty"` // which is taken over; nil: a new one begins
	Here      *workspace.Ledger `json:"here,omitempty"`   // that of the workspace before; nil: it had none
	Aside     string            `json:"aside,omitempty"`  // state directory of that one now; "": it was not set aside
	Dry       bool              `json:"dry_run,omitempty"`
}

// planAdoption says what making the ledger with a name that of a workspace would do; "" begins a new one. Errors: not_found for
// a name that no ledger has; conflict for a ledger that a directory uses; invalid without a workspace.
func planAdoption(ctx context.Context, e env.Env, ws workspace.Workspace, name string) (adoption, error) {
	const op = "cli.adopt"
	out := adoption{Workspace: ws.Root}
	if ws.Root == "" {
		return out, fault.New(fault.Invalid, op, "no workspace here: %s", ws.Why).
			WithHint("run it in the project directory, or specify the directory with --workspace")
	}
	all, err := allLedgers(ctx, e, ws)
	if err != nil {
		return out, err
	}
	for i, l := range all {
		if l.State == ws.State {
			out.Here = &all[i]
		}
	}
	if name == "" {
		return out, nil
	}
	i := slices.IndexFunc(all, func(l workspace.Ledger) bool { return l.Name == name })
	if i < 0 {
		return out, fault.New(fault.NotFound, op, "unknown ledger %.200q", name).
			WithHint("`ctxledger workspaces` lists them")
	}
	out.Ledger = &all[i]
	switch l := all[i]; {
	case l.State == ws.State && ws.Strange == nil:
		return out, fault.New(fault.Conflict, op, "%s is already the ledger of this directory", name)
	case l.State != ws.State && l.Left == "" && l.Root != "" && l.Root != rootOf(ws):
		return out, fault.New(fault.Conflict, op, "%s is the ledger of %s, which exists", name, l.Root).
			WithHint("`ctxledger --workspace %s status` shows it", shell.Quote(l.Root))
	}
	return out, nil
}

// adopt makes the ledger with a name that of a workspace, after a person has agreed; "" begins a new one. Errors: those of
// planAdoption, consent, and daemon.Adopt.
func adopt(ctx context.Context, a *action, ws workspace.Workspace, name string, c consentFlags) error {
	o, err := planAdoption(ctx, a.Env, ws, name)
	if err != nil {
		return err
	}
	if o.Dry = c.dry; c.dry {
		return a.answer(o, o.print)
	}
	if err := a.consent(c, adopting(), o.print); err != nil {
		return err
	}
	from := ""
	if o.Ledger != nil {
		from = o.Ledger.State
	}
	o.Aside, err = daemon.Adopt(ctx, daemon.Options{State: ws.State, Workspace: rootOf(ws), Env: a.Env}, from)
	if err != nil {
		return err
	}
	return a.answer(o, o.printDone)
}

// rootOf returns what a ledger records as the root of a workspace.
func rootOf(ws workspace.Workspace) string { return cmp.Or(ws.Main, ws.Root) }

// print says what would be done.
func (o adoption) print(w io.Writer) {
	dir := columns.OneLine(o.Workspace)
	kept := o.Here != nil && o.Ledger == o.Here
	switch {
	case kept:
		fmt.Fprintf(w, "would keep this ledger for %s, which is not the repository it was created for:\n", dir)
	case o.Ledger != nil:
		fmt.Fprintf(w, "would make this the ledger of %s:\n", dir)
	default:
		fmt.Fprintf(w, "would start a new ledger for %s\n", dir)
	}
	if o.Ledger != nil {
		fmt.Fprintf(w, "  %s\n", describe(*o.Ledger))
	}
	if o.Here != nil && !kept {
		fmt.Fprintf(w, "would set aside this directory's current ledger:\n  %s\n", describe(*o.Here))
	}
}

// printDone says what was done.
func (o adoption) printDone(w io.Writer) {
	what := "a new ledger is started"
	if o.Ledger != nil {
		what = "now uses the ledger " + o.Ledger.Name
	}
	fmt.Fprintf(w, "%s: %s\n", columns.OneLine(o.Workspace), what)
	if o.Aside != "" {
		fmt.Fprintf(w, "its previous ledger is kept in %s\n", columns.OneLine(o.Aside))
	}
}

// decideLedger asks a person which ledger to use for a directory whose ledger was made for another repository, and switches
// to it. Errors: that of Undecided, without a terminal or if the reply is neither choice.
func decideLedger(ctx context.Context, a *action, ws workspace.Workspace) error {
	undecided := ws.Undecided()
	if undecided == nil || !a.asking() {
		return undecided
	}
	a.say("%s", undecided)
	name := ""
	switch a.reply("Type keep to keep that ledger, or new to set it aside and start a new one: ") {
	case "keep":
		name = ws.State
	case "new":
	default:
		return undecided
	}
	_, err := daemon.Adopt(ctx, daemon.Options{State: ws.State, Workspace: rootOf(ws), Env: a.Env}, name)
	return err
}
