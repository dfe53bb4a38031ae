package mcp

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"ctxledger.dev/engine"
	"ctxledger.dev/window"
)

// readsOf is a conversation of one request and n calls with results of so many characters.
func readsOf(n, size int) []json.RawMessage {
	out := []json.RawMessage{json.RawMessage(`{"role":"user","content":"look at everything"}`)}
	for i := range n {
		out = append(out,
			json.RawMessage(fmt.Sprintf(`{"role":"assistant","content":[{"type":"tool_use","id":"t%d","name":"Read","input":{"file_path":"f%d.go"}}]}`, i, i)),
			json.RawMessage(fmt.Sprintf(`{"role":"user","content":[{"type":"tool_result","tool_use_id":"t%d","content":%q}]}`, i,
				strings.Repeat(fmt.Sprintf("line %d ", i), size/7))))
	}
	return append(out, json.RawMessage(`{"role":"assistant","content":"Done."}`),
		json.RawMessage(`{"role":"user","content":"Go on."}`))
}

// The view that a host gets obeys what its user set in context, far below any threshold.
func TestTheViewObeysWhatTheUserSet(t *testing.T) {
	for _, c := range []struct {
		name  string
		set   func(*window.Policy)
		check func(t *testing.T, view []json.RawMessage)
	}{
		{"max_in_turn_tool_pairs: 12 keeps 12, or a quarter less", func(p *window.Policy) { p.ToolPairs = 12 },
			func(t *testing.T, view []json.RawMessage) {
				all := strings.Count(plainJSON(view), `"tool_use_id"`)
				n := all - strings.Count(plainJSON(view), "[result omitted — sliding window]")
				if all != 30 || n > 12 || n < 9 {
					t.Errorf("%d of %d results are whole", n, all)
				}
			}},
		{"max_tool_result_chars caps older results", func(p *window.Policy) { p.ResultChars = 100 },
			func(t *testing.T, view []json.RawMessage) {
				for _, m := range view {
					if len(m) > 400 {
						t.Errorf("a result is longer: %.80s", m)
					}
				}
			}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := window.Default()
			c.set(&p)
			f := fixtureWith(t, engine.Settings{Policy: &p}, nil)
			r, _ := do[compactResult](t, connect(t, f.Server, "tester"), "compact_conversation",
				args{"messages": readsOf(30, 2_000), "keep_turns": 9, "return": "messages"})
			c.check(t, r.Messages)
		})
	}
}

// What is handed out to be sent is within what the user allows, or is refused with the setting's name; a summary that saves
// next to nothing is not made.
func TestNothingLargerThanTheUserAllowsIsHandedOut(t *testing.T) {
	handed := append(readsOf(3, 9_000), json.RawMessage(`{"role":"assistant","content":"Yes."}`))
	for _, most := range []int{0, 4_000, 20} {
		p := window.Default()
		p.Compact.MaxContext = most
		c := connect(t, fixtureWith(t, engine.Settings{Policy: &p}, nil).Server, "tester")
		a := args{"messages": handed, "keep_turns": 9, "return": "messages"}
		if most == 20 {
			contains(t, refused(t, c, "compact_conversation", a), "too_large: Context budget exceeded: ",
				"max_context_tokens")
			continue
		}
		r, text := do[compactResult](t, c, "compact_conversation", a)
		size := count(plainJSON(r.Messages)) // with the names and braces
		trimmed := strings.Contains(strings.Join(r.Warnings, ""), "a trimmed copy, since the view is larger")
		if trimmed != (most > 0) || trimmed != (len(r.Messages) > 0) || trimmed && size > most+1_000 {
			t.Errorf("at most %d: %d messages of %d tokens, %.300s", most, len(r.Messages), size, text)
		}
	}
}

// A conversation that fits is not compacted for next to nothing; the answer says what is to be said for it to be.
func TestASmallGainIsNotWorthACompaction(t *testing.T) {
	c := connect(t, newFixture(t, nil).Server, "tester")
	long := json.RawMessage(`{"role":"user","content":"` + strings.Repeat("Mind the gap. ", 300) + `"}`)
	handed := append([]json.RawMessage{long}, readsOf(1, 39_000)[:3]...)
	r, text := do[compactResult](t, c, "compact_conversation", args{"messages": handed})
	if r.Status != statusNothing || r.SummaryID != "" {
		t.Errorf("%s: %.300s", r.Status, text)
	}
	contains(t, text, "it still fits, and compacting it would save only ", "less than 10%", "keep_turns")
	again, _ := do[compactResult](t, c, "compact_conversation", args{"session": r.Session, "keep_turns": 1})
	if again.Status != statusCompacted {
		t.Errorf("with keep_turns: %s, %s", again.Status, again.Reason)
	}
}

// What a default holds back until it pays, the status names with its size.
func TestContextStatusSaysWhatDoesNotPayYet(t *testing.T) {
	f := newFixture(t, nil)
	c := connect(t, f.Server, "tester")
	handed := append(readsOf(11, 12_000), json.RawMessage(`{"role":"assistant","content":"Yes."}`))
	r, _ := do[compactResult](t, c, "compact_conversation",
		args{"messages": handed, "keep_turns": 9, "return": "receipt", "dry_run": true})
	st, text := do[statusResult](t, c, "context_status", args{"session": r.Session, "model": "claude-sonnet-4-5"})
	if st.Used.N < 48_000 || st.Used.N > 80_000 {
		t.Fatalf("%d tokens: the test shows nothing", st.Used.N)
	}
	contains(t, text, "would clear at 48,000; not worth it yet")
}
