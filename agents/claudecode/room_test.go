package claudecode

import (
	"bytes"
	"os"
	"slices"
	"testing"

	"ctxledger.dev/agents"
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
	f.Fuzz(func(t *testing.T, file []byte) {
		s, err := survey(bytes.NewReader(file), "x.jsonl")
		if err != nil {
			t.Fatal(err)
		}
		damage, err := read(bytes.NewReader(file), "x.jsonl", func(r agents.Record) {
			if q := r.Request; q != nil {
				if q.ID != "" && !slices.Contains(s.Requests, q.ID) && !slices.Contains(s.Reflected, q.ID) {
					t.Fatalf("request %q was not surveyed", q.ID)
				}
				u := q.Usage
				if min(u.Input, u.CacheRead, u.CacheWrite, u.CacheWriteLong, u.Output) < 0 || u.In() > 4*maxTokens {
					t.Fatalf("usage %+v", u)
				}
			}
			escaped := bytes.Contains(file, []byte(`\u`)) // Claude Code escapes no letters, a fuzzer may
			if c := r.Compaction; c != nil && (!s.Compacted && !escaped || c.Before < 0) {
				t.Fatalf("compaction %+v, surveyed: %v", c, s.Compacted)
			}
		})
		if err != nil || (damage.Broken+damage.Long > 0) != (damage.First > 0) {
			t.Fatalf("%v, %+v", err, damage)
		}
	})
}
