package pages

import (
	"cmp"
	"fmt"
	"path/filepath"
	"strings"

	"ctxledger.dev/agents/registry"
	"ctxledger.dev/cli/columns"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/shell"
	"ctxledger.dev/ledger"
	"ctxledger.dev/workspace"
)

// Status is what the status command answers.
type Status struct {
	Ledger ledger.Info `json:"ledger"`
	Found  string      `json:"found"` // how the workspace was found, or why there is none
	// Apart says why the ledger is not that of the repository which the workspace's .git names.
	Apart string `json:"apart,omitempty"`
	// Others are ledgers of this place that are not in use, and Elsewhere what is said of these and of those that no
	// directory uses any more.
	Others    []workspace.Other `json:"others,omitempty"`
	Elsewhere []string          `json:"other_ledgers,omitempty"`
	Session   *ledger.Status    `json:"session,omitempty"`
	// Newest is the newest session file of this directory, if no session is known; "": no agent left one.
	Newest string `json:"newest_file,omitempty"`
	// Unread says why nothing is known of the session; "": something is recorded of it.
	Unread           string `json:"unread,omitempty"`
	registry.OwnCost        // where our MCP server is registered
	Ceiling          int64  `json:"ceiling"` // bytes of the ledger above which the user wants to be warned; 0: none
	// Recording says whether and where session files being followed was set; Summarizer the same of the model that
	// writes, and whether it may be used. "": nothing was.
	Recording  string `json:"recording,omitempty"`
	Summarizer string `json:"summarizer,omitempty"`
	Candidates int    `json:"candidates,omitempty"` // for memory
	// Told is what a hook tells a session that begins, where hooks are connected.
	Told []string `json:"told,omitempty"`
}

// Status draws a session's window, and what the ledger holds.
func (p Page) Status(s Status, ranIn, limits string) {
	out := p.W
	var b strings.Builder
	p.W = &b
	switch {
	case s.Unread != "":
		fmt.Fprintf(p.W, "session    %s, of %s: nothing known about it, %s\n\n", s.Session.Session.ID,
			s.Session.Session.Host, p.Own(s.Unread))
	case s.Session != nil:
		p.window(*s.Session, ranIn, limits)
		p.Proxy(s.Session.Proxy)
		p.Spent(s.Session.Spent)
		fmt.Fprintln(p.W)
	}
	p.ledger(s)
	fmt.Fprintf(p.W, "own cost   ctxledger's tools: %s; only where ctxmcp is registered\n", s.OwnCost)
	injected := "nothing when a session begins"
	if len(s.Told) > 0 {
		injected = "hooks tell each new session " + strings.Join(s.Told, ", ") + ", where they are connected"
	}
	fmt.Fprintf(p.W, "injected   %s\n", injected)
	p.W = out
	p.rows(b.String())
	if s.Session == nil {
		none := p.NoSession(s.Ledger, s.Newest)
		if s.Ledger.Workspace == "" {
			none = []string{"no workspace here, so no session: run it in a project's directory, or name one with --workspace"}
		}
		fmt.Fprintln(p.W, "\n"+strings.Join(none, "\n  "))
	}
}

// ledger says which ledger this is, what it holds and who owns it.
func (p Page) ledger(s Status) {
	w, l := p.W, s.Ledger
	fmt.Fprintf(w, "workspace  %s\n", columns.OneLine(cmp.Or(l.Workspace, "none: "+s.Found)))
	p.say(s.Apart != "", "           has a ledger of its own: %s", columns.OneLine(s.Apart))
	for _, text := range s.Elsewhere {
		fmt.Fprintf(w, "           %s\n", columns.OneLine(text))
	}
	fmt.Fprintf(w, "ledger     %s, %s, %s, %s of records and blobs on disk\n", chars.Plural(l.Sessions, "session"),
		chars.Plural(l.Artifacts, "artifact"), chars.Plural(l.Memories, "memory"), chars.Size(l.Bytes))
	fmt.Fprintf(w, "kept in    %s\n", columns.OneLine(l.State))
	p.say(s.Recording != "", "recording  %s", columns.OneLine(p.Own(s.Recording)))
	p.say(s.Summarizer != "", "summaries  %s", columns.OneLine(p.Own(s.Summarizer)))
	p.say(s.Candidates > 0, "memory     %s", p.Own(chars.Plural(s.Candidates, "candidate")+
		" for memory: `ctxledger memory candidates` lists them"))
	p.Ceiling(l.Bytes, s.Ceiling, "`ctxledger ledger du` shows what uses them")
	if l.InProcess {
		fmt.Fprintln(w, "owner      this process")
		p.Trouble(l)
		return
	}
	following := "not following session files"
	if l.Following {
		following = "following session files"
	}
	others := "no other client"
	if l.Clients > 1 {
		others = chars.Plural(l.Clients-1, "other client")
	}
	fmt.Fprintf(w, "owner      daemon, pid %d, since %s, %s, idle for %.0f s, %s\n",
		l.PID, p.Stamp(l.Started), others, l.Idle, following)
	p.Trouble(l)
}

