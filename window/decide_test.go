package window

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"ctxledger.dev/transcript"
)

func TestClearing(t *testing.T) {
	reads := func(n, size int) string {
		var b strings.Builder
		b.WriteString("ask 9\n")
		for i := range n {
			fmt.Fprintf(&b, "read f%d %d\n", i, size)
		}
		return b.String() + "say 5"
	}
	for _, c := range []struct {
		name    string
		policy  func(*Policy)
		window  int
		log     string
		cleared int
	}{
		{"below 60% of the threshold", nil, 200_000, reads(9, 5_000), 0},
		{"above it all but the newest six go", nil, 200_000, reads(13, 10_000), 7},
		{"a small window keeps three", nil, 50_000, reads(13, 3_000), 10},
		{"too little to be worth it", nil, 200_000, reads(7, 18_000) + "\nask 30000", 1},
		{"less than a fifth of the threshold", nil, 2_000_000, reads(7, 10_000) + "\nask 1200000", 0},
		{"as much as is set", func(p *Policy) { p.Clear.AtLeast = 9_000 }, 2_000_000,
			reads(7, 10_000) + "\nask 1200000", 1},
		{"an excluded tool keeps its results, and no slot", func(p *Policy) {
			p.Clear.Exclude = []string{"READ"}
		}, 200_000, reads(13, 10_000), 0},
		{"what agents log as tried stays", nil, 200_000,
			strings.ReplaceAll(reads(13, 10_000), "read ", "log_attempt "), 0},
		{"only some tools", func(p *Policy) { p.Clear.Only = []string{"shell"} }, 200_000, reads(13, 10_000), 0},
		{"above it, far below the threshold", nil, 200_000, reads(10, 5_000), 4},
		{"a lower threshold", func(p *Policy) { p.Compact.Effective = 40_000 }, 200_000, reads(9, 5_000), 3},
		{"85% of the window, below", func(p *Policy) { p.Compact.Fraction = 0.85 }, 200_000, reads(10, 10_000), 0},
		{"85% of the window, above", func(p *Policy) { p.Compact.Fraction = 0.85 }, 200_000, reads(11, 10_000), 5},
		{"window unknown: above 78,000", nil, 0, reads(10, 8_000), 4},
		{"window unknown: below 78,000", nil, 0, reads(10, 7_000), 0},
		{"off", func(p *Policy) { p.Clear.Trigger = 0 }, 200_000, reads(13, 10_000), 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, l, edits := Default(), script(t, c.log), []Edit(nil)
			p.Compact.Effective, p.UserChars = 0, 0
			if c.policy != nil {
				c.policy(&p)
			}
			st := always
			st.Window = c.window
			d := l.decide(t, &edits, p, st)
			if n := strings.Count(listEdits(d.Edits), "clear result"); n != c.cleared {
				t.Fatalf("%d results were cleared, want %d; %+v", n, c.cleared, d)
			}
			if again := l.decide(t, &edits, p, st); len(again.Edits) > 0 {
				t.Errorf("cleared once more: %s", listEdits(again.Edits))
			}
		})
	}
}

// Short results hold no place of those that are kept, and a view that grows is cleared in few steps.
func TestClearingMovesInSteps(t *testing.T) {
	p := Default()
	p.BatchChars, p.Compact.Effective = 1<<30, 0
	st := always
	st.Window = 100_000
	l, edits := script(t, "ask 9"+strings.Repeat("\nread a 9000", 9)+strings.Repeat("\nread b 20", 6)+"\nsay 9"),
		[]Edit(nil)
	if d := l.decide(t, &edits, p, st); len(d.Edits) != 3 {
		t.Errorf("cleared: %s", listEdits(d.Edits))
	}
	log, steps, cleared := "ask 9", 0, 0
	edits = nil
	for i := range 60 {
		log += fmt.Sprintf("\nread f%d 2500", i)
		if d := script(t, log).decide(t, &edits, p, st); len(d.Edits) > 0 {
			steps, cleared = steps+1, cleared+len(d.Edits)
		}
	}
	if most := 60*2500/8_000 + 1; steps == 0 || steps > most || cleared/steps < 2 {
		t.Errorf("%d steps for %d results, at most %d", steps, cleared, most)
	}
}

