package cli

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"ctxledger.dev/agents/install"
	"ctxledger.dev/agents/registry"
	"ctxledger.dev/agents/sessionfile"
	"ctxledger.dev/config"
	"ctxledger.dev/internal/agentname"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/workspace"
)

const setupOp = "cli.setup"

// setup connects and disconnects agents.
type setup struct {
	Machine install.Machine
	Scope   registry.Scope
	Replace bool // entries of our name that others have made are replaced

	self       self  // how the commands that it names start
	incomplete error // why our programs are not known, nil if they are
}

// newSetup returns the setup of the user's agents, or of those in a workspace. Errors: not_found if there is no workspace.
func newSetup(e env.Env, ws workspace.Workspace, project bool) (setup, error) {
	programs, err := findPrograms(e)
	// Whatever is wrong with files of settings, there are settings. The user's own alone decide about the user's files.
	own, _ := config.LoadOwn(e, ws.Root)
	tree, _ := config.Load(e, ws.Root, ws.State)
	s := setup{Scope: registry.User, self: selfOf(e), incomplete: err,
		Machine: install.Machine{Env: e, Root: ws.Root, State: ws.UserState, Programs: programs, Hooks: own.Hooks,
			TreeHooks: tree.Hooks}}
	if project {
		s.Scope = registry.Project
		if ws.Root == "" {
			return setup{}, fault.New(fault.NotFound, setupOp, "no project here").
				WithHint("run it in a project's directory, or omit --project")
		}
	}
	return s, nil
}

// findPrograms returns the paths of our programs that agents are to start: by the names under which they are in PATH,
// since these stay when a newer version comes, else where this program is.
func findPrograms(e env.Env) (registry.Programs, error) {
	own, err := os.Executable()
	if err != nil {
		return registry.Programs{}, fault.Wrap(fault.Unavailable, setupOp, err)
	}
	exe := ""
	if runtime.GOOS == "windows" {
		exe = ".exe"
	}
	dirs := []string{filepath.Dir(own)}
	for _, dir := range filepath.SplitList(e.Lookup("PATH")) {
		if filepath.IsAbs(dir) && sameFile(filepath.Join(dir, "ctxledger"+exe), own) {
			dirs = slices.Insert(dirs, 0, dir)
			break
		}
	}
	for _, dir := range dirs {
		p := registry.Programs{CLI: filepath.Join(dir, "ctxledger"+exe), MCP: filepath.Join(dir, "ctxmcp"+exe)}
		if install.CheckProgram(p.CLI) != nil || install.CheckProgram(p.MCP) != nil {
			continue
		}
		if hook := filepath.Join(dir, "ctxhook"+exe); install.CheckProgram(hook) == nil {
			p.Hook = hook
		}
		return p, nil
	}
	return registry.Programs{}, fault.New(fault.NotFound, setupOp, "ctxledger%s and ctxmcp%s are not both in %s",
		exe, exe, dirs[len(dirs)-1]).WithHint("put both in the same directory: agents are given their paths")
}

func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	y, also := os.Stat(b)
	return err == nil && also == nil && os.SameFile(x, y)
}

// isOne reports whether one of some names, in any of its spellings, is that of an agent.
func isOne(names []string, h registry.Agent) bool {
	return slices.ContainsFunc(names, func(n string) bool { return agentname.Key(n) == string(h.Name) })
}

// meant returns the agents of some names, each by any of them, or all that are on this machine. One of which there are only sessions has to be
// named. Errors: invalid for an unknown name; not_found for an agent that is not here, or if none is.
func (s setup) meant(names []string) (out []registry.Agent, err error) {
	left := "ctxledger knows " + strings.Join(registry.Names(connectable), ", ")
	for _, h := range install.Hosts() {
		named := isOne(names, h)
		found := s.Machine.Find(h)
		here := found.Installed()
		if found.Sessions && !here {
			left = onlySessions(h)
		}
		switch {
		case named && !here && !found.Sessions:
			return nil, fault.New(fault.NotFound, setupOp,
				"%s is not on this machine: no program in PATH and no configuration", h.Title).
				WithHint("install it, or put it in PATH, then try again")
		case named && s.Scope == registry.Project && !h.Projects:
			return nil, fault.New(fault.Invalid, setupOp, "%s has no per-project configuration", h.Title)
		case named, len(names) == 0 && here && (s.Scope == registry.User || h.Projects):
			out = append(out, h)
		}
	}
	for _, name := range names {
		if !connectable(registry.Of(name)) {
			return nil, noAgent(name, registry.Names(connectable))
		}
	}
	if len(out) == 0 {
		return nil, fault.New(fault.NotFound, setupOp, "no agent that ctxledger knows is on this machine").
			WithHint("%s", left)
	}
	return out, nil
}

