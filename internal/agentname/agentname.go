// Package agentname knows the one name of each coding agent, and what else people and programs call it.
//
// Start at Of. The package deliberately does not say what can be done for an agent: each table of agents has that.
package agentname

import "strings"

// aliases are the names besides its own under which an agent is known: those of its program, of its package, of its
// client of MCP, and those that people write.
var aliases = map[string][]string{
	"claude-code":    {"claude", "claudecode"},
	"claude-desktop": {"claude-ai"},
	"codex":          {"codex-cli", "openai-codex"},
	"gemini":         {"gemini-cli"},
	"qwen":           {"qwen-code", "qwen-cli"},
	"opencode":       {"opencode-ai", "open-code"},
	"cline":          {"cline-cli", "@cline/core"},
	"pi":             {"pi-coding-agent"},
	"copilot":        {"github-copilot", "copilot-cli"},
	"cursor":         {"cursor-agent", "cursor-cli"},
}

// names are the names of agents by all that they are called.
var names = func() map[string]string {
	out := map[string]string{}
	for name, more := range aliases {
		out[name] = name
		for _, alias := range more {
			out[alias] = name
		}
	}
	return out
}()

// Of returns the one name of the agent that is called name, in any case and with spaces: "gemini" for "Gemini CLI". A
// name of no agent that is known here is returned as it is.
func Of(name string) string {
	key := strings.NewReplacer(" ", "-", "_", "-").Replace(strings.ToLower(strings.TrimSpace(name)))
	key, _, _ = strings.Cut(key, "-mcp-client") // as clients of MCP call themselves
	if known, ok := names[key]; ok {
		return known
	}
	return name
}

// Same reports whether two names are of one agent.
func Same(a, b string) bool { return Key(a) == Key(b) }

// Key returns Of in lower case, for tables of agents by their names.
func Key(name string) string { return strings.ToLower(Of(name)) }