// What does not pay waits; the later its position in the view, the less it has to save.
func TestStepsWaitUntilTheyPay(t *testing.T) {
	p := Default()
	log := "ask 9\nread a.go 9000\nwrite a.go 10\nread x.go 60000 \nread b.go 9000\nwrite b.go 10\nsay 5\nask 9\nsay 9"
	for _, c := range []struct {
		name  string
		rates Rates
		ahead int
		want  string
	}{
		{"nothing is sent any more", Rates{Read: 0.1, Write: 1.25}, 0, ""},
		{"the later one pays first", Rates{Read: 0.1, Write: 1.25}, 2, "consumed_read result read-7-0"},
		{"with many requests ahead both pay", Rates{Read: 0.1, Write: 1.25}, 100, "consumed_read result " +
			"read-1-0\nconsumed_read result read-7-0"},
		{"without a cache everything pays", Rates{Read: 1, Write: 1}, 1, "consumed_read result " +
			"read-1-0\nconsumed_read result read-7-0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			l, edits := script(t, log), []Edit(nil)
			d := l.decide(t, &edits, p, State{Window: 200_000, Rates: c.rates, Ahead: c.ahead})
			if got := listEdits(d.Edits); got != c.want {
				t.Errorf("edits %q, want %q: %+v", got, c.want, d)
			}
			if c.want == "" && (d.Waiting == 0 || d.Reason != "") {
				t.Errorf("%+v", d)
			}
		})
	}
}

// TestWhatWasSentIsInTheCache: results that a request has are in the provider's cache, although no answer follows them yet.
func TestWhatWasSentIsInTheCache(t *testing.T) {
	at := time.Date(2026, 11, 28, 10, 0, 0, 0, time.UTC)
	for _, sent := range []time.Time{{}, at.Add(time.Minute)} {
		l, edits := script(t, "ask 9\nread a.go 9000"), []Edit(nil)
		for i := range l.entries {
			l.entries[i].Time = at
		}
		p := Default()
		p.ResultChars = 500
		d := l.decide(t, &edits, p, State{Window: 200_000, Rates: Rates{Read: 0.1, Write: 1.25}, Ahead: 3, Sent: sent})
		if rewritten := d.Rewritten > 0; len(d.Edits) == 0 || rewritten == sent.IsZero() {
			t.Errorf("sent %s: %+v", sent, d)
		}
	}
}

// A step that has to be takes along everything that waits.
func TestForcedStepsTakeEverything(t *testing.T) {
	l, edits := script(t, "ask 9\nread a.go 9000\nwrite a.go 10\nread x.go 60000\nsay 5\nask 9\nsay 9"), []Edit(nil)
	st := State{Window: 200_000, Rates: Rates{Read: 0.1, Write: 1.25}, Ahead: 1, Reason: "manual"}
	if d := l.decide(t, &edits, Default(), st); listEdits(d.Edits) != "consumed_read result read-1-0" ||
		d.Reason != "manual" {
		t.Errorf("%+v", d)
	}
	st.Reason, st.Window = "", 60_000
	l, edits = script(t, "ask 9\nread a.go 9000\nwrite a.go 10\nread x.go 60000\nsay 5\nask 9\nsay 9"), nil
	if d := l.decide(t, &edits, Default(), st); d.Reason != "threshold" || !d.Over {
		t.Errorf("%+v", d)
	}
}

// randomPolicy switches rules on and off.
func randomPolicy(r *rand.Rand) Policy {
	p := Default()
	p.BatchChars = []int{1, 300, 65_536}[r.IntN(3)]
	p.ResultChars = []int{0, 50, 2000}[r.IntN(3)]
	p.ReplayChars, p.OldWords = []int{0, 20}[r.IntN(2)], r.IntN(2) == 0
	p.ToolPairs = []int{0, 2, 5}[r.IntN(3)]
	p.InTurnTokens = []int{0, 100, 5000}[r.IntN(3)]
	p.Evict = EvictPolicy{MaxTokens: []int{0, 900, 4000}[r.IntN(3)], Window: 1 + r.IntN(9)}
	p.Clear = ClearPolicy{Trigger: 0.6, Keep: 1 + r.IntN(3), AtLeast: 1, Inputs: r.IntN(2) == 0}
	p.Arguments.Over = 30
	return p
}

