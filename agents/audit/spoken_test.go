package audit

import (
	"bytes"
	"os"
	"testing"

	"ctxledger.dev/agents"
	"ctxledger.dev/agents/sessionfile"
)

// FuzzSpoken reads a file: no usage and no size is absurd, and where something is damaged, a line is named.
func FuzzSpoken(f *testing.F) {
	shop, err := os.ReadFile("../../testdata/sessions/shop.jsonl")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(shop[:20_000])
	f.Add([]byte(`{"type":"progress","data":{"type":"agent_progress","agentId":"a","message":{"type":"assistant","message":{"id":"m","role":"assistant","content":[],"usage":{"input_tokens":1}}}}}`))
	f.Add([]byte(`{"type":"assistant","message":{"id":"m","role":"assistant","content":"x","usage":{"input_tokens":1,"cache_creation_input_tokens":3,"cache_creation":{"ephemeral_1h_input_tokens":9}}}}`))
	f.Add([]byte(`{"type":"system","subtype":"compact_boundary","compactMetadata":{"preTokens":-3,"trigger":"auto"}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		src := source{path: "x.jsonl", from: agents.Adapters()[0]}
		damage, err := spoken(bytes.NewReader(text), src, func(r *sessionfile.Record, _ rank, _ bool) bool {
			if q := r.Request(); q != nil {
				u := q.Usage
				if min(u.Input, u.CacheRead, u.CacheWrite, u.CacheWriteLong, u.Output) < 0 || u.In() > 4<<40 {
					t.Fatalf("usage %+v", u)
				}
			}
			if c := r.Compaction; c != nil && c.Before < 0 {
				t.Fatalf("compaction %+v", c)
			}
			return true
		})
		if err != nil || (damage.Broken+damage.Long > 0) != (damage.First > 0) {
			t.Fatalf("%v, %+v", err, damage)
		}
	})
}
