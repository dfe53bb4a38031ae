package audit

import (
	"bytes"
	"hash/maphash"
	"os"
	"slices"
	"testing"

	"ctxledger.dev/agents"
	"ctxledger.dev/agents/sessionfile"
)

// FuzzSurvey reads a file both ways: a request that the reading reports was found by the survey, or two
// files that share it would both count it; and a file that was not compacted reports no compaction.
func FuzzSurvey(f *testing.F) {
	shop, err := os.ReadFile("../../testdata/sessions/shop.jsonl")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(shop[:20_000])
	f.Add([]byte(`{"type":"progress","data":{"type":"agent_progress","agentId":"a","message":{"type":"assistant","message":{"id":"m","role":"assistant","content":[],"usage":{"input_tokens":1}}}}}`))
	f.Add([]byte(`{"type":"assistant","message":{"id":"m","role":"assistant","content":"x","usage":{"input_tokens":1,"cache_creation_input_tokens":3,"cache_creation":{"ephemeral_1h_input_tokens":9}}}}`))
	f.Add([]byte(`{"type":"system","subtype":"compact_boundary","compactMetadata":{"preTokens":-3,"trigger":"auto"}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		src, seed := source{path: "x.jsonl", from: agents.Adapters()[0]}, maphash.MakeSeed()
		var s file
		if err := s.survey(bytes.NewReader(text), src, seed); err != nil {
			t.Fatal(err)
		}
		damage, err := spoken(bytes.NewReader(text), src, func(r *sessionfile.Record, _ bool) {
			if q := r.Request(); q != nil {
				id := maphash.String(seed, r.Copy)
				known := slices.ContainsFunc(s.requests, func(q sighting) bool { return q.id == id })
				if r.Copy != "" && !known {
					t.Fatalf("request %q was not surveyed", q.ID)
				}
				u := q.Usage
				if min(u.Input, u.CacheRead, u.CacheWrite, u.CacheWriteLong, u.Output) < 0 || u.In() > 4<<40 {
					t.Fatalf("usage %+v", u)
				}
			}
			escaped := bytes.Contains(text, []byte(`\u`)) // Claude Code escapes no letters, a fuzzer may
			if c := r.Compaction; c != nil && (!s.compacted && !escaped || c.Before < 0) {
				t.Fatalf("compaction %+v, surveyed: %v", c, s.compacted)
			}
		})
		if err != nil || (damage.Broken+damage.Long > 0) != (damage.First > 0) {
			t.Fatalf("%v, %+v", err, damage)
		}
	})
}
