package adopting

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"

	"ctxledger.dev/cli/columns"
	"ctxledger.dev/cli/erasing"
	"ctxledger.dev/engine/daemon"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/shell"
	"ctxledger.dev/workspace"
)

// Deed is what a person is asked about.
func Deed() erasing.Deed { return erasing.Deed{Ask: "do this", Past: "changed", Does: "does this"} }

// Adoption is what taking over a ledger does.
type Adoption struct {
	Workspace string            `json:"workspace"`
	Ledger    *workspace.Ledger `json:"ledger,omitempty"` // which is taken over; nil: a new one begins
	Here      *workspace.Ledger `json:"here,omitempty"`   // that of the workspace before; nil: it had none
	Aside     string            `json:"aside,omitempty"`  // state directory of that one now; "": it was not put aside
	Dry       bool              `json:"dry_run,omitempty"`
}

// Plan says what making the ledger with a name that of a workspace would do; "" begins a new one. Errors: not_found for
// a name that no ledger has; conflict for a ledger that a directory uses; invalid without a workspace.
func Plan(ctx context.Context, e env.Env, ws workspace.Workspace, name string) (Adoption, error) {
	const op = "cli.adopt"
	out := Adoption{Workspace: ws.Root}
	if ws.Root == "" {
		return out, fault.New(fault.Invalid, op, "there is no workspace here: %s", ws.Why).
			WithHint("run it in the directory of the project, or name that with --workspace")
	}
	all, err := List(ctx, e, ws)
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
		return out, fault.New(fault.NotFound, op, "there is no ledger %.200q", name).
			WithHint("`ctxledger workspaces` lists them")
	}
	out.Ledger = &all[i]
	switch l := all[i]; {
	case l.State == ws.State && ws.Strange == nil:
		return out, fault.New(fault.Conflict, op, "%s is the ledger of this directory already", name)
	case l.State != ws.State && l.Left == "" && l.Root != "" && l.Root != rootOf(ws):
		return out, fault.New(fault.Conflict, op, "%s is the ledger of %s, which exists", name, l.Root).
			WithHint("`ctxledger --workspace %s status` shows it", shell.Quote(l.Root))
	}
	return out, nil
}

// Run makes the ledger with a name that of a workspace, after a person has agreed; "" begins a new one. answer prints what
// was done, or would be. Errors: those of Plan, Consent, and daemon.Adopt.
func Run(ctx context.Context, e env.Env, ws workspace.Workspace, name string, c erasing.Flags, face erasing.Face,
	answer func(v any, text func(io.Writer)) error,
) error {
	o, err := Plan(ctx, e, ws, name)
	if err != nil {
		return err
	}
	if o.Dry = c.Dry; c.Dry {
		return answer(o, o.Print)
	}
	face.Deed = Deed()
	if err := face.Consent(c, o.Print); err != nil {
		return err
	}
	from := ""
	if o.Ledger != nil {
		from = o.Ledger.State
	}
	o.Aside, err = daemon.Adopt(ctx, daemon.Options{State: ws.State, Workspace: rootOf(ws), Env: e}, from)
	if err != nil {
		return err
	}
	return answer(o, o.Done)
}

// rootOf returns what a ledger records as the root of a workspace.
func rootOf(ws workspace.Workspace) string { return cmp.Or(ws.Main, ws.Root) }

// Print says what would be done.
func (o Adoption) Print(w io.Writer) {
	dir := columns.OneLine(o.Workspace)
	kept := o.Here != nil && o.Ledger == o.Here
	switch {
	case kept:
		fmt.Fprintf(w, "would keep its ledger for %s, which is not the repository that it was made for:\n", dir)
	case o.Ledger != nil:
		fmt.Fprintf(w, "would make this the ledger of %s:\n", dir)
	default:
		fmt.Fprintf(w, "would begin a new ledger for %s\n", dir)
	}
	if o.Ledger != nil {
		fmt.Fprintf(w, "  %s\n", describe(*o.Ledger))
	}
	if o.Here != nil && !kept {
		fmt.Fprintf(w, "would put aside, as it is, the one that it has:\n  %s\n", describe(*o.Here))
	}
}

// Done says what was done.
func (o Adoption) Done(w io.Writer) {
	what := "a new ledger begins"
	if o.Ledger != nil {
		what = "has the ledger " + o.Ledger.Name + " now"
	}
	fmt.Fprintf(w, "%s: %s\n", columns.OneLine(o.Workspace), what)
	if o.Aside != "" {
		fmt.Fprintf(w, "the one that it had is kept in %s\n", columns.OneLine(o.Aside))
	}
}

// Decide asks a person which ledger to use for a directory whose ledger was made for another repository, and switches to
// it. Errors: that of Undecided, where nobody can be asked or the reply is neither choice.
func Decide(ctx context.Context, e env.Env, ws workspace.Workspace, face erasing.Face) error {
	undecided := ws.Undecided()
	if undecided == nil || !face.Asking {
		return undecided
	}
	face.Say("%s", undecided)
	name := ""
	switch face.Reply("Type keep to keep that ledger for it, or new to put it aside and begin a new one: ") {
	case "keep":
		name = ws.State
	case "new":
	default:
		return undecided
	}
	_, err := daemon.Adopt(ctx, daemon.Options{State: ws.State, Workspace: rootOf(ws), Env: e}, name)
	return err
}
