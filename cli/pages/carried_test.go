package pages

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"ctxledger.dev/carried"
	"ctxledger.dev/cli/columns"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/tokens"
)

// TestWhatAPartCostIsSaidOfThatPart: the sum read as one for all that requests have besides the conversation; and a part that
// has grown since was larger than the whole, which was measured before.
func TestWhatAPartCostIsSaidOfThatPart(t *testing.T) {
	began, price, fixed := time.Unix(1_000, 0), 10.0, tokens.Count{N: 5_000}
	part := func(name string, n int, since time.Time) carried.Part {
		return carried.Part{Kind: carried.Memory, Name: name, Carried: tokens.Count{N: n}, Since: since}
	}
	grown := part("CLAUDE.md", 9_000, began.Add(time.Hour))
	for _, c := range []struct {
		name  string
		parts []carried.Part
		want  []string
	}{
		{"as it was", []carried.Part{part("CLAUDE.md", 1_000, began)}, []string{
			"besides its messages, each request of session ab has ≈5,000 tokens: ≈4,000 " +
				"system prompt and tools, ≈1,000 memory files (measured in the first request)",
			"≈$0.01 so far, at list prices, for ≈1,000 tokens of the parts below: those that session ab is known to " +
				"have sent from the start, with 3 requests",
		}},
		{"grown since", []carried.Part{grown, part("rules.md", 1_000, began)}, []string{
			"besides its messages, each request of session ab has ≈5,000 tokens: system prompt, tools and memory files " +
				"(measured in the first request; CLAUDE.md may have changed since)",
			"≈$0.01 so far, at list prices, for ≈1,000 tokens of the parts below",
		}},
	} {
		use := ledger.Use{Session: sessions.Session{Host: "claude-code", Created: began}, Fixed: &fixed,
			CarriedDollars: &price, CarriedBy: 3, Requests: 3}
		r := carried.Report{Hosts: []carried.Host{{Name: "claude-code", Title: "Claude Code", Parts: c.parts}}}
		out := Carried{Report: r.Charged(use), Session: "ab", Measured: &fixed, Requests: 3, Use: use,
			Besides: r.Besides(use)}
		var b bytes.Buffer
		Page{W: &b, Line: columns.Cut}.Carried(out)
		for _, want := range c.want {
			if !strings.Contains(b.String(), want) {
				t.Errorf("%s: %q is not in\n%s", c.name, want, b.String())
			}
		}
	}
}
