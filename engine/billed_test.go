package engine_test

import (
	"math"
	"testing"

	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/tokens"
	"ctxledger.dev/transcript"
)

// Status charges each call of a model at its price and terms: an advisor's, those before the model was changed, a request
// that is long, searches. So do a subagent's own session and the whole that it belongs to.
func TestStatusChargesEachCallOfAModel(t *testing.T) {
	l := open(t)
	const dear, cheap = "claude-opus-4-5", "claude-sonnet-4-5"
	answer := func(model string, u sessions.Usage, b sessions.Bill) sessions.NewEntry {
		return sessions.NewEntry{Kind: sessions.KindMessage, Format: transcript.Anthropic, Model: model, Usage: &u,
			Bill: b, Original: []byte(`{"role":"assistant","content":"done"}`)}
	}
	add := func(id, parent string, entries ...sessions.NewEntry) string {
		t.Helper()
		r, err := l.AppendEntries(t.Context(), ledger.AppendEntriesRequest{Import: "claude-code:" + id,
			Session: sessions.Session{Host: "claude-code", HostID: id, Parent: parent},
			Next:    1, Done: true, Entries: entries})
		if err != nil {
			t.Fatal(err)
		}
		return r.Session
	}
	advised := sessions.Bill{{Model: cheap, Usage: sessions.Usage{Output: 1000}},
		{Model: dear, Usage: sessions.Usage{Input: 100_000}}}
	long := sessions.Usage{Input: 300_000}
	parent := add("main", "",
		answer(dear, sessions.Usage{Input: 100_000}, nil),
		answer(cheap, sessions.Usage{Output: 1000}, advised),
		answer(cheap, sessions.Usage{Input: 100_000, Searches: 5}, nil))
	child := add("main/agent-a", parent,
		answer(cheap, long, sessions.Bill{{Model: cheap, Terms: tokens.TermsOf(long.Input), Usage: long}}))
	main, sub := 0.5+(0.015+0.5)+(0.3+0.05), 1.8
	for _, c := range []struct {
		id   string
		want float64
		used sessions.Usage
	}{
		{parent, main + sub, sessions.Usage{Input: 300_000, Output: 1000, Searches: 5}},
		{child, sub, long},
	} {
		st, err := l.Status(t.Context(), ledger.StatusRequest{Session: c.id})
		if err != nil {
			t.Fatal(err)
		}
		if st.Dollars == nil || math.Abs(*st.Dollars-c.want) > 1e-9 || st.Session.Usage != c.used {
			t.Errorf("%s: $%v for %+v, want $%v for %+v", c.id, st.Dollars, st.Session.Usage, c.want, c.used)
		}
	}
}
