package excerpt

import "testing"

// What our own tools, our stubs and refused arguments say is nothing that the newest results said.
func TestWhatIsNoResultOfTheWork(t *testing.T) {
	for name, want := range map[string]bool{
		"mcp__ctxledger__context_status": true, "mcp__ctxledger__memory": true, "ctx_read_artifact": true,
		"Bash": false, "mcp__notes__memory": false, "changes": false,
	} {
		if OwnTool(name) != want {
			t.Errorf("%s is ours: %t", name, !want)
		}
	}
	for text, want := range map[string]bool{
		"[result offloaded — 12,345 chars stored to artifact store]\nTool: Bash\nArtifact: 0123456789ab\n": true,
		"<tool_use_error>InputValidationError: Grep failed due to the following issue:":                    true,
		"MCP error -32602: Invalid arguments for tool x":                                                   true,
		"failed to parse function arguments: missing field `cmd`":                                          true,
		"ok  shop/cart 0.3s": false,
		"<tool_use_error>File does not exist.</tool_use_error>": false,
		"": false,
	} {
		if IsReply(text) != want {
			t.Errorf("%q says nothing of the work: %t", text, !want)
		}
	}
}
