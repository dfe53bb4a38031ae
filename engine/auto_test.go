package engine_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ctxledger.dev/compaction"
	"ctxledger.dev/engine"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
	"ctxledger.dev/window"
)

// auto does what the policy asks for.
func auto(t *testing.T, l *engine.Local, r ledger.AutoRequest) ledger.AutoResult {
	t.Helper()
	out, err := ledger.Auto(t.Context(), l, r, nil)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// of is a request about a session.
func of(session string) ledger.AutoRequest {
	return ledger.AutoRequest{EditViewRequest: ledger.EditViewRequest{Session: session}}
}

// talkOf returns turns of one request, one call with a result of so many words, and an answer.
func talkOf(turns, words int) [][]byte {
	var out [][]byte
	for i := range turns {
		out = append(out, transcript.NewMessage(transcript.Anthropic, transcript.RoleUser,
			fmt.Sprintf("request %d: see to the thing %d", i, i)))
		out = append(out, round(fmt.Sprint("t", i), "Grep", map[string]any{"pattern": fmt.Sprint("thing", i)},
			fmt.Sprint(i, strings.Repeat(" word", words)))...)
		out = append(out, transcript.NewMessage(transcript.Anthropic, transcript.RoleAssistant,
			fmt.Sprintf("thing %d is seen to", i)))
	}
	return out
}

// full lets a view fill the window before a compaction is due.
func full(p *window.Policy) {
	p.Compact.Fraction, p.Compact.Effective, p.Compact.Idle, p.Compact.Gain = 0.85, 0, 0, 0
}

// without returns the default policy without the passes that edit.
func without() window.Policy {
	p := window.Default()
	p.Clear.Trigger, p.Arguments.Trigger, p.ReplayChars, p.UserChars = 0, 0, 0, 0
	p.Compact.Gain = 0
	return p
}

func TestAutoDoesWhatThePolicyAsksFor(t *testing.T) {
	for _, c := range []struct {
		name     string
		policy   func(*window.Policy)
		turns    int
		signals  ledger.Signals
		action   ledger.AutoAction
		trigger  string
		why      string
		messages bool
	}{
		{"nothing", nil, 3, ledger.Signals{}, ledger.AutoNothing, "", "within its limits", true},
		{"edits that suffice", full, 28, ledger.Signals{}, ledger.AutoEdited, "", "within its limits", true},
		{"edits instead of a compaction", func(p *window.Policy) { p.Compact.Effective = 80_000 }, 20, ledger.Signals{},
			ledger.AutoEdited, "", "; without these edits a compaction would be due: the request has ", true},
		{"edits do nothing for who does not send them", func(p *window.Policy) { p.Compact.Effective = 80_000 }, 20,
			ledger.Signals{}, ledger.AutoCompacted, "threshold",
			"; edits would be enough for a caller that sends the whole view", false},
		{"a compaction", func(p *window.Policy) { *p = without(); p.Compact.Effective = 40_000 }, 20, ledger.Signals{},
			ledger.AutoCompacted, "threshold", "the limit is 40,000", true},
		{"by turns", func(p *window.Policy) { p.Compact.Turns = 15 }, 15, ledger.Signals{}, ledger.AutoCompacted,
			"window_size", "15 turns", true},
		{"an overflow", nil, 20, ledger.Signals{Overflow: true}, ledger.AutoCompacted, "context_exceeded", "refused",
			true},
		{"asked too early", nil, 3, ledger.Signals{Asked: true}, ledger.AutoNothing, "", window.NotYet, true},
		{"asked below the trigger", func(p *window.Policy) { *p = without(); p.Compact.Effective = 100_000 }, 15,
			ledger.Signals{Asked: true}, ledger.AutoNothing, "", window.NotYet, true},
		{"asked above it", func(p *window.Policy) { *p = without(); p.Compact.Effective = 40_000 }, 20,
			ledger.Signals{Asked: true}, ledger.AutoCompacted, "threshold", "the limit is 40,000", true},
		{"by hand, and there is nothing", nil, 1, ledger.Signals{Manual: true}, ledger.AutoRefused, "manual",
			"not compacted: the whole conversation", true},
		{"without edits", func(p *window.Policy) { p.Compact.Effective = 40_000 }, 20, ledger.Signals{},
			ledger.AutoCompacted, "threshold", "the limit", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := window.Default()
			if c.policy != nil {
				c.policy(&p)
			}
			p.Compact.Fraction = 0.5
			l := openWith(t, p)
			id := hand(t, l, ledger.AppendMessagesRequest{Model: "gpt-4o", Messages: talkOf(c.turns, 4_000)}).Session
			r := of(id)
			r.Signals, r.NoEdits = c.signals, !c.messages
			before := render(t, l, id)
			r.DryRun = true
			if dry := auto(t, l, r); dry.Action != c.action {
				t.Errorf("a dry run: %s, %s", dry.Action, dry.Why)
			}
			wantView(t, l, id, before)
			r.DryRun = false
			out := auto(t, l, r)
			if out.Action != c.action || out.Trigger != c.trigger || !strings.Contains(out.Why, c.why) {
				t.Fatalf("%s, trigger %q: %s", out.Action, out.Trigger, out.Why)
			}
			if out.Action == ledger.AutoCompacted && out.Compaction.Summary.Reason != c.trigger {
				t.Errorf("the record says %q", out.Compaction.Summary.Reason)
			}
			if err := transcript.Valid(transcript.Anthropic, render(t, l, id)); err != nil {
				t.Error(err)
			}
		})
	}
}

