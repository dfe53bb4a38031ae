package window

import (
	"fmt"
	"strings"
	"testing"

	"ctxledger.dev/tokens"
)

// costly is a state in which no change of what a provider has in its cache pays.
var costly = State{Window: 200_000, Rates: Rates{Read: 0.1, Write: 1.25}}

// A bound that the user sets holds whether obeying it pays or not; a default waits until it pays.
func TestBoundsThatTheUserSetsAreObeyed(t *testing.T) {
	reads := func(n, size int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "read f%d %d\n", i, size)
		}
		return "ask 9\n" + b.String() + "say 5\nask 9\nsay 5"
	}
	for _, c := range []struct {
		name string
		log  string
		set  func(*Policy)
		pass string // of the edits
		want int    // of them
	}{
		{"max_in_turn_tool_pairs keeps 12, however small the view is", reads(20, 300),
			func(p *Policy) { p.ToolPairs = 12 }, "tool_pairs result", 8},
		{"what is shorter than its marker stays", reads(20, 3), func(p *Policy) { p.ToolPairs = 12 },
			"tool_pairs result", 0},
		{"max_tool_result_chars caps older results", reads(9, 3_000), func(p *Policy) { p.ResultChars = 1_000 },
			"result_cap result", 9},
		{"that of a tool as well", reads(9, 3_000),
			func(p *Policy) { p.ResultCharsOf = map[string]int{"read": 1_000} }, "result_cap result", 9},
		{"clear at a set threshold clears", reads(11, 9_000),
			func(p *Policy) { p.Clear.Trigger, p.Clear.Set = 0.2, true }, "clear result", 5},
		{"its default waits", reads(11, 9_000), func(p *Policy) { p.Clear.Trigger = 0.2 }, "clear result", 0},
		{"max_replay_chars", "ask 9\nsay 3000\nask 9\nsay 9\nask 9\nsay 9",
			func(p *Policy) { p.ReplayChars, p.ReplaySet = 1_000, true }, "replay_cap words", 1},
		{"its default waits", "ask 9\nsay 3000\nask 9\nsay 9\nask 9\nsay 9", func(*Policy) {}, "replay_cap words", 0},
		{"max_user_chars", "ask 9000\nsay 9\nask 9\nsay 9", func(p *Policy) { p.UserChars, p.UserSet = 100, true },
			"user_cap words", 1},
		{"batch_chars", "ask 9\nwrite a.go 9000\nwrite a.go 9\nsay 9\nask 9\nsay 9",
			func(p *Policy) { p.BatchChars, p.BatchSet = 1, true }, "superseded_write arguments", 1},
		{"arguments at a set threshold", "ask 9\nwrite a.go 9000" + strings.Repeat("\nask 9000\nsay 9", 9),
			func(p *Policy) { p.Arguments.Trigger, p.Arguments.Set = 0.1, true }, "arguments arguments", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, l, edits := Default(), script(t, c.log), []Edit(nil)
			c.set(&p)
			d := l.decide(t, &edits, p, costly)
			got := listEdits(d.Edits)
			if n := strings.Count(got, c.pass); n != c.want || strings.Count(got, "\n")+1 != max(n, 1) {
				t.Errorf("%d edits, want %d:\n%s\n%s", n, c.want, got, d.Why)
			}
			if c.want > 0 && d.Reason != "asked" {
				t.Errorf("the reason is %q", d.Reason)
			}
		})
	}
}

// A lower cap cuts what a higher one left.
func TestALowerCapCutsAgain(t *testing.T) {
	p, l, edits := Default(), script(t, "ask 9\nread a.go 9000\nsay 5\nask 9\nsay 5"), []Edit(nil)
	for _, p.ResultChars = range []int{3_000, 1_000} {
		if d := l.decide(t, &edits, p, costly); listEdits(d.Edits) != "result_cap result read-1-0" {
			t.Errorf("at %d: %s", p.ResultChars, listEdits(d.Edits))
		}
	}
	if d := l.decide(t, &edits, p, costly); len(d.Edits) > 0 {
		t.Errorf("once more: %s", listEdits(d.Edits))
	}
}

// Where clearing is due by its default, and does not pay, a decision says at what size it was.
func TestAClearingThatDoesNotPayIsNamed(t *testing.T) {
	p := Default()
	log := "ask 9"
	for i := range 13 {
		log += fmt.Sprintf("\nread f%d 13000", i)
	}
	log += "\nsay 5\nask 9\nsay 5"
	for _, c := range []struct {
		ahead, clears int
	}{{0, 48_000}, {60, 0}} {
		l, edits, st := script(t, log), []Edit(nil), costly
		st.Ahead = c.ahead
		if d := l.decide(t, &edits, p, st); d.ClearsAt != c.clears || (len(d.Edits) == 0) != (c.clears > 0) ||
			c.clears > 0 && d.Waits(func(n int) int { return n }) != "would clear at 48,000; not worth it yet" {
			t.Errorf("%d requests ahead: cleared at %d, %d edits; %s", c.ahead, d.ClearsAt, len(d.Edits), d.Why)
		}
	}
}

// TestADecisionSpeaksInTheMeasureOfTheView: what else is said of a view is in the measure of the agent's window.
func TestADecisionSpeaksInTheMeasureOfTheView(t *testing.T) {
	d := Decision{Before: 62_000, After: 35_000, Rewritten: 35_000, Waiting: 9_000, ClearsAt: 48_000}
	tenth := func(n int) tokens.Count { return tokens.Count{N: n / 10, Upper: n} }
	st := State{Shown: tenth, Ahead: 5}
	got := d.NextStep(st) + "; " + d.Waits(func(n int) int { return tenth(n).N })
	if got != "≈900 tokens could be cut, but rewriting the provider's cache would cost more than the next 5 requests would save"+
		"; would clear at ≈4,800; not worth it yet" {
		t.Error(got)
	}
	d.Edits = []Edit{{}}
	cold := d
	cold.Rewritten, st.Cold = 0, true
	if got := cold.NextStep(st); got != "cuts the view from ≈6,200 to ≈3,500 tokens at no cost: the provider's cache has probably expired" {
		t.Errorf("after a pause: %s", got)
	}
	st.Cold = false
	if got := d.NextStep(st); got != "cuts the view from ≈6,200 to ≈3,500 tokens; ≈3,500 have to be written to the provider's cache again" {
		t.Error(got)
	}
}
