package cli

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"ctxledger.dev/cli/columns"
	"ctxledger.dev/engine/daemon"
	"ctxledger.dev/engine/daemon/link"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/shell"
	"ctxledger.dev/workspace"
)

func workspacesCommand() command {
	return command{
		name: "workspaces", short: "List your workspaces: ledger, size, last use, what is gone",
		long: "Lists the ledgers of all your directories with what they hold, what they take on disk, when they were " +
			"last used, and the process that has one open, which it asks. It opens none and starts nothing. First come those of " +
			"directories that no longer exist and may belong to this project: its repository has their first " +
			"commit or the same remote, as clones also do. After those come the others that no directory uses, " +
			"then the rest, the last used first. `ctxledger ledger adopt` takes one over. Below the " +
			"table it says how to delete one that no directory uses.",
		example: "ctxledger workspaces\nctxledger workspaces --json",
		was:     map[string]string{"ledger list": ""},
		does:    keeps, json: answers(workspacesAnswer{}),
		at: shows(listWorkspaces, printWorkspaces),
	}
}

// workspacesAnswer is what the command that lists workspaces answers.
type workspacesAnswer struct {
	State   string         `json:"state_dir"` // which has the state directories of all
	Ledgers []ledgerOnDisk `json:"ledgers"`
}

// ledgerOnDisk is a ledger with what can be seen of it without opening it.
type ledgerOnDisk struct {
	workspace.Ledger
	Disk int64 `json:"disk"`          // bytes that its state directory takes
	Open bool  `json:"open"`          // whether a process has it open
	PID  int   `json:"pid,omitempty"` // of that process; 0: not known
	Old  bool  `json:"old,omitempty"` // that process did not say what it holds: the counts are those of an earlier use
}

// listWorkspaces asks the daemons that run what their ledgers hold. Errors: unavailable.
func listWorkspaces(ctx context.Context, a *action, _ []string) (workspacesAnswer, error) {
	out := workspacesAnswer{State: filepath.Dir(a.place.UserState), Ledgers: []ledgerOnDisk{}}
	list, err := allLedgers(ctx, a.Env, a.place)
	asked, cancel := context.WithTimeout(ctx, askAll)
	defer cancel()
	for _, l := range list {
		at := ledgerOnDisk{Ledger: l}
		_ = workspace.EachFile(ctx, l.State, func(_ string, size int64) { at.Disk += size }) // as far as it can be read
		at.PID, at.Open = link.Running(l.State)
		at.Old = at.Open && !askOwner(asked, l.State, &at.Place)
		out.Ledgers = append(out.Ledgers, at)
	}
	return out, err
}

// askAll is how long daemons are asked, all together: one may hang.
const askAll = 2 * time.Second

// allLedgers returns the ledgers of all directories, those first that may be of ws's project. It asks the daemons that those of
// no directory still have what they hold. Errors: unavailable.
func allLedgers(ctx context.Context, e env.Env, ws workspace.Workspace) ([]workspace.Ledger, error) {
	list, err := workspace.Ledgers(e, ws)
	if err != nil {
		return nil, fault.Wrap(fault.Unavailable, "cli.workspaces", err)
	}
	ctx, cancel := context.WithTimeout(ctx, askAll)
	defer cancel()
	for i, l := range list {
		if l.Left == "" && l.State != ws.State {
			continue
		}
		askOwner(ctx, l.State, &list[i].Place)
	}
	return list, nil
}

// askOwner has the daemon that has a ledger open, if one does and answers, say what it holds by now. It reports whether that did.
func askOwner(ctx context.Context, state string, p *workspace.Place) bool {
	st, err := daemon.Status(ctx, state)
	if err != nil || st.Info.State == "" {
		return false
	}
	p.Sessions, p.Memories, p.Bytes = st.Info.Sessions, st.Info.Memories, st.Info.Bytes
	return true
}

// printWorkspaces lists ledgers in a table.
func printWorkspaces(a *action, w io.Writer, out workspacesAnswer) {
	if len(out.Ledgers) == 0 {
		fmt.Fprintln(w, "no directory has a ledger yet")
		return
	}
	ws, disk, unused := a.place, int64(0), ""
	t := a.newTable("LEDGER", ">SESSIONS", ">MEMORIES", ">ON DISK", "USED", ">OWNER", "STATE", "DIRECTORY")
	t.Wide = true // half a name cannot be adopted
	for _, l := range out.Ledgers {
		state, owner := l.Left, "-"
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
		switch {
		case l.PID > 0:
			owner = fmt.Sprint(l.PID)
		case l.Open:
			owner = "unknown"
		}
		sessions, memories := chars.Commas(l.Sessions), chars.Commas(l.Memories)
		if l.Old {
			sessions, memories, state = "-", "-", state+", its owner does not say what it holds"
		}
		if l.Left != "" && unused == "" {
			unused = l.State
		}
		disk += l.Disk
		t.Add(l.Name, sessions, memories, chars.Size(l.Disk), a.stamp(l.Used), owner, strings.TrimPrefix(state, ", "),
			l.Root)
	}
	t.Print(w)
	fmt.Fprintf(w, "\n%s, %s in %s\n", chars.Plural(len(out.Ledgers), "ledger"), chars.Size(disk),
		columns.OneLine(out.State))
	if unused != "" {
		fmt.Fprintf(w, "no directory uses %s: to delete it with its sessions, delete the directory %s\n",
			columns.OneLine(filepath.Base(unused)), columns.OneLine(unused))
	}
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
		lines = append(lines, fmt.Sprintf("not used by any directory: %s, with %s and %s; `ctxledger "+
			"workspaces` lists them", chars.Plural(others, "ledger"), chars.Plural(sessions, "session"),
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