// A repeated request is applied once, whatever it did.
func TestAutoWithAKeyIsDoneOnce(t *testing.T) {
	p := without()
	p.Compact.Effective = 40_000
	l := openWith(t, p)
	id := hand(t, l, ledger.AppendMessagesRequest{Messages: talkOf(20, 4_000)}).Session
	r := of(id)
	r.Key = "k"
	first, n := auto(t, l, r), 0
	n = len(log(t, l, id))
	again := auto(t, l, r)
	if first.Action != ledger.AutoCompacted || again.Compaction.Summary.ID != first.Compaction.Summary.ID ||
		len(log(t, l, id)) != n {
		t.Errorf("%s %s, then %s with %d entries", first.Action, first.Why, again.Action, len(log(t, l, id))-n)
	}
}

// In the turn after a compaction a request gets the numbers of that one.
func TestAskedInTheGraceTurnTheLastCompactionAnswers(t *testing.T) {
	p := without()
	p.Compact.Effective = 15_000
	l := openWith(t, p)
	id := hand(t, l, ledger.AppendMessagesRequest{Model: "gpt-4o", Messages: talkOf(20, 4_000)}).Session
	made := auto(t, l, of(id))
	hand(t, l, ledger.AppendMessagesRequest{Session: id, Since: true,
		Messages: append(talkOf(1, 5_000),
			round("x", "Grep", map[string]any{"pattern": "x"}, strings.Repeat("word ", 5_000))...)})
	for range 2 {
		r := of(id)
		r.Asked = true
		out := auto(t, l, r)
		if out.Action != ledger.AutoNothing || !strings.Contains(out.Why, "summary "+made.Compaction.Summary.ID) ||
			!strings.Contains(out.Why, made.Compaction.Summary.TokensAfter.String()) {
			t.Errorf("%s: %s", out.Action, out.Why)
		}
	}
	skipped := eventsOf[ledger.CompactionSkipped](t, l, ledger.EventSkipped)
	if len(skipped) != 1 || skipped[0].Outcome != "grace" {
		t.Errorf("events %+v", skipped)
	}
}

