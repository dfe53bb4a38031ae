package engine_test

import (
	"fmt"
	"strings"
	"testing"

	"ctxledger.dev/engine"
	"ctxledger.dev/ledger"
	"ctxledger.dev/transcript"
	"ctxledger.dev/window"
)

// kept is a request that keeps more turns than there are: a due compaction changes nothing.
func kept(session string) ledger.AutoRequest {
	r := of(session)
	r.Options.Keep = 9
	return r
}

// thrashing returns a session that is over the threshold, after the policy has tried three times in vain, in a
// ledger that can be opened again.
func thrashing(t *testing.T, dir string, p window.Policy) (*engine.Local, string) {
	t.Helper()
	l := openPolicy(t, dir, p)
	id := hand(t, l, ledger.AppendMessagesRequest{Model: "gpt-4o",
		Messages: say(strings.Repeat("word ", 50_000), "ok", "and now?")}).Session
	for i := range p.Compact.ThrashWindow {
		if out := auto(t, l, kept(id)); out.Action != ledger.AutoRefused || out.Trigger != "threshold" {
			t.Fatalf("attempt %d: %s, %s", i, out.Action, out.Why)
		}
	}
	return l, id
}

// openPolicy opens a ledger with a policy; the test closes it.
func openPolicy(t *testing.T, dir string, p window.Policy) *engine.Local {
	t.Helper()
	e, _ := testEnv()
	l, err := openOptions(t.Context(), engine.Options{State: dir, Env: e, Settings: engine.Settings{Policy: &p}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

// Compactions that change nothing are not repeated for ever; the user is notified once, and the state outlives
// the owner.
func TestCompactionsThatChangeNothingAreSuppressed(t *testing.T) {
	p, dir := without(), t.TempDir()
	p.Compact.Effective = 40_000
	l, id := thrashing(t, dir, p)
	for restarts := range 3 {
		out := auto(t, l, of(id))
		if out.Action != ledger.AutoNothing || !out.Edited.Due.Suppressed ||
			!strings.Contains(out.Why, "waits until the view has") {
			t.Errorf("after %d restarts: %s, %s", restarts, out.Action, out.Why)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		l = openPolicy(t, dir, p)
	}
	told := eventsOf[ledger.CompactionSuppressed](t, l, ledger.EventSuppressed)
	if len(told) != 1 || fmt.Sprint(told[0].Ratios) != "[0 0 0]" || told[0].Reason != "threshold" ||
		told[0].Until < 50_000 {
		t.Fatalf("told %+v", told)
	}

	// Growth of a tenth of the window arms it again; what grew can go.
	more := func(words int) {
		text := strings.Repeat("word ", words)
		hand(t, l, ledger.AppendMessagesRequest{Session: id, Since: true,
			Messages: [][]byte{transcript.NewMessage(transcript.Anthropic, transcript.RoleAssistant, text)}})
	}
	more(told[0].Until - 50_000 - 200)
	if out := auto(t, l, of(id)); !out.Edited.Due.Suppressed {
		t.Errorf("before it has grown enough: %s, %s", out.Action, out.Why)
	}
	more(400)
	if out := auto(t, l, of(id)); out.Action != ledger.AutoCompacted || out.Trigger != "threshold" {
		t.Errorf("after growth: %s, %s", out.Action, out.Why)
	}
	if told := eventsOf[ledger.CompactionSuppressed](t, l, ledger.EventSuppressed); len(told) != 1 {
		t.Errorf("told %d times", len(told))
	}
}

func TestWhatPassesTheGuard(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*ledger.AutoRequest)
	}{
		{"an overflow", func(r *ledger.AutoRequest) { r.Overflow = true }},
		{"a trimmed request", func(r *ledger.AutoRequest) { r.Trimmed = true }},
		{"a person", func(r *ledger.AutoRequest) { r.Manual = true }},
		{"another model", func(r *ledger.AutoRequest) { r.Model = "gpt-4.1" }},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := without()
			p.Compact.Effective = 40_000
			l, id := thrashing(t, t.TempDir(), p)
			r := kept(id)
			c.change(&r)
			if out := auto(t, l, r); out.Action != ledger.AutoRefused || out.Trigger == "" {
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
	id := hand(t, l, ledger.AppendMessagesRequest{Model: "gpt-4o", Messages: say(texts...)}).Session
	r := of(id)
	for i, keep := range []int{3, 4, 5} {
		r.Options.Keep = keep // each time one of the small turns goes
		out := auto(t, l, r)
		if out.Action != ledger.AutoCompacted {
			t.Fatalf("compaction %d: %s, %s", i, out.Action, out.Why)
		}
		hand(t, l, ledger.AppendMessagesRequest{Session: id, Since: true,
			Messages: say("go on", "yes", "and on", "yes")})
	}
	for _, made := range eventsOf[ledger.CompactionMade](t, l, ledger.EventCompaction) {
		if made.Savings <= 0 || made.Savings >= 0.10 {
			t.Fatalf("the case is gone: %+v", made)
		}
	}
	r.Options.Keep = 2 // the large turn could go
	if out := auto(t, l, r); !out.Edited.Due.Suppressed {
		t.Errorf("%s, %s", out.Action, out.Why)
	}
	r.Overflow = true
	if out := auto(t, l, r); out.Action != ledger.AutoCompacted {
		t.Errorf("an overflow: %s, %s", out.Action, out.Why)
	}
	hand(t, l, ledger.AppendMessagesRequest{Session: id, Since: true,
		Messages: say("more", strings.Repeat("word ", 45_000), "go on", "yes")})
	r.Overflow = false
	if out := auto(t, l, r); out.Edited.Due.Suppressed || out.Trigger != "threshold" {
		t.Errorf("after one that saved much: %s, %s", out.Action, out.Why)
	}
}

// Input beyond a limit has a compaction tried once, not with each request that follows; as much again has the next.
func TestALimitOfInputIsActedOnOnce(t *testing.T) {
	for _, c := range []struct {
		reason string
		limit  func(*window.Policy)
	}{
		{window.ReasonTurn, func(p *window.Policy) { p.Compact.SingleTurn = 50_000 }},
		{window.ReasonCumulative, func(p *window.Policy) { p.Compact.CutoverAt = 50_000 }},
	} {
		t.Run(c.reason, func(t *testing.T) {
			p := window.Default()
			p.Compact.Turns = 0
			c.limit(&p)
			l := openWith(t, p)
			// the first measures what every request carries
			id := imported(t, l, 0, asking("go"), spent("", false, 10), spent("", false, 60_000))
			for i, want := range []string{c.reason, "", "", c.reason, ""} {
				if out := auto(t, l, of(id)); out.Trigger != want {
					t.Errorf("request %d: %s by %q, %s", i, out.Action, out.Trigger, out.Why)
				}
				imported(t, l, int64(i+1), spent("", false, 20_000))
			}
			if told := eventsOf[ledger.CompactionSkipped](t, l, ledger.EventSkipped); len(told) != 2 {
				t.Errorf("told %d times", len(told))
			}
		})
	}
}
