package cli

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"ctxledger.dev/agents/install"
	"ctxledger.dev/agents/registry"
	"ctxledger.dev/agents/sessionfile"
	"ctxledger.dev/carried"
	"ctxledger.dev/cli/columns"
	"ctxledger.dev/ledger"
)

// doctorReport says how far ctxledger works on this machine.
type doctorReport struct {
	Programs registry.Programs `json:"programs"`
	Problem  string            `json:"problem,omitempty"` // why our programs are not known
	Daemon   daemonState       `json:"daemon"`
	Agents   []agentState      `json:"agents"`
	// Index is what the configuration has a hook list when a session of Claude Code begins; nil: nothing.
	Index *carried.Part `json:"index,omitempty"`
	// Others says of each ledger of this place that is not in use what it is and how to see it.
	Others []string `json:"other_ledgers,omitempty"`
	Self   self     `json:"-"` // how the commands that it names start
}

// daemonState is the state of the owner of the ledger of this place.
type daemonState struct {
	Running bool   `json:"running"`
	PID     int    `json:"pid,omitempty"`
	Version string `json:"version,omitempty"`
	Problem string `json:"problem,omitempty"` // why it does not answer
	// Polling says why it polls files that it should watch; nil: it watches them.
	Polling *ledger.Polling `json:"polling,omitempty"`
}

// agentState is one agent of the report.
type agentState struct {
	Agent sessionfile.Agent `json:"agent"`
	Label string            `json:"label"`
	install.Found
	State   string           `json:"state"`         // one of the constants below
	Fix     string           `json:"fix,omitempty"` // the command that fixes it, or which file to correct
	Entries []install.Status `json:"entries,omitempty"`
	Plugin  *install.Plugin  `json:"plugin,omitempty"` // of ours, that the agent has enabled
	Support []supported      `json:"support"`
}

// supported is an ability of an agent, as it is now.
type supported struct {
	registry.Support
	Now string `json:"now"` // yes, off, later or no
}

// The states of an agent.
const (
	notFound     = "not found"
	notConnected = "not connected"
	partly       = "partly connected"
	connected    = "connected"
	byPlugin     = "connected by its plugin"
	twice        = "connected twice" // by its plugin, and by hooks
	broken       = "broken"
)

// doctor looks at some agents, or at all for no names. It starts nothing and changes nothing. unreached is why the daemon
// did not answer, nil if it did or does not run. Errors: those of meant, for names.
func (s setup) doctor(names []string, d daemonState, unreached error) (doctorReport, error) {
	if unreached != nil {
		d.Problem = unreached.Error()
	}
	if len(names) > 0 {
		if _, err := s.meant(names); err != nil {
			return doctorReport{}, err
		}
	}
	r := doctorReport{Programs: s.Machine.Programs, Daemon: d, Self: s.self}
	if s.incomplete != nil {
		r.Problem = s.incomplete.Error()
	}
	for _, h := range install.Hosts() {
		if named := isOne(names, h); named || len(names) == 0 {
			r.Agents = append(r.Agents, s.agent(h, named))
		}
	}
	return r, nil
}

// agent looks at one agent. One of which there are only sessions is here if it was named, as for install.
func (s setup) agent(h registry.Agent, named bool) agentState {
	a := agentState{Agent: h.Name, Label: h.Title, Found: s.Machine.Find(h), State: notFound}
	if a.Installed() || named && a.Sessions {
		connect := string(s.self) + " install " + string(h.Name) + s.replacing(h)
		a.Entries = s.Machine.Check(h, registry.User)
		if inTree := s.Machine.Check(h, registry.Project); slices.ContainsFunc(inTree, there) {
			if !slices.ContainsFunc(a.Entries, there) {
				a.Entries, connect = nil, connect+" --project"
			}
			a.Entries = append(a.Entries, inTree...)
		}
		a.State, a.Fix = stateOf(a.Entries, connect)
		if a.Plugin = s.Machine.Plugin(h); a.Plugin != nil {
			a.State, a.Fix = byPlugin, ""
			if slices.ContainsFunc(a.Entries, isHook) {
				a.State, a.Fix = twice, a.Plugin.Off
			}
		}
	}
	for _, x := range h.Support {
		a.Support = append(a.Support, supported{x, a.now(x)})
	}
	return a
}

// serves reports whether an agent starts our MCP server, as it would be written now.
func (s setup) serves(h registry.Agent) bool {
	entries := slices.Concat(s.Machine.Check(h, registry.User), s.Machine.Check(h, registry.Project))
	return s.Machine.Plugin(h) != nil || slices.ContainsFunc(entries, func(e install.Status) bool {
		return e.State == install.Connected && !isHook(e)
	})
}

func there(s install.Status) bool { return s.State != install.Missing }

// isHook reports whether an entry is a hook of ours that the agent runs.
func isHook(s install.Status) bool {
	return strings.HasPrefix(s.Entry, "hooks.") && (s.State == install.Connected || s.State == install.Differs)
}

// replacing returns the flag without which connecting an agent leaves what others wrote under our name; "" if there is
// nothing of that kind.
func (s setup) replacing(h registry.Agent) string {
	if p, err := s.Machine.Connect(h, registry.User, false); err != nil || len(p.Conflicts) == 0 {
		return ""
	}
	return " --replace"
}