// A mode with a model is asked where there is one, and the deterministic one is used where there is none, and
// after an overflow: a model would be given the history that was just refused.
func TestAutoAsksTheConfiguredModel(t *testing.T) {
	wrote := func(_ context.Context, b *compaction.Brief) (compaction.Answer, error) {
		return compaction.Supplied(b, "It went well."), nil
	}
	for _, c := range []struct {
		name     string
		open     ledger.OpenAuthor
		overflow bool
		mode     compaction.Mode
		fallback string
	}{
		{"there is one", func(context.Context) (ledger.Author, string, error) { return wrote, "", nil }, false,
			compaction.LLM, ""},
		{"nobody can ask", nil, false, compaction.Intent, "no model can be asked"},
		{"none is configured", func(context.Context) (ledger.Author, string, error) {
			return nil, "", errors.New("no summarizer")
		}, false, compaction.Intent, "no summarizer"},
		{"an overflow", func(context.Context) (ledger.Author, string, error) { return wrote, "", nil }, true,
			compaction.Intent, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := without()
			p.Compact.Effective, p.Compact.Mode = 40_000, "llm"
			l := openWith(t, p)
			r := of(hand(t, l, ledger.AppendMessagesRequest{Messages: talkOf(20, 4_000)}).Session)
			r.Overflow = c.overflow
			out, err := ledger.Auto(t.Context(), l, r, c.open)
			if err != nil || out.Action != ledger.AutoCompacted || out.Compaction.Summary.Mode != c.mode ||
				!strings.Contains(out.Fallback, c.fallback) {
				t.Fatalf("%s, %q, %v: %+v", out.Action, out.Fallback, err, out.Compaction)
			}
		})
	}
}

// The effects of edits on a view are reported by kind, once for each step, with sizes, passes and the largest ones.
func TestEditsAreToldWithTheirSizes(t *testing.T) {
	l := open(t)
	id := hand(t, l, ledger.AppendMessagesRequest{Messages: talkOf(40, 4_000), Model: "claude-sonnet-4-5"}).Session
	out := auto(t, l, of(id))
	told := eventsOf[ledger.EditsMade](t, l, ledger.EventCleared)
	if len(told) != 1 {
		t.Fatalf("%+v", told)
	}
	e := told[0]
	if e.Count != len(out.Edited.Edits) || e.Before != out.Edited.TokensBefore.N ||
		e.After != out.Edited.TokensAfter.N || !e.Estimate ||
		e.Rewritten == 0 || e.Reason != "threshold" || e.Freed < e.Before-e.After-10 || e.Freed > e.Before-e.After+10 {
		t.Errorf("%+v for %+v", e, out.Edited)
	}
	if len(e.Passes) != 1 || e.Passes[0].Pass != "clear" || e.Passes[0].Count != e.Count ||
		e.Items[0].Tool != "Grep" || e.Items[0].Call == "" {
		t.Errorf("passes %+v, items %+v", e.Passes, e.Items)
	}
}

// used is an answer of an agent that took so much input.
func spent(author string, hidden bool, input int64) sessions.NewEntry {
	return sessions.NewEntry{
		Kind: sessions.KindMessage, Format: transcript.Anthropic, Author: author, Hidden: hidden,
		Usage:    &sessions.Usage{Input: input},
		Original: []byte(`{"role":"assistant","content":"I looked."}`),
	}
}

func asking(text string) sessions.NewEntry {
	return sessions.NewEntry{Kind: sessions.KindMessage, Format: transcript.Anthropic,
		Original: transcript.NewMessage(transcript.Anthropic, transcript.RoleUser, text)}
}

// imported appends entries to a session as an import does.
func imported(t *testing.T, l *engine.Local, offset int64, entries ...sessions.NewEntry) string {
	t.Helper()
	resp, err := l.AppendEntries(t.Context(), ledger.AppendEntriesRequest{
		Import: "i", Session: sessions.Session{Host: "h", HostID: "i"}, Offset: offset, Next: offset + 1, Done: true,
		Entries: entries,
	})
	if err != nil {
		t.Fatal(err)
	}
	return resp.Session
}