// onlySessions says of an agent of which there are only sessions how it is connected.
func onlySessions(h registry.Agent) string {
	return fmt.Sprintf("%s has only session files here; `ctxledger install %s` connects it anyway", h.Title, h.Name)
}

// noAgent is the error for a name that none of some agents has.
func noAgent(name string, agents []string) error {
	meant := ""
	if like := alike(agentname.Key(name), agents); like != "" {
		meant = "did you mean " + like + "? "
	}
	return fault.New(fault.Invalid, setupOp, "no agent is called %.100q", name).
		WithHint("%sctxledger knows %s", meant, strings.Join(agents, ", "))
}

// lacking returns the program of an agent that is not in PATH; "": it is there, or the agent has none.
func lacking(e env.Env, agent string) string {
	h := registry.Of(agent)
	if (install.Machine{Env: e}).Find(h).Program != "" {
		return ""
	}
	return h.Program
}

// connectable reports whether ctxledger can be connected to an agent.
func connectable(a registry.Agent) bool { return a.Files != nil }

// plan plans what connects agents, or with undo disconnects them. One with a plugin of ours is not connected: hooks would run
// twice. Errors: those of Machine.Connect and Disconnect, for any of them.
func (s setup) plan(hosts []registry.Agent, undo bool) (setupPlan, error) {
	p := setupPlan{done: "connected"}
	if undo {
		p.done = "disconnected"
	}
	for _, h := range hosts {
		var q install.Plan
		var err error
		switch own := s.Machine.Plugin(h); {
		case undo:
			if q, err = s.Machine.Disconnect(h, s.Scope); err == nil {
				s.stays(&q, h)
			}
		case own != nil:
			q.Left = []install.Left{{Agent: h.Name, Why: fmt.Sprintf(
				"%s: connected by the plugin %s; to connect without it, first `%s`", h.Name, own.Name, own.Off)}}
		default:
			q, err = s.Machine.Connect(h, s.Scope, s.Replace)
		}
		if err != nil {
			return setupPlan{}, err
		}
		p.Add(q)
	}
	return p, nil
}

// stays says of an agent that is disconnected in one scope if it is still connected in the other one.
func (s setup) stays(p *install.Plan, h registry.Agent) {
	other, where, flag := registry.Project, "in this project", " --project"
	if s.Scope == registry.Project {
		other, where, flag = registry.User, "for all projects", ""
	}
	if slices.ContainsFunc(s.Machine.Check(h, other), there) {
		p.Same = nil
		p.Left = append(p.Left, install.Left{Agent: h.Name, Why: fmt.Sprintf(
			"%s: connected %s, where it stays: `%s uninstall %s%s` disconnects it", h.Name, where, s.self, h.Name, flag)})
	}
}

// setupPlan is what would change.
type setupPlan struct {
	install.Plan
	done string // what the agents are afterwards
}

// agents returns those that are changed, in the order of the table.
func (p setupPlan) agents() (out []sessionfile.Agent) {
	for _, c := range p.Changes {
		if !slices.Contains(out, c.Agent) {
			out = append(out, c.Agent)
		}
	}
	return out
}

// maxFound is how much of a foreign entry is shown, in columns.
const maxFound = 300

// printDiff shows the changes as a diff.
func (p setupPlan) printDiff(a *action, w io.Writer) {
	for _, c := range p.Changes {
		fmt.Fprint(w, diffOf(c, a.masks.String))
	}
}

