package proxy

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
)

// FuzzWhatPassesIsRead: whatever a client and a provider write, it is read without a panic; the same request again has
// everything in common with itself, and breaks no cache; what the model is said to have said is JSON.
func FuzzWhatPassesIsRead(f *testing.F) {
	f.Add(`{"model":"m","messages":[{"role":"user","content":"x"}],"tools":[{"name":"t"}],"system":"s"}`,
		"event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"a\",\"usage\":{\"input_tokens\":1}}}\n\n"+
			"data: {\"type\":\"content_block_delta\",\"index\":3,\"delta\":{\"text\":\"x\"}}\n\n")
	f.Add(`{"input":"x","tools":[{"functionDeclarations":[{"name":"mcp__a__b"}]}],"previous_response_id":"r"}`,
		`[{"candidates":[{"content":{"parts":[{"text":"a"}]}}]},{"candidates":[{"content":{"parts":[{"text":"b"}]}}]}]`)
	f.Add(`{"contents":null,"input":[1,{}],"tools":{}}`, "data: {\"choices\":[{\"delta\":{\"content\":\"x\",\"tool_calls\":"+
		"[{\"index\":-1,\"id\":\"c\"},{\"index\":99999999}]}}]}\n\ndata: [DONE]")
	f.Fuzz(func(t *testing.T, asked, said string) {
		for _, d := range dialects {
			q, err := d.request("/v1/models/m:generateContent", []byte(asked))
			if err == nil {
				e := entry{asked: q, thread: &thread{}, talk: &talk{},
					exchange: &exchange{dialect: d, request: &capture{}}}
				if out := e.measured(); len(out.New) > len(q.items) || out.Kept != 0 {
					t.Errorf("%d of %d items are new", len(out.New), len(q.items))
				}
				e.kept()
				again := cacheOf(e.thread, q, sessions.Usage{}, time.Time{})
				if common(e.thread.items, q.items) != len(q.items) || again.Outcome != ledger.CacheUnknown ||
					again.Broke() {
					t.Errorf("the same request again: %+v", again)
				}
			}
			a := d.read([]byte(said))
			for _, raw := range a.said {
				if !json.Valid(raw) && !bytes.Contains([]byte(said), raw) {
					t.Errorf("the model said %q", raw)
				}
			}
			if u := a.Usage; u.Input < 0 || u.CacheRead < 0 || u.CacheWrite < 0 || u.Output < 0 {
				t.Errorf("%+v", u)
			}
		}
	})
}
