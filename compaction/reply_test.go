package compaction

import "testing"

// What our stubs and refused arguments say is nothing that the newest results said.
func TestWhatIsNoResultOfTheWork(t *testing.T) {
	for text, want := range map[string]bool{
		"[result offloaded — 12,345 chars stored to artifact store]\nTool: Bash\nArtifact: 0123456789ab\n": true,
		"<tool_use_error>InputValidationError: Grep failed due to the following issue:":                    true,
		"MCP error -32602: Invalid arguments for tool x":                                                   true,
		"failed to parse function arguments: missing field `cmd`":                                          true,
		"ok  shop/cart 0.3s": false,
		"<tool_use_error>File does not exist.</tool_use_error>": false,
		"": false,
	} {
		if isReply(text) != want {
			t.Errorf("%q says nothing of the work: %t", text, !want)
		}
	}
}
