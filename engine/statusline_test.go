package engine_test

import (
	"math"
	"testing"
	"time"

	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
)

// TestTodayIsWhatAllSessionsCostSinceMidnight: with subagents, whatever was counted before, and without what is a copy.
func TestTodayIsWhatAllSessionsCostSinceMidnight(t *testing.T) {
	l := limitedLedger(t, mostTokens("session", 1_000))
	midnight := time.Date(2026, 11, 20, 0, 0, 0, 0, time.Local)
	l.clock.now = midnight.Add(time.Hour)
	answer := func(after time.Duration, dollars float64) sessions.NewEntry {
		return sessions.NewEntry{Kind: sessions.KindMessage, Format: transcript.Anthropic, Model: "claude-opus-4-5",
			Time: midnight.Add(after), Usage: &sessions.Usage{Input: int64(dollars * 200_000)},
			Original: []byte(`{"role":"assistant","content":"done"}`)}
	}
	next := map[string]int64{}
	add := func(id, parent string, entries ...sessions.NewEntry) string {
		t.Helper()
		r, err := l.AppendEntries(t.Context(), ledger.AppendEntriesRequest{Import: "claude-code:" + id,
			Session: sessions.Session{Host: "claude-code", HostID: id, Parent: parent}, Offset: next[id],
			Next: next[id] + 1, Done: true, Entries: entries})
		if err != nil {
			t.Fatal(err)
		}
		next[id]++
		return r.Session
	}
	line := func(id string) ledger.StatusLine {
		t.Helper()
		got, err := l.StatusLine(t.Context(), ledger.StatusLineRequest{Host: "claude-code", HostID: id})
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	check := func(why string, want float64) {
		t.Helper()
		got := 0.0
		if cost := line("none").Today; cost.Dollars != nil {
			got = *cost.Dollars
		}
		if math.Abs(got-want) > 1e-9 {
			t.Errorf("%s: $%v, want $%v", why, got, want)
		}
	}
	check("nothing is recorded", 0)
	main := add("main", "", answer(-time.Hour, 8), answer(-time.Second, 4), answer(0, 1))
	check("since midnight", 1)
	copied := answer(time.Minute, 16)
	copied.Copied = true
	add("main", "", answer(time.Minute, 2), copied)
	check("what is new, without a copy", 3)
	add("main/agent-a", main, answer(time.Minute, 4))
	check("with a subagent", 7)
	add("old", "", answer(-time.Hour, 32))
	check("without a session of yesterday", 7)
	if got := line("main"); got.Session != main || got.Held.N == 0 || got.Window != 200_000 || len(got.Limits) != 1 ||
		!got.Limits[0].Reached() || got.Reduced != nil || len(got.Savings.Causes) != 0 {
		t.Errorf("of the session: %+v", got)
	}
	if got := line("none"); got.Session != "" || got.Limits != nil {
		t.Errorf("of a session that is not recorded: %+v", got)
	}
	l.clock.now = midnight.Add(25 * time.Hour)
	check("of the next day", 0)
}