// Two agents are counted apart, also a subagent whose lines are in no view; each is warned once in a
// cycle, and only what the view can change compacts it.
func TestEachAgentHasABudgetOfItsOwn(t *testing.T) {
	p := window.Default()
	p.Compact.WarnAt, p.Compact.CutoverAt, p.Compact.Turns = 1_000, 2_000, 0
	l := openWith(t, p)
	id := imported(t, l, 0, asking("go"), spent("", false, 900), spent("tester", false, 900),
		spent("explorer", true, 5_000))
	if out := auto(t, l, of(id)); out.Action != ledger.AutoNothing {
		t.Fatalf("%s: %s", out.Action, out.Why)
	}
	imported(t, l, 1, spent("tester", false, 200), spent("", false, 50))
	for range 3 {
		if out := auto(t, l, of(id)); out.Action != ledger.AutoNothing || out.Trigger != "" {
			t.Fatalf("%s: %s", out.Action, out.Why)
		}
	}
	warned := eventsOf[ledger.BudgetWarning](t, l, ledger.EventBudgetWarn)
	if len(warned) != 2 || warned[0].Agent != "explorer" || warned[0].Input != 5_000 || warned[1].Agent != "tester" ||
		warned[1].Input != 1_100 {
		t.Errorf("warned of %+v", warned)
	}
	var texts []sessions.NewEntry
	for i := range 30 {
		texts = append(texts, asking(fmt.Sprintf("request %d %s", i, strings.Repeat("please ", 300))),
			spent("", false, 0))
	}
	imported(t, l, 2, append(texts, spent("tester", false, 1_000))...)
	out := auto(t, l, of(id))
	if out.Action != ledger.AutoCompacted || out.Trigger != "cumulative_budget" {
		t.Fatalf("%s by %q: %s", out.Action, out.Trigger, out.Why)
	}
	cut := eventsOf[ledger.BudgetWarning](t, l, ledger.EventCutover)
	if len(cut) != 1 || cut[0].Agent != "tester" || cut[0].Input != 2_100 || cut[0].CutoverAt != 2_000 {
		t.Errorf("cut over %+v", cut)
	}
	for _, a := range status(t, l, id).Agents {
		if a.Input != 0 || a.Apart != (a.Agent == "explorer") {
			t.Errorf("after the compaction: %+v", a)
		}
	}
	imported(t, l, 3, asking("on"), spent("", false, 0), asking("and on"), spent("tester", false, 1_500))
	auto(t, l, of(id))
	if warned := eventsOf[ledger.BudgetWarning](t, l, ledger.EventBudgetWarn); len(warned) != 3 ||
		warned[2].Agent != "tester" || warned[2].Input != 1_500 {
		t.Errorf("in the next cycle: %+v", warned)
	}
}

// An agent with limits of its own has those, the others the common ones.
func TestAnAgentsOwnLimitsHoldForIt(t *testing.T) {
	p, own := window.Default(), window.Default()
	p.Compact.WarnAt, own.Compact.CutoverAt = 1_000, 500
	e, _ := testEnv()
	l, err := openOptions(t.Context(), engine.Options{State: t.TempDir(), Env: e,
		Settings: engine.Settings{Policy: &p, Agents: map[string]window.Policy{"tester": own}}})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	id := imported(t, l, 0, asking("go"), spent("", false, 999), spent("Tester", false, 499), asking("on"))
	if out := auto(t, l, of(id)); out.Trigger != "" || out.Edited.Warn {
		t.Errorf("%q: %s", out.Trigger, out.Why)
	}
	imported(t, l, 1, spent("Tester", false, 1), spent("", false, 1))
	if out := auto(t, l, of(id)); out.Trigger != "cumulative_budget" || !out.Edited.Warn {
		t.Errorf("%q: %s", out.Trigger, out.Why)
	}
	warned, cut := eventsOf[ledger.BudgetWarning](t, l, ledger.EventBudgetWarn), eventsOf[ledger.BudgetWarning](t, l,
		ledger.EventCutover)
	if len(warned) != 1 || warned[0].Agent != "" || len(cut) != 1 || cut[0].Agent != "Tester" {
		t.Errorf("warned %+v, cut over %+v", warned, cut)
	}
}