// randomScript writes a log of the kind that passes see.
func randomScript(r *rand.Rand, rounds int) []string {
	lines := []string{"ask 20"}
	for range rounds {
		file := string(rune('a' + r.IntN(3)))
		call := []string{
			fmt.Sprintf("read %s %d", file, r.IntN(900)), fmt.Sprintf("write %s %d", file, r.IntN(900)),
			fmt.Sprintf("patch %s %d", file, r.IntN(300)), fmt.Sprintf("shell go_%s %d", file, r.IntN(900)),
			fmt.Sprintf("read %s %d part", file, r.IntN(900)), fmt.Sprintf("move %s d", file),
			fmt.Sprintf("grep %s %d", file, r.IntN(99)),
		}
		line := call[r.IntN(len(call))]
		for r.IntN(3) == 0 {
			line += " & " + call[r.IntN(len(call))]
		}
		line += []string{"", "", " fail", " words 300"}[r.IntN(4)]
		if lines = append(lines, line); r.IntN(6) == 0 {
			lines = append(lines, fmt.Sprintf("say %d", 1+r.IntN(500)), "ask 30")
		}
	}
	return lines
}

// Whatever the policy: every view is valid, a decision is repeatable, an edit is never made twice, and
// between two steps the request grows at its end only (design invariants 3 and 4).
func TestInvariant4BetweenStepsTheRequestIsAPrefix(t *testing.T) {
	for seed := range uint64(25) {
		r := rand.New(rand.NewPCG(seed, 3))
		p, lines := randomPolicy(r), randomScript(r, 25)
		st := State{Window: 3000 + r.IntN(20_000), Rates: Rates{Read: 0.1, Write: 1.25}, Ahead: r.IntN(60)}
		var edits []Edit
		var before [][]byte
		for n := 1; n <= len(lines); n++ {
			l := script(t, strings.Join(lines[:n], "\n"))
			in := Input{Entries: l.entries, Edits: edits}
			if d, again := Decide(in, p, st), Decide(in, p, st); !reflect.DeepEqual(d, again) {
				t.Fatalf("seed %d: two decisions differ", seed)
			}
			size := len(edits)
			d := l.decide(t, &edits, p, st)
			v := Plan(Input{Entries: l.entries, Edits: edits})
			now := l.render(t, v)
			if d.Rewritten == 0 {
				for i, m := range before {
					if i >= len(now) || !bytes.Equal(m, now[i]) {
						t.Errorf("message %d changed without a step: %s", i, m)
					}
				}
			}
			if len(edits) > size && d.After >= d.Before {
				t.Errorf("a step that frees nothing: %+v", d)
			}
			v.Slots = v.Slots[:sentOf(v)]
			if before = l.render(t, v); t.Failed() {
				t.Fatalf("seed %d, line %d: %s", seed, n, lines[n-1])
			}
		}
	}
}

// sentOf returns how many messages a provider has when it is asked for the answer after the view's last
// one: all in front of that.
func sentOf(v View) int {
	for i := len(v.Slots) - 1; i >= 0; i-- {
		if v.Slots[i].Role == transcript.RoleAssistant {
			return i
		}
	}
	return 0
}

// An edit is worth what the requests until the next compaction save, of as many as can be expected.
func TestCallsAhead(t *testing.T) {
	for _, c := range []struct{ made, size, room, want int }{
		{30, 50_000, 100_000, 10}, // a third of those made
		{30, 50_000, 5_000, 3},    // until the next compaction
		{90, 60_000, 10_000, 15},
		{300, 0, 0, 60}, // no more than that
		{300, 50_000, -1, 3},
		{0, 0, 0, 3},
	} {
		if got := CallsAhead(c.made, c.size, c.room); got != c.want {
			t.Errorf("%+v: %d", c, got)
		}
	}
}
