package engine_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/tokens"
	"ctxledger.dev/transcript"
)

// TestStatusCountsWhatSubagentsTook: those that are sessions of their own, theirs, and those in the session's log, each once and
// at the price of its model.
func TestStatusCountsWhatSubagentsTook(t *testing.T) {
	l := open(t)
	answer := func(model, author string, input int64) sessions.NewEntry {
		return sessions.NewEntry{Kind: sessions.KindMessage, Format: transcript.Anthropic, Model: model, Author: author,
			Hidden: author != "", Usage: &sessions.Usage{Input: input, Output: 10},
			Original: []byte(`{"role":"assistant","content":"done"}`)}
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
	const dear, cheap = "claude-sonnet-4-5", "claude-haiku-4-5"
	parent := add("main", "", answer(dear, "", 1_000_000), answer(cheap, "explorer", 100_000),
		answer(cheap, "explorer", 100_000))
	child := add("main/agent-a", parent, answer(cheap, "", 200_000))
	add("main/agent-b", child, answer(dear, "", 300_000))
	add("main/agent-c", parent) // of which nothing is known
	add("other", "", answer(dear, "", 9_000_000))
	cost := func(model string, input, output int64) float64 {
		used := sessions.Usage{Input: input, Output: output}
		return *sessions.Bill{{Model: model, Usage: used}}.Cost(tokens.Builtin()).Dollars
	}
	of := cost(cheap, 400_000, 30) + cost(dear, 300_000, 10)
	all := of + cost(dear, 1_000_000, 10)
	near := func(got *float64, want float64) bool { return got != nil && math.Abs(*got-want) < 1e-9 }
	st, err := l.Status(t.Context(), ledger.StatusRequest{Session: parent})
	if err != nil {
		t.Fatal(err)
	}
	g := st.Subagents
	if g == nil || g.N != 3 || g.Usage != (sessions.Usage{Input: 700_000, Output: 40}) || !near(g.Dollars, of) ||
		!near(st.Dollars, all) {
		t.Fatalf("%+v of %v, want $%.4f of $%.4f", g, st.Dollars, of, all)
	}
	if want := fmt.Sprintf("of that 3 subagents: ≈$%.2f, 700,040 tokens", of); g.String() != want {
		t.Errorf("it says %q, not %q", g, want)
	}
	stats, err := l.TurnStats(t.Context(), ledger.TurnStatsRequest{Session: parent})
	if err != nil || stats.Subagents == nil || *stats.Dollars != *st.Dollars {
		t.Errorf("an editor is told of %+v, %v", stats.Use.Subagents, err)
	}
	page, err := l.Sessions(t.Context(), ledger.SessionsRequest{})
	at := slices.IndexFunc(page.Sessions, func(s sessions.Session) bool { return s.ID == parent })
	if err != nil || at < 0 {
		t.Fatal(at, err)
	}
	listed := slices.Concat(page.Sessions[at].Billed(), page.Subagents[parent]).Cost(tokens.Builtin())
	if !near(listed.Dollars, *st.Dollars) {
		t.Errorf("in a list it costs %v, its status says %v", *listed.Dollars, *st.Dollars)
	}
	alone, err := l.Status(t.Context(), ledger.StatusRequest{Session: child})
	if err != nil || alone.Subagents == nil || alone.Subagents.N != 1 || !near(alone.Dollars, cost(cheap, 200_000, 10)+
		cost(dear, 300_000, 10)) {
		t.Errorf("the subagent's own: %+v, %v", alone.Use.Subagents, err)
	}
	priceless := add("main/agent-d", parent, answer("nobody-knows", "", 1_000))
	st, err = l.Status(t.Context(), ledger.StatusRequest{Session: parent})
	want := fmt.Sprintf("≈$%.2f so far, at list prices, and 1,010 tokens of nobody-knows without a known price", all)
	if err != nil || !near(st.Subagents.Dollars, of) || !near(st.Dollars, all) || st.Cost.Words() != want {
		t.Errorf("with %s: %+v of %v, %q, %v", priceless, st.Subagents, st.Dollars, st.Cost.Words(), err)
	}
}
