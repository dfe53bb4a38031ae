package hook_test

import (
	"testing"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
)

// TestACallOfOurToolsIsTold: the host names only the call to our server, and writes its session file later. No other call
// that changes nothing is told.
func TestACallOfOurToolsIsTold(t *testing.T) {
	w := newWorld(t)
	for call, tool := range map[string]string{
		"toolu_ours": "mcp__ctxledger__changes", "toolu_plugin": "mcp__plugin_ctxledger_ctxledger__changes",
		"toolu_other": "mcp__other__read", "toolu_read": "Read",
	} {
		w.run("PreToolUse", w.filled(`{"tool_name": "`+tool+`", "tool_use_id": "`+call+`", "tool_input": {}}`))
	}
	for call, told := range map[string]bool{"toolu_ours": true, "toolu_plugin": true, "toolu_other": false,
		"toolu_read": false} {
		s, err := w.l.Session(t.Context(), ledger.SessionRequest{Call: call})
		if told && (err != nil || s.HostID != "main") || !told && !fault.Is(err, fault.NotFound) {
			t.Errorf("%s: %+v, %v", call, s, err)
		}
	}
}
