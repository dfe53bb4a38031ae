package registry_test

import (
	"strings"
	"testing"

	"ctxledger.dev/agents/registry"
)

// TestClaudeCodeReadsStubs: with arguments that take nothing of what follows, and a server only where it has none.
func TestClaudeCodeReadsStubs(t *testing.T) {
	for _, connected := range []bool{false, true} {
		args := registry.ClaudeReads("/opt/ctxmcp", "/w", connected)
		for _, arg := range args {
			if !strings.HasPrefix(arg, "--mcp-config={") && !strings.HasPrefix(arg, "--allowedTools=mcp__ctxledger__") {
				t.Errorf("Claude Code gets %q", arg)
			}
		}
		given := strings.Join(args, " ")
		if connected == strings.Contains(given, "--read-back") || connected == strings.Contains(given, `"/w"`) {
			t.Errorf("connected %v: %s", connected, given)
		}
	}
}
