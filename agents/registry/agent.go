package registry

import (
	"cmp"
	"context"
	"slices"

	"ctxledger.dev/agents/hook"
	"ctxledger.dev/agents/sessionfile"
	"ctxledger.dev/carried"
	"ctxledger.dev/internal/agentname"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/ledger"
	"ctxledger.dev/mcp/overhead"
	"ctxledger.dev/sessions"
)

// Agent is all that ctxledger knows of one coding agent. All fields but Name and Title may be zero: then nothing of the
// kind is done for it.
type Agent struct {
	Name  sessionfile.Agent // as sessions and answers have it; agentname has what else it is called
	Title string            // for people
	// Sessions recognises its session files, and reads them if it has a Decoder.
	Sessions sessionfile.Adapter
	// Write writes sessions that it goes on with, or says why it cannot.
	Write sessionfile.Writer
	Install
	// Hooks answers an event of its hooks.
	Hooks func(ctx context.Context, o hook.Options, event string, raw []byte) (hook.Answer, error)
	// Carried finds what its requests carry besides the conversation.
	Carried carried.Loading
	// Reads returns arguments and variables with which it may call our tool that reads stubs, without asking. Unless it is
	// connected, they give it our server with that one tool; there are none for one that has to be connected. workspace is whose
	// ledger the server has, "" the one of its directory. nil: its requests are not made smaller.
	Reads func(program, workspace string, connected bool) (args, variables []string)
	// Client is its client of MCP.
	Client Client
	// Running returns its processes that descend from some others: see claudecode.Running.
	Running func(e env.Env, below []int) []sessionfile.Process
	// CompactsAt returns at how many tokens it compacts automatically a session in a tree, as it is set for it: see
	// claudecode.AutoCompact.
	CompactsAt func(e env.Env, tree, model, version string, window int) (at int, why string)
	// Window returns the window that it gives the model of a session in a tree: see claudecode.Window.
	Window func(e env.Env, tree, model string) int
	// Settings returns the paths of the files that CompactsAt and Window read.
	Settings func(e env.Env, tree string) []string
}

// readBack returns the arguments of a server that has the tool which reads stubs alone. workspace is as for Agent.Reads.
func readBack(workspace string) []string {
	if workspace == "" {
		return []string{"--read-back"}
	}
	return []string{"--read-back", "--workspace", workspace}
}

// Of returns the agent that has a name, in any of its spellings; the zero value: it is not known.
func Of(name string) Agent {
	for _, a := range All() {
		if string(a.Name) == agentname.Key(name) {
			return a
		}
	}
	return Agent{}
}

// Names returns the names of those agents that are as is says.
func Names(is func(a Agent) bool) (out []string) {
	for _, a := range All() {
		if is(a) {
			out = append(out, string(a.Name))
		}
	}
	return out
}

// Sessions returns what recognises the session files of all agents.
func Sessions() (out []sessionfile.Adapter) {
	for _, a := range All() {
		a.Sessions.Agent = a.Name
		out = append(out, a.Sessions)
	}
	return out
}

// Carried returns what is known of what requests of agents carry.
func Carried() (out []carried.Loading) {
	for _, a := range All() {
		if l := a.Carried; l.Known() {
			l.Name, l.Title, l.Own = string(a.Name), a.Title, cmp.Or(a.Client.Tokens, overhead.Tokens)
			out = append(out, l)
		}
	}
	return out
}

// OwnTools returns what requests of a session carry of our own tools, as its agent is configured; of sessions whose tree is not
// known in a tree.
func OwnTools(e env.Env, tree string) func(s sessions.Session) *ledger.OwnTools {
	return func(s sessions.Session) *ledger.OwnTools {
		other := func(l carried.Loading) bool { return l.Name != s.Host }
		found := carried.Find(context.Background(), carried.Options{Agents: slices.DeleteFunc(Carried(), other),
			Root: cmp.Or(s.Tree, tree), Env: e, Ran: carried.RanIn(s)})
		return found.OwnTools(s.Host)
	}
}

// AutoCompact returns at how many tokens the agent of a session compacts automatically, as it is set for it, of sessions
// whose tree is not known in a tree. Of most agents nothing is known.
func AutoCompact(e env.Env, tree string) func(s sessions.Session, window int) (at int, why string) {
	return func(s sessions.Session, window int) (int, string) {
		if a := Of(s.Host); a.CompactsAt != nil {
			return a.CompactsAt(e, cmp.Or(s.Tree, tree), s.Model, s.Version, window)
		}
		return 0, ""
	}
}

// Window returns the window that the agent of a session gives its model: see AutoCompact.
func Window(e env.Env, tree string) func(s sessions.Session) int {
	return func(s sessions.Session) int {
		if a := Of(s.Host); a.Window != nil {
			return a.Window(e, cmp.Or(s.Tree, tree), s.Model)
		}
		return 0
	}
}

// Settings returns the paths of the files by which agents compact in a tree: see AutoCompact.
func Settings(e env.Env, tree string) (paths []string) {
	for _, a := range All() {
		if a.Settings != nil {
			paths = append(paths, a.Settings(e, tree)...)
		}
	}
	return paths
}

// recognised is what there is for session files that are not read.
func recognised(k sessionfile.Kind) sessionfile.Adapter { return sessionfile.Adapter{Kind: k} }
