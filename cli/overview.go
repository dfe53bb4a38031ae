package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"ctxledger.dev/agents"
	"ctxledger.dev/agents/install"
	"ctxledger.dev/agents/sessionfile"
	"ctxledger.dev/cli/columns"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/shell"
	"ctxledger.dev/workspace"
)

// program is what runs without a command.
func program() command {
	return command{
		short: "Shows what an agent's context costs, keeps it small, and loses nothing",
		long: "ctxledger records what happened in a coding agent's sessions: messages, tool calls, file changes, memory and " +
			"artifacts. Every smaller view of a session is derived from that record, and can be undone. Without a command it " +
			"shows what it finds in this directory and what to do next; it writes nothing and starts nothing.\n\n" +
			"SESSION is a session's id, the first few characters of it, or the agent's own id. Without one, the session of " +
			"the agent that runs the command is used, or else the newest here.",
		example: "ctxledger audit\nctxledger status\nctxledger compact",
		does:    keeps, json: answers(overview{}), at: shows(lookAround, printOverview),
	}
}

// overview is what there is in a directory before anything is done in it.
type overview struct {
	Workspace string           `json:"workspace,omitempty"` // "": there is none
	Found     string           `json:"found"`               // how it was found, or why there is none
	Sessions  []agents.Found   `json:"session_files"`
	Ledger    *workspace.Place `json:"ledger,omitempty"` // what it holds, or held at its last use; nil: none
	Agents    []agentIs        `json:"agents"`           // those on this machine
	Others    []string         `json:"other_ledgers,omitempty"`
	Next      nextStep         `json:"next"`
	unused    []string         // how agents are connected of which there are only sessions
}

// agentIs says whether an agent is connected, in the words of doctor.
type agentIs struct {
	Agent sessionfile.Agent `json:"agent"`
	State string            `json:"state"`
}

// nextStep is a command and what it does.
type nextStep struct {
	Command string `json:"command"`
	Does    string `json:"does"`
}

// lookAround only reads: it opens no ledger and starts no daemon.
func lookAround(ctx context.Context, a *action, _ []string) (out overview, err error) {
	ws := a.place
	out = overview{Workspace: ws.Root, Found: ws.Why, Sessions: []agents.Found{}, Agents: []agentIs{},
		Others: otherLedgers(ctx, a, ws, "status")}
	if ws.Root != "" {
		out.Sessions = append(out.Sessions, agents.Find(agents.FollowOptions{Workspace: ws.Root, Env: a.Env})...)
	}
	if workspace.HoldsLedger(ws.State) {
		place := workspace.ReadPlace(ws.State)
		asked, stop := context.WithTimeout(ctx, askAll)
		askOwner(asked, ws.State, &place)
		stop()
		out.Ledger = &place
	}
	s, err := newSetup(a.Env, ws, false)
	if err != nil {
		return out, err
	}
	for _, h := range install.Hosts() {
		if one := s.agent(h, false); one.Installed() {
			out.Agents = append(out.Agents, agentIs{h.Name, one.State})
		} else if one.Sessions {
			out.unused = append(out.unused, onlySessions(h))
		}
	}
	out.Next = out.next()
	return out, nil
}

// next returns what helps most.
func (o overview) next() nextStep {
	in := func(states ...string) bool {
		return slices.ContainsFunc(o.Agents, func(c agentIs) bool { return slices.Contains(states, c.State) })
	}
	last := newest(o.Sessions)
	switch {
	case in(broken, partly, twice):
		return nextStep{"doctor", "shows what is wrong with the connection, and what to do"}
	case o.Workspace == "" && (len(o.Agents) == 0 || in(connected, byPlugin)):
		return nextStep{"--workspace DIRECTORY", "shows a project; this directory is none"}
	case len(o.Sessions) > 0 && o.Ledger == nil && !in(connected, byPlugin):
		return nextStep{"audit", "shows what your past sessions cost, and why; it only reads them"}
	case last.Old && (o.Ledger == nil || o.Ledger.Sessions == 0):
		return nextStep{"import " + shell.Quote(last.File),
			"reads the newest session, too old to be read automatically"}
	case in(connected, byPlugin) && len(o.Sessions) == 0 && o.Ledger == nil:
		return nextStep{"status", "shows what fills a session's window, once an agent has begun one here"}
	case in(connected, byPlugin), o.Ledger != nil && len(o.Agents) == 0:
		return nextStep{"status", "shows what fills the newest session's window"}
	case len(o.Agents) > 0:
		return nextStep{"install", "connects your agents; it shows what it would write, and asks"}
	}
	return nextStep{"count --tree", "shows how many tokens the files of this directory take"}
}

func printOverview(a *action, w io.Writer, o overview) {
	width, _ := screen(a.Out)
	row := func(label, text string) {
		const labelled = 11 // columns
		text = fmt.Sprintf("%-*s%s", labelled, label, text)
		if width > 2*labelled {
			text = columns.Fold(text, width, labelled)
		}
		fmt.Fprintln(w, text)
	}
	row("workspace", a.line(cmp.Or(o.Workspace, "none: "+o.Found), maxFound))
	var sessions, states []string
	for _, f := range o.Sessions {
		n := chars.Plural(f.Sessions, "session")
		if f.More {
			n = "at least " + n
		}
		n += " of " + string(f.Agent)
		if f.Resumed > 0 {
			n += fmt.Sprintf(" (%d written by `%s resume`)", f.Resumed, a.self)
		}
		sessions = append(sessions, n+", the newest file changed "+a.stamp(f.Newest))
	}
	row("sessions", cmp.Or(strings.Join(sessions, "; "), "none here"))
	row("ledger", o.ledger(a))
	for _, c := range o.Agents {
		states = append(states, fmt.Sprintf("%s: %s", c.Agent, c.State))
	}
	row("agents", a.self.in(cmp.Or(strings.Join(append(states, o.unused...), "; "), "none found on this machine")))
	for _, text := range o.Others {
		row("ledger", a.line(text, maxOther))
	}
	row("to see", a.self.in("what sessions cost (`ctxledger audit`), what fills a window (`ctxledger status`), how many tokens files take "+
		"(`ctxledger count`)"))
	row("next", a.self.in("`ctxledger "+o.Next.Command+"` "+o.Next.Does))
}

// ledger says what the ledger held.
func (o overview) ledger(a *action) string {
	switch {
	case o.Ledger == nil:
		return "none yet; the first command that needs one creates it, outside this directory"
	case o.Workspace == "":
		return "your own, for what all workspaces share"
	case o.Ledger.Used.IsZero():
		return "there is one"
	}
	return fmt.Sprintf("%s, %s, %s, used %s", chars.Plural(o.Ledger.Sessions, "session"),
		chars.Plural(o.Ledger.Memories, "memory"), chars.Size(o.Ledger.Bytes), a.stamp(o.Ledger.Used))
}
