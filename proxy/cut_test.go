package proxy

import (
	"testing"

	"ctxledger.dev/ledger"
	"ctxledger.dev/transcript"
)

// TestACutIsFoundWhereTheAgentJoinsMessages: the ledger has two messages of the user where the request has one.
func TestACutIsFoundWhereTheAgentJoinsMessages(t *testing.T) {
	v := newView(transcript.Anthropic, ledger.LiveSession{}, "")
	pieces := func(all ...string) (out []*piece) {
		for _, raw := range all {
			out = append(out, v.pieceOf([]byte(raw)))
		}
		return out
	}
	order := pieces(`{"role":"user","content":"Go."}`,
		`{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"Read","input":{}}]}`,
		`{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"1"},{"type":"text","text":"Stop."},`+
			`{"type":"text","text":"Go on."}]}`,
		`{"role":"assistant","content":[{"type":"tool_use","id":"b","name":"Read","input":{}}]}`,
		`{"role":"user","content":[{"type":"tool_result","tool_use_id":"b","content":"2"}]}`)
	c := &cut{kept: pieces(`{"role":"user","content":"Stop."}`, `{"role":"user","content":"Go on."}`,
		`{"role":"assistant","content":[{"type":"tool_use","id":"b","name":"Read","input":{}}]}`)}
	if first, kept := c.bounds(order); first != 1 || kept != 2 {
		t.Errorf("from %d to %d", first, kept)
	}
}