// stateOf sums up entries, and returns the command that fixes what is wrong, or which file to correct.
func stateOf(entries []install.Status, command string) (state, fix string) {
	count := map[install.State]int{}
	problem, unread := false, ""
	for _, e := range entries {
		count[e.State]++
		problem = problem || e.Problem != ""
		if e.State == install.Unread {
			unread = e.Path
		}
	}
	switch {
	case unread != "":
		return broken, "correct " + unread
	case problem:
		return broken, command
	case count[install.Connected] == len(entries):
		return connected, ""
	case count[install.Differs]+count[install.Connected] > 0:
		return partly, command
	}
	return notConnected, command
}

// now says how an ability is at present.
func (a agentState) now(x registry.Support) string {
	switch {
	case x.Level == registry.Later:
		return "later"
	case x.Level == registry.Cannot:
		return "no"
	case a.State == notFound:
		return "off"
	case x.Ability == registry.Recording, a.Plugin != nil:
		return "yes"
	}
	for _, e := range a.Entries {
		is := e.Entry == "hooks."+x.Hook || x.Hook == "" && !strings.HasPrefix(e.Entry, "hooks.")
		if is && e.State == install.Connected && e.Problem == "" {
			return "yes"
		}
	}
	return "off"
}

// The widths of a report, in columns: that of a screen, as far as it can be read.
const narrowest, widest = 80, 110

// maxOther bounds what is said of a ledger that is not in use, in columns: four paths fit.
const maxOther = 1000

// print shows the report for a screen of some width, 0 for none.
func (r doctorReport) print(w io.Writer, t *columns.Table, width int, line func(s string, n int) string) {
	width = min(max(width, narrowest), widest)
	t.Wide = true // half a command is none
	var missing []string
	for _, a := range r.Agents {
		if a.State == notFound {
			name := string(a.Agent)
			if a.Sessions {
				name += fmt.Sprintf(" (only session files; `ctxledger install %s` connects it anyway)", a.Agent)
			}
			missing = append(missing, name)
			continue
		}
		t.Add(string(a.Agent), cmp.Or(a.Version, "-"), a.State, a.Fix)
	}
	if len(missing) < len(r.Agents) {
		t.Print(w)
	}
	for _, a := range r.Agents {
		if a.State != notFound {
			fmt.Fprintln(w)
			a.print(w, width, line)
		}
	}
	if len(missing) < len(r.Agents) {
		fmt.Fprintln(w)
	}
	row := func(label, text string) {
		if text != "" {
			wrapped(w, fmt.Sprintf("%-12s", label), line(text, maxFound), width)
		}
	}
	row("not found", r.Self.in(strings.Join(missing, ", ")))
	row("programs", cmp.Or(r.Problem, r.Programs.CLI))
	if r.Problem == "" {
		row("", r.Programs.MCP)
		row("", r.Programs.Hook)
	}
	if r.Index != nil {
		row("index", r.Index.Later.Tokens()+" when "+r.Index.When+", by "+r.Index.Name)
	}
	for _, text := range r.Others {
		fmt.Fprintf(w, "ledger      %s\n", line(text, maxOther)) // a wrapped command cannot be pasted
	}
	row("daemon", r.Self.in(r.Daemon.String()))
	row("watching", r.Daemon.Polling.String())
}

// String says how the daemon is, in a few words.
func (d daemonState) String() string {
	switch {
	case d.Problem != "":
		return "does not answer: " + d.Problem + "; `ctxledger daemon stop` stops it"
	case d.Running:
		return fmt.Sprintf("answers, pid %d, version %s", d.PID, d.Version)
	}
	return "not running: the next command or agent starts it"
}

// print shows one agent: what is wrong with its entries, and what works.
func (a agentState) print(w io.Writer, width int, line func(s string, n int) string) {
	fmt.Fprintf(w, "%s: %s\n", a.Label, a.State)
	if program := registry.Of(string(a.Agent)).Program; a.Program == "" && program != "" {
		wrapped(w, "  !      ", "no program "+program+" in PATH: only its configuration was found", width)
	}
	if a.State == twice {
		wrapped(w, "  !      ", line("every hook runs twice: the plugin "+a.Plugin.Name+" is enabled in "+
			a.Plugin.Path+
			", too", maxFound), width)
	}
	if a.Plugin != nil {
		wrapped(w, "  !      ", "results shrink only if your settings allow "+
			"mcp__plugin_ctxledger_ctxledger__read_artifact", width)
	}
	shown := map[string]bool{}
	for _, e := range a.Entries {
		text := ""
		switch {
		case e.State == install.Unread && !strings.Contains(e.Problem, e.Path):
			text = e.Path + ": " + e.Problem + "; correct the file or move it, then run install"
		case e.Problem != "":
			text = e.Problem
		case e.State == install.Differs:
			text = e.Entry + " in " + e.Path + " is not what ctxledger would write"
			if e.Entry == "hooks.PostToolUse" {
				text += "; large results may be sent in full"
			}
		}
		if text != "" && !shown[text] {
			shown[text] = true
			wrapped(w, "  !      ", line(text, maxFound), width)
		}
	}
	var coming []string
	for _, s := range a.Support {
		text := s.Ability.Describe()
		switch s.Now {
		case "later":
			coming = append(coming, text)
			continue
		case "no":
			text += ": " + s.Why
		}
		wrapped(w, fmt.Sprintf("  %-5s  ", s.Now), text, width)
	}
	if len(coming) > 0 {
		wrapped(w, "  later  ", strings.Join(coming, ", "), width)
	}
}

// wrapped prints a text behind a label, on as many lines as it needs.
func wrapped(w io.Writer, label, text string, width int) {
	fmt.Fprintln(w, columns.Fold(label+strings.Join(strings.Fields(text), " "), width, len(label)))
}
