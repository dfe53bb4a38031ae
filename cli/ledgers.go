package cli

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"ctxledger.dev/cli/columns"
	"ctxledger.dev/engine/daemon"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/shell"
	"ctxledger.dev/workspace"
)

func ledgersCommand() command {
	return command{
		name: "ledger list", short: "List the ledgers of all directories, including unused ones",
		long: "Lists the ledgers of this machine with what they hold. First come those of directories that no " +
			"longer exist and may belong to this project: its repository has their first commit or the same " +
			"remote, as clones also do. After those come the other unused ledgers. `ctxledger ledger adopt` " +
			"takes one over.",
		example: "ctxledger ledger list\nctxledger ledger list --json",
		was:     map[string]string{"workspaces": ""},
		does:    keeps, json: answers(ledgersAnswer{}),
		at: shows(func(ctx context.Context, a *action, _ []string) (out ledgersAnswer, err error) {
			out.Ledgers, err = allLedgers(ctx, a.Env, a.place)
			return out, err
		}, printLedgers),
	}
}

// ledgersAnswer is what the command that lists ledgers answers.
type ledgersAnswer struct {
	Ledgers []workspace.Ledger `json:"ledgers"`
}

// allLedgers returns the ledgers of all directories, those first that may be of ws's project. It asks the daemons that those of
// no directory still have what they hold. Errors: unavailable.
func allLedgers(ctx context.Context, e env.Env, ws workspace.Workspace) ([]workspace.Ledger, error) {
	list, err := workspace.Ledgers(e, ws)
	if err != nil {
		return nil, fault.Wrap(fault.Unavailable, "cli.workspaces", err)
	}
	for i, l := range list {
		if l.Left == "" && l.State != ws.State {
			continue
		}
		if st, err := daemon.Status(ctx, l.State); err == nil && st.Info.State != "" {
			list[i].Sessions, list[i].Memories, list[i].Bytes = st.Info.Sessions, st.Info.Memories, st.Info.Bytes
		}
	}
	return list, nil
}

// printLedgers lists ledgers in a table.
func printLedgers(a *action, w io.Writer, out ledgersAnswer) {
	ws := a.place
	if len(out.Ledgers) == 0 {
		fmt.Fprintln(w, "no directory has a ledger yet")
		return
	}
	t := a.newTable("LEDGER", ">SESSIONS", ">MEMORIES", ">SIZE", "USED", "STATE", "DIRECTORY")
	t.Wide = true // half a name cannot be adopted
	for _, l := range out.Ledgers {
		state := l.Left
		switch {
		case l.Same != "":
			state += ", has the " + l.Same + " of this one"
		case l.State == ws.State && ws.Strange != nil:
			state = "of another repository that was here"
		case l.State == ws.State:
			state = "used here"
		case l.Root == "":
			state = "not recorded yet"
		}
		t.Add(l.Name, chars.Commas(l.Sessions), chars.Commas(l.Memories), chars.Size(l.Bytes), a.stamp(l.Used), state,
			l.Root)
	}
	t.Print(w)
}

// otherLedgers says which ledgers there are that ws does not use: those that were made for its place, which verb shows, those that
// may be of its project, and what all others have that no directory uses any more.
func otherLedgers(ctx context.Context, a *action, ws workspace.Workspace, verb string) (lines []string) {
	if undecided := ws.Undecided(); undecided != nil {
		lines = append(lines, undecided.Error()+"; "+fault.HintOf(undecided))
	}
	for _, o := range workspace.Others(a.Env, ws) {
		text := fmt.Sprintf("%s has a ledger of its own, from before it was part of %s: `ctxledger "+
			"--workspace %s %s` "+
			"shows it", o.Root, ws.Root, shell.Quote(o.Root), verb)
		if o.Same {
			text = fmt.Sprintf("%s has another ledger: `ctxledger ledger adopt %s` switches to it", o.Root,
				filepath.Base(o.State))
		}
		lines = append(lines, text)
	}
	list, _ := allLedgers(ctx, a.Env, ws) // where they cannot be listed, nothing is said of them
	lines = append(lines, leftLedgers(list)...)
	for i, text := range lines {
		lines[i] = a.self.in(text)
	}
	return lines
}

// leftLedgers says of ledgers with content that no directory uses: of each that may be of the project at hand, which command takes
// it over, and of all others together what they hold.
func leftLedgers(list []workspace.Ledger) (lines []string) {
	others, sessions, memories := 0, 0, 0
	for _, l := range list {
		switch {
		case l.Left == "" || l.Sessions+l.Memories == 0:
		case l.Same != "":
			of := l.Root + " is gone; its ledger"
			if l.Left != workspace.Gone {
				of = "the repository of " + l.Root + " is no longer there; its ledger"
			}
			lines = append(lines, fmt.Sprintf("%s has %s and %s, and the same %s as this project: `ctxledger "+
				"ledger adopt "+
				"%s` takes it over", of, chars.Plural(l.Sessions, "session"), chars.Plural(l.Memories, "memory"),
				l.Same, l.Name))
		default:
			others, sessions, memories = others+1, sessions+l.Sessions, memories+l.Memories
		}
	}
	if others > 0 {
		lines = append(lines, fmt.Sprintf("not used by any directory: %s, with %s and %s; `ctxledger ledger "+
			"list` lists what is there", chars.Plural(others, "ledger"), chars.Plural(sessions, "session"),
			chars.Plural(memories, "memory")))
	}
	return lines
}

// describe says of a ledger whose it is and what it holds.
func describe(l workspace.Ledger) string {
	if l.Root == "" {
		return l.Name + ", made by an older version: its owner and contents are not recorded"
	}
	return columns.OneLine(fmt.Sprintf("%s, of %s: %s, %s, %s, used on %s", l.Name, l.Root,
		chars.Plural(l.Sessions, "session"), chars.Plural(l.Memories, "memory"), chars.Size(l.Bytes),
		l.Used.Format(time.DateOnly)))
}

// sayOthers says on standard error which ledgers a list leaves out.
func sayOthers(ctx context.Context, a *action, verb string) {
	for _, text := range otherLedgers(ctx, a, a.place, verb) {
		a.say("%s", text)
	}
}