// A change of the model counts again and carries on: the same bytes, other thresholds, nothing un-cleared.
func TestAChangeOfModelCarriesTheViewOn(t *testing.T) {
	p := window.Default()
	full(&p)
	l := openWith(t, p)
	messages := talkOf(30, 6_000)
	id := hand(t, l, ledger.AppendMessagesRequest{Messages: messages, Model: "claude-sonnet-4-5"}).Session
	first := auto(t, l, of(id))
	if first.Action != ledger.AutoEdited {
		t.Fatalf("%s: %s", first.Action, first.Why)
	}
	sent, before := render(t, l, id), status(t, l, id)

	// The same conversation continues with a model of a larger window and a known tokenizer.
	hand(t, l, ledger.AppendMessagesRequest{Session: id, Since: true, Model: "gpt-4.1", Messages: talkOf(1, 10)})
	after := status(t, l, id)
	if after.Model != "gpt-4.1" || !after.Used.Exact || before.Used.Exact || after.Window <= before.Window ||
		after.Threshold <= before.Threshold {
		t.Errorf("before %s %+v of %d, after %s %+v of %d", before.Model, before.Used, before.Window, after.Model,
			after.Used, after.Window)
	}
	if got := render(t, l, id); len(got) < len(sent) {
		t.Errorf("%d messages, there were %d", len(got), len(sent))
	} else {
		for i := range sent {
			if string(got[i]) != string(sent[i]) {
				t.Fatalf("message %d changed with the model", i)
			}
		}
	}
	if out := auto(t, l, of(id)); out.Action != ledger.AutoNothing {
		t.Errorf("a larger window: %s, %s", out.Action, out.Why)
	}

	// A smaller window has its threshold at once. What was cleared stays so.
	r := of(id)
	r.Model = "gpt-4"
	out := auto(t, l, r)
	if out.Action != ledger.AutoCompacted || out.Compaction.Summary.Record.Window != 8_192 ||
		out.Compaction.Summary.Record.Model != "gpt-4" {
		t.Fatalf("a smaller window: %s, %s", out.Action, out.Why)
	}
	if made := eventsOf[ledger.CompactionMade](t, l, ledger.EventCompaction); made[0].Window != 8_192 {
		t.Errorf("%+v", made)
	}
	if got := render(t, l, id); strings.Count(string(got[len(got)-1]), "word") > 1_000 || len(got) >= len(sent) {
		t.Errorf("%d messages are left of %d", len(got), len(sent))
	}
}

// A message that a pass cannot look at stays as it is, is reported once, and does not keep others from editing the others.
func TestAMessageThatCannotBeReadIsLeftAsItIs(t *testing.T) {
	inFiles(t)
	dir := t.TempDir()
	p := window.Default()
	p.Clear.Keep, p.Clear.AtLeast = 8, 3_000 // the one that is left is looked at again
	l := openPolicy(t, dir, p)
	id := hand(t, l, ledger.AppendMessagesRequest{Messages: talkOf(14, 7_500)}).Session
	blobs, err := filepath.Glob(filepath.Join(dir, "blobs", "*", "*"))
	if err != nil || len(blobs) != 14 {
		t.Fatalf("%d blobs, %v", len(blobs), err)
	}
	lost := originals(t, l, id, 3, 3) // the first result
	sum := sha256.Sum256(bytes.TrimSuffix(lost, []byte("\n")))
	name := hex.EncodeToString(sum[:])
	if err := errors.Join(l.Close(), os.Truncate(filepath.Join(dir, "blobs", name[:2], name), 100)); err != nil {
		t.Fatal(err)
	}
	l = openPolicy(t, dir, p)
	for step, edits := range []int{5, 0} {
		made, err := l.EditView(t.Context(), ledger.EditViewRequest{Session: id, Reason: "manual"})
		if err != nil || len(made.Edits) != edits || len(made.Failed) != 1 || made.Failed[0].Entry != 3 ||
			made.Failed[0].Layer != "clear" {
			t.Errorf("step %d: %d edits, %+v, %v", step, len(made.Edits), made.Failed, err)
		}
	}
	if told := eventsOf[ledger.LayerError](t, l, ledger.EventLayerError); len(told) != 1 || told[0].Entry != 3 ||
		told[0].Message == "" || told[0].Error == "" {
		t.Errorf("told %+v", told)
	}
}
