package agentname_test

import (
	"testing"

	"ctxledger.dev/internal/agentname"
)

func TestOf(t *testing.T) {
	for name, want := range map[string]string{
		"gemini": "gemini", "gemini-cli": "gemini", "Gemini CLI": "gemini", "gemini-cli-mcp-client": "gemini",
		"claude-code": "claude-code", "claude": "claude-code", "Claude Code": "claude-code",
		"claude_code":      "claude-code",
		"codex-mcp-client": "codex", "qwen-cli-mcp-client-ctxledger": "qwen", "Qwen Code": "qwen",
		"@cline/core": "cline", "claude-ai": "claude-desktop", "Copilot CLI": "copilot", "opencode-ai": "opencode",
		"tester": "tester", "The Tester": "The Tester", "": "", "-mcp-client": "-mcp-client", "geminis": "geminis",
	} {
		if got := agentname.Of(name); got != want {
			t.Errorf("%q is %q, want %q", name, got, want)
		}
	}
	if got := agentname.Key("The Tester"); got != "the tester" {
		t.Errorf("the key is %q", got)
	}
}
