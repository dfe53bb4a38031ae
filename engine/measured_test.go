package engine_test

import (
	"strings"
	"testing"

	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
)

// TestTheAgentHoldsWhatWasMeasured imports sessions: what the agent's window holds is what its provider measured, and
// what came since; not what the view would be.
func TestTheAgentHoldsWhatWasMeasured(t *testing.T) {
	ask := written(`{"role":"user","content":"go"}`, nil)
	answer := func(cached int64) sessions.NewEntry {
		return written(`{"role":"assistant","content":"some words"}`, func(e *sessions.NewEntry) {
			e.Usage = &sessions.Usage{CacheRead: cached, Output: 148}
		})
	}
	first, answered := answer(20_000), answer(149_000)
	ask.HostID, first.HostID = "ask", "first"
	prompt := func(parent string) sessions.NewEntry {
		return written(`{"role":"user","content":"otherwise"}`, func(e *sessions.NewEntry) { e.HostParent = parent })
	}
	again, back := prompt(""), prompt("first")
	more := written(`{"role":"user","content":"`+strings.Repeat("look ", 1_000)+`"}`, nil)
	aside := written(`{"role":"assistant","content":"found"}`, func(e *sessions.NewEntry) {
		e.Hidden, e.Author, e.Usage = true, "explorer", &sessions.Usage{Input: 99_999}
	})
	summary := written(`{"role":"user","content":"This session is being continued from a previous `+
		`conversation that ran out of context. And so on."}`, nil)
	for _, c := range []struct {
		name    string
		entries []sessions.NewEntry
		least   int // tokens, at most 100 more
		exact   bool
		upper   int // at least
		cut     string
	}{
		{"nothing was measured", []sessions.NewEntry{ask}, 0, false, 0, ""},
		{"the newest answer", []sessions.NewEntry{ask, first, answered}, 149_148, true, 0, ""},
		{"only the output was", []sessions.NewEntry{ask, answer(0)}, 0, false, 0, ""},
		{"a subagent since", []sessions.NewEntry{ask, first, answered, aside}, 149_148, true, 0, ""},
		{"more since", []sessions.NewEntry{ask, first, answered, more}, 150_148, false, 0, ""},
		{"the host compacted since", []sessions.NewEntry{ask, first, answered, more, summary}, 20_000, false, 20_036,
			ledger.CutCompacted},
		{"gone back", []sessions.NewEntry{ask, first, again, answered, back}, 20_148, false, 20_150, ledger.CutBack},
		{"gone back, and on", []sessions.NewEntry{ask, first, again, answered, back, more}, 21_148, false, 21_150,
			ledger.CutBack},
		{"gone back behind what the host compacted", []sessions.NewEntry{ask, first, again, answered, summary, back},
			20_148, false, 20_150, ledger.CutBack},
		{"gone back, and answered", []sessions.NewEntry{ask, first, again, answered, back, answer(21_000)}, 21_148,
			true, 21_148, ""},
		{"gone back behind all answers", []sessions.NewEntry{ask, first, again, answered, prompt("ask")}, 20_000,
			false, 20_015, ledger.CutBack},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := open(t)
			r, err := l.AppendEntries(t.Context(), ledger.AppendEntriesRequest{
				Import: "i", Session: sessions.Session{Host: "h", HostID: "s"}, Next: 1, Done: true, Entries: c.entries,
			})
			if err != nil {
				t.Fatal(err)
			}
			st := status(t, l, r.Session)
			if held := st.Held; held.N < c.least || held.N > c.least+100 || held.Exact != c.exact ||
				held.Upper < max(held.N, c.upper) {
				t.Errorf("%+v up to %d; measured %d, the view %+v, beside it %+v", held, held.Upper, st.Measured,
					st.Used, st.Fixed)
			}
			if st.Cut != c.cut { // what only has no answer yet was said to be cut
				t.Errorf("cut by %q, want %q", st.Cut, c.cut)
			}
		})
	}
}
