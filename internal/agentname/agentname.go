// Package agentname knows the one name of each coding agent, what else people and programs call it, and by which variables
// the processes that it starts know it.
//
// Start at Of. It is what every program links, also ctxhook. The package deliberately does not say what can be done for an
// agent: agents/registry does.
package agentname

import (
	"cmp"
	"slices"
	"strings"
)

// Agent is what is known of an agent everywhere.
type Agent struct {
	Name string
	// Aliases are the other names under which it is known: those of its program, of its package, of its client of MCP, and
	// those that people write.
	Aliases []string
	// Project and Session are the variables with the project's directory and with its id of the session, "" for none.
	Project, Session string
	// Hooks are the variables that say to a hook where its files are. nil: its hooks are not answered.
	Hooks []string
	// Compacts is the command of its chat that compacts the conversation; "": none is known.
	Compacts string
}

// agents are those that are known, before others whose variables they set as well, for compatibility.
var agents = []Agent{
	{Name: "cursor", Aliases: []string{"cursor-agent", "cursor-cli"}},
	{Name: "copilot", Aliases: []string{"github-copilot", "copilot-cli"}},
	{Name: "pi", Aliases: []string{"pi-coding-agent"}},
	{Name: "cline", Aliases: []string{"cline-cli", "@cline/core"}},
	{Name: "opencode", Aliases: []string{"opencode-ai", "open-code"}},
	{Name: "qwen", Aliases: []string{"qwen-code", "qwen-cli"}, Project: "QWEN_PROJECT_DIR",
		Session: "QWEN_CODE_SESSION_ID"},
	{Name: "gemini", Aliases: []string{"gemini-cli"}, Project: "GEMINI_PROJECT_DIR", Session: "GEMINI_SESSION_ID"},
	{Name: "codex", Aliases: []string{"codex-cli", "openai-codex"}, Compacts: "/compact"},
	{Name: "claude-desktop", Aliases: []string{"claude-ai"}},
	{Name: "claude-code", Aliases: []string{"claude", "claudecode"}, Project: "CLAUDE_PROJECT_DIR",
		Session: "CLAUDE_CODE_SESSION_ID", Hooks: []string{"CLAUDE_CONFIG_DIR", "CLAUDE_PROJECT_DIR"},
		Compacts: "/compact"},
}

// All returns the agents that are known. The first that has a value for something counts.
func All() []Agent { return slices.Clone(agents) }

// Named returns the agent that is called name, in any case and with spaces; the zero value: it is not known here.
func Named(name string) Agent {
	key := strings.NewReplacer(" ", "-", "_", "-").Replace(strings.ToLower(strings.TrimSpace(name)))
	key, _, _ = strings.Cut(key, "-mcp-client") // as clients of MCP call themselves
	i := slices.IndexFunc(agents, func(a Agent) bool { return key == a.Name || slices.Contains(a.Aliases, key) })
	if i < 0 {
		return Agent{}
	}
	return agents[i]
}

// Of returns the one name of the agent that is called name: "gemini" for "Gemini CLI". A name of no agent that is known here
// is returned as it is.
func Of(name string) string { return cmp.Or(Named(name).Name, name) }

// Same reports whether two names are of one agent.
func Same(a, b string) bool { return Key(a) == Key(b) }

// Key returns Of in lower case, for tables of agents by their names.
func Key(name string) string { return strings.ToLower(Of(name)) }