// summarize says which files of which agents would change, and what of ours is in each, on a line each.
func (p setupPlan) summarize(a *action, w io.Writer) {
	var names []string
	for _, name := range p.agents() {
		names = append(names, string(name))
	}
	if len(p.Changes) > 0 {
		fmt.Fprintf(w, "%s: will be %s by changing %s:\n", strings.Join(names, ", "), p.done,
			chars.Plural(len(p.Changes), "file"))
	}
	for _, c := range p.Changes {
		how := ""
		switch {
		case c.New:
			how = " (new)"
		case c.Gone:
			how = " (removed)"
		}
		fmt.Fprintf(w, "  %s: %s\n", a.line(c.Path+how, maxFound), c.Holds)
	}
}

// print shows what would change, and what stays.
func (p setupPlan) print(a *action, w io.Writer, o editOptions) {
	if o.diff || o.dry {
		p.printDiff(a, w)
	} else {
		p.summarize(a, w)
	}
	line := a.line
	for _, c := range p.Conflicts {
		fmt.Fprintf(w, "%s in %s is not what ctxledger would write, and stays:\n  %s\n", line(c.Where, maxFound),
			line(c.Path, maxFound), line(c.Found, maxFound))
	}
	for _, l := range p.Left {
		fmt.Fprintln(w, line(l.Why, maxFound))
	}
	for _, name := range p.Same {
		if p.ignored(name) {
			fmt.Fprintf(w, "%s: already written, but not connected\n", name)
			continue
		}
		fmt.Fprintf(w, "%s: already %s\n", name, p.done)
	}
}

// ignored reports whether an agent does not read a file of the plan.
func (p setupPlan) ignored(a sessionfile.Agent) bool {
	return slices.ContainsFunc(p.Ignored, func(i install.Ignored) bool { return i.Agent == a })
}

// printDone says what was done, and what makes the agents notice.
func (p setupPlan) printDone(w io.Writer) {
	for _, a := range p.agents() {
		h := registry.Of(string(a))
		switch {
		case p.ignored(a):
			fmt.Fprintf(w, "%s: written, but not connected until you do that; doctor shows the current lines\n", a)
			continue
		case slices.ContainsFunc(p.Conflicts, func(c install.Conflict) bool { return c.Agent == a }):
			fmt.Fprintf(w, "%s: partly %s: entries named ctxledger that others wrote were kept\n", a, p.done)
			continue
		case slices.ContainsFunc(p.Left, func(l install.Left) bool { return l.Agent == a }):
			fmt.Fprintf(w, "%s: %s except for what is kept (see above); %s to apply this\n", a, p.done, h.Restart)
			continue
		}
		fmt.Fprintf(w, "%s: %s; %s to apply this\n", a, p.done, h.Restart)
	}
}

// setupAnswer is a plan as JSON.
type setupAnswer struct {
	Written   bool               `json:"written"`
	Changes   []changedFile      `json:"changes"`
	Conflicts []install.Conflict `json:"conflicts,omitempty"`
	Left      []string           `json:"left,omitempty"`
	Already   []string           `json:"already,omitempty"` // agents for which there was nothing to do
	Ignored   []string           `json:"ignored,omitempty"` // why agents do not read files, and what to do
}

// changedFile is the change of one file as JSON.
type changedFile struct {
	Agent string `json:"agent"`
	Path  string `json:"path"`
	Diff  string `json:"diff"`
}

// answer returns the plan as JSON.
func (p setupPlan) answer(a *action, written bool) setupAnswer {
	out := setupAnswer{Written: written, Changes: []changedFile{}, Conflicts: p.Conflicts}
	for _, l := range p.Left {
		out.Left = append(out.Left, l.Why)
	}
	for _, c := range p.Changes {
		out.Changes = append(out.Changes, changedFile{string(c.Agent), c.Path, diffOf(c, a.masks.String)})
	}
	for _, s := range p.Same {
		out.Already = append(out.Already, string(s))
	}
	for _, i := range p.Ignored {
		out.Ignored = append(out.Ignored, i.Why)
	}
	return out
}