// Trouble names the background tasks of an owner that do not do their work, or not as they should.
func (p Page) Trouble(l ledger.Info) {
	p.say(l.Polling.String() != "", "watching   %s", columns.OneLine(l.Polling.String()))
	for _, t := range l.Tasks {
		p.say(t.Trouble() != "", "trouble    %s", columns.OneLine(t.Trouble()))
	}
}

// Ceiling warns if a ledger is larger than its user wants, and says what to do.
func (p Page) Ceiling(bytes, ceiling int64, out string) {
	p.say(ceiling > 0 && bytes > ceiling, "large: %s, above the ledger_warn_mb limit of %s; %s", chars.Size(bytes),
		chars.Size(ceiling), p.Own(out))
}

// NoSession says, in lines, that a place has no sessions and which commands find some. newest is the newest session file that an
// agent left there; "": none.
func (p Page) NoSession(l ledger.Info, newest string) []string {
	none, why := "no session is recorded here", l.NotFollowed("")
	if l.Sessions > 0 {
		none = "no session in this tree is recorded"
	}
	switch {
	case why != "":
		none += ", and " + why
	case l.Sessions == 0:
		none += " yet: only sessions of the last day are read automatically"
	}
	lines := []string{none, "`ctxledger import FILE` reads a session file"}
	if newest != "" {
		lines = []string{none, "`ctxledger import " + shell.Quote(newest) + "` reads the newest",
			"`ctxledger import " + shell.Quote(filepath.Dir(newest)) + "` reads all in its directory"}
	}
	if l.Sessions > 0 {
		lines = append(lines, "`ctxledger sessions` lists those of other trees")
	}
	for i := range lines {
		lines[i] = p.Own(lines[i])
	}
	return lines
}

// Proxy says what a proxy measured; nil: nothing.
func (p Page) Proxy(u *ledger.ProxyUse) {
	if u == nil {
		return
	}
	fmt.Fprintf(p.W, "measured   %s", u.Words())
	fmt.Fprintf(p.W, "\n           first byte after %s ms (median)\n", chars.Commas(u.FirstMS))
	if u.Reduced != nil {
		fmt.Fprintf(p.W, "reduced    %s; the window usage that the agent shows is based on what was sent\n", u.Reduced.Words())
	}
	head := "cache"
	for _, b := range u.Broke {
		fmt.Fprintf(p.W, "%-11s%s\n", head, columns.OneLine(b.Words()))
		head = ""
	}
	more := u.Breaks - len(u.Broke)
	p.say(more > 0, "           and %s, %s tokens in all", chars.Plural(more, "earlier break"), chars.Commas(u.Lost))
	p.say(len(u.Tools) > 0, "tools      in each request, tokens by server: %s", columns.OneLine(u.ToolsWords()))
	p.say(u.Missed > 0, "missed     %s not recorded: %s", chars.Plural(u.Missed, "request"),
		columns.OneLine(u.MissedWhy))
}

// Spent says what was used of each limit.
func (p Page) Spent(all []ledger.Spent) {
	for _, s := range all {
		head := "limit"
		if s.Reached() {
			head = "reached"
		}
		fmt.Fprintf(p.W, "%-11s%s\n", head, columns.OneLine(s.String()))
	}
}
