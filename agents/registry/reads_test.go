package registry_test

import (
	"slices"
	"strings"
	"testing"

	"ctxledger.dev/agents/registry"
)

// TestAgentsReadStubs: each gets a server only where it has none, by arguments that take nothing of what follows.
func TestAgentsReadStubs(t *testing.T) {
	for agent, begins := range map[string][]string{
		"claude-code": {"--mcp-config={", "--allowedTools=mcp__ctxledger__"},
		"codex":       {"-c", "mcp_servers.ctxledger."},
		"opencode":    {},
		"gemini":      {},
	} {
		for _, connected := range []bool{false, true} {
			args, variables := registry.Of(agent).Reads("/opt/ctxmcp", "/w", connected)
			for _, arg := range args {
				if !slices.ContainsFunc(begins, func(s string) bool { return strings.HasPrefix(arg, s) }) {
					t.Errorf("%s gets %q", agent, arg)
				}
			}
			given := strings.Join(append(args, variables...), " ")
			if agent == "gemini" { // it has to be connected
				if given != "" {
					t.Errorf("%s gets %s", agent, given)
				}
				continue
			}
			if connected == strings.Contains(given, "--read-back") || connected == strings.Contains(given, `"/w"`) ||
				len(args) > 0 && !strings.Contains(given, "read_artifact") {
				t.Errorf("%s, connected %v: %s", agent, connected, given)
			}
		}
	}
}
