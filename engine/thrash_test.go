package engine_test

import (
	"fmt"
	"strings"
	"testing"

	"ctxledger.dev/engine"
	"ctxledger.dev/transcript"
	"ctxledger.dev/window"
)

// kept is a request that keeps more turns than there are: whatever is due comes to nothing.
func kept(session string) engine.AutoRequest {
	r := of(session)
	r.Options.Keep = 9
	return r
}

// thrashing returns a session that is over the threshold, after the policy has tried three times in vain, in a
// ledger that can be opened again.
func thrashing(t *testing.T, dir string, p window.Policy) (*engine.Local, string) {
	t.Helper()
	l := openPolicy(t, dir, p)
	id := hand(t, l, engine.AppendMessagesRequest{Model: "gpt-4o", Messages: say(strings.Repeat("word ", 50_000), "ok", "and now?")}).Session
	for i := range p.Compact.ThrashWindow {
		if out := auto(t, l, kept(id)); out.Action != engine.AutoRefused || out.Trigger != "threshold" {
			t.Fatalf("attempt %d: %s, %s", i, out.Action, out.Why)
		}
	}
	return l, id
}

// openPolicy opens a ledger with a policy; the test closes it.
func openPolicy(t *testing.T, dir string, p window.Policy) *engine.Local {
	t.Helper()
	e, _ := testEnv()
	l, err := engine.Open(t.Context(), engine.Options{State: dir, Env: e, Settings: engine.Settings{Policy: &p}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

// Compactions that change nothing are not repeated for ever; the user is told once, and the state outlives
// the owner.
func TestCompactionsThatChangeNothingAreSuppressed(t *testing.T) {
	p, dir := without(), t.TempDir()
	p.Compact.Effective = 40_000
	l, id := thrashing(t, dir, p)
	for restarts := range 3 {
		out := auto(t, l, of(id))
		if out.Action != engine.AutoNothing || !out.Edited.Due.Suppressed || !strings.Contains(out.Why, "waits until the view has") {
			t.Errorf("after %d restarts: %s, %s", restarts, out.Action, out.Why)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		l = openPolicy(t, dir, p)
	}
	told := eventsOf[engine.CompactionSuppressed](t, l, engine.EventSuppressed)
	if len(told) != 1 || fmt.Sprint(told[0].Ratios) != "[0 0 0]" || told[0].Reason != "threshold" || told[0].Until < 50_000 {
		t.Fatalf("told %+v", told)
	}

	// Growth of a tenth of the window arms it again; what grew can go.
	more := func(words int) {
		text := strings.Repeat("word ", words)
		hand(t, l, engine.AppendMessagesRequest{Session: id, Since: true, Messages: [][]byte{transcript.NewMessage(transcript.Anthropic, transcript.RoleAssistant, text)}})
	}
	more(told[0].Until - 50_000 - 200)
	if out := auto(t, l, of(id)); !out.Edited.Due.Suppressed {
		t.Errorf("before it has grown enough: %s, %s", out.Action, out.Why)
	}
	more(400)
	if out := auto(t, l, of(id)); out.Action != engine.AutoCompacted || out.Trigger != "threshold" {
		t.Errorf("after growth: %s, %s", out.Action, out.Why)
	}
	if told := eventsOf[engine.CompactionSuppressed](t, l, engine.EventSuppressed); len(told) != 1 {
		t.Errorf("told %d times", len(told))
	}
}

func TestWhatPassesTheGuard(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*engine.AutoRequest)
	}{
		{"an overflow", func(r *engine.AutoRequest) { r.Overflow = true }},
		{"a trimmed request", func(r *engine.AutoRequest) { r.Trimmed = true }},
		{"a person", func(r *engine.AutoRequest) { r.Manual = true }},
		{"the agent", func(r *engine.AutoRequest) { r.Asked = true }},
		{"another model", func(r *engine.AutoRequest) { r.Model = "gpt-4.1" }},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := without()
			p.Compact.Effective = 40_000
			l, id := thrashing(t, t.TempDir(), p)
			r := kept(id)
			c.change(&r)
			if out := auto(t, l, r); out.Action != engine.AutoRefused || out.Trigger == "" {
				t.Errorf("%s, %s", out.Action, out.Why)
			}
		})
	}
}

// Three compactions that each save a few per cent count as refused ones do, until one saves more.
func TestCompactionsThatSaveLittleAreSuppressed(t *testing.T) {
	p := without()
	p.Compact.Fraction, p.Compact.Turns = 0.30, 0
	l := openWith(t, p)
	small := strings.Repeat("an answer that goes on and on ", 250)
	texts := []string{"one", small, "two", small, "three", small, strings.Repeat("word ", 50_000), "well"}
	id := hand(t, l, engine.AppendMessagesRequest{Model: "gpt-4o", Messages: say(texts...)}).Session
	r := of(id)
	for i, keep := range []int{3, 4, 5} {
		r.Options.Keep = keep // each time one of the small turns goes
		out := auto(t, l, r)
		if out.Action != engine.AutoCompacted {
			t.Fatalf("compaction %d: %s, %s", i, out.Action, out.Why)
		}
		hand(t, l, engine.AppendMessagesRequest{Session: id, Since: true, Messages: say("go on", "yes", "and on", "yes")})
	}
	for _, made := range eventsOf[engine.CompactionMade](t, l, engine.EventCompaction) {
		if made.Savings <= 0 || made.Savings >= 0.10 {
			t.Fatalf("the case is gone: %+v", made)
		}
	}
	r.Options.Keep = 2 // the large turn could go
	if out := auto(t, l, r); !out.Edited.Due.Suppressed {
		t.Errorf("%s, %s", out.Action, out.Why)
	}
	r.Overflow = true
	if out := auto(t, l, r); out.Action != engine.AutoCompacted {
		t.Errorf("an overflow: %s, %s", out.Action, out.Why)
	}
	hand(t, l, engine.AppendMessagesRequest{Session: id, Since: true, Messages: say("more", strings.Repeat("word ", 45_000), "go on", "yes")})
	r.Overflow = false
	if out := auto(t, l, r); out.Edited.Due.Suppressed || out.Trigger != "threshold" {
		t.Errorf("after one that saved much: %s, %s", out.Action, out.Why)
	}
}
