package engine_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ctxledger.dev/agents"
	"ctxledger.dev/compaction"
	"ctxledger.dev/engine"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
)

// plan plans a compaction.
func plan(t *testing.T, l *engine.Local, session string, o compaction.Options) ledger.CompactionPlan {
	t.Helper()
	p, err := l.PlanCompaction(t.Context(), ledger.PlanCompactionRequest{Session: session, Options: o})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// wantView fails unless a session's view is byte for byte what it was.
func wantView(t *testing.T, l *engine.Local, session string, want [][]byte) {
	t.Helper()
	got := render(t, l, session)
	if len(got) != len(want) {
		t.Fatalf("%d messages in the view, want %d", len(got), len(want))
	}
	for i := range want {
		if !bytes.Equal(got[i], want[i]) {
			t.Fatalf("message %d of the view changed:\n%.300s\n%.300s", i+1, got[i], want[i])
		}
	}
}

func TestPlanningChangesNothingAndIsRepeatable(t *testing.T) {
	volume(t)
	l := open(t)
	id := shop(t, l)
	before, event := render(t, l, id), newest(t, l)
	first, second := plan(t, l, id, compaction.Options{}), plan(t, l, id, compaction.Options{})
	if first.Outcome != compaction.Compacted || !bytes.Equal(asJSON(t, first), asJSON(t, second)) {
		t.Errorf("two plans differ, or none is made: %s", first.Outcome)
	}
	wantView(t, l, id, before)
	if newest(t, l) != event {
		t.Error("planning left an event")
	}
}

func TestAStalePlanIsRefused(t *testing.T) {
	l := open(t)
	id := hand(t, l, ledger.AppendMessagesRequest{Messages: long(30)}).Session
	p := plan(t, l, id, compaction.Options{Keep: 2})
	hand(t, l, ledger.AppendMessagesRequest{Session: id, Since: true, Messages: spell("A")})
	before := render(t, l, id)
	_, err := l.AcceptCompaction(t.Context(),
		ledger.AcceptCompactionRequest{PlanCompactionRequest: p.PlanCompactionRequest, Position: p.Position})
	wantCode(t, err, fault.Stale)
	wantView(t, l, id, before)
	if p := compact(t, l, id, compaction.Options{Keep: 2}); p.Outcome != compaction.Compacted {
		t.Errorf("planning again: %s", p.Outcome)
	}
}

func TestNothingToDoIsAnAnswer(t *testing.T) {
	l := open(t)
	id := hand(t, l, ledger.AppendMessagesRequest{Messages: spell("Ab")}).Session
	for _, key := range []string{"", "k"} {
		p, err := ledger.Compact(t.Context(), l, ledger.PlanCompactionRequest{Session: id}, key, false)
		if err != nil || p.Outcome != compaction.NothingToDo || p.Why == "" {
			t.Errorf("key %q: %s, %q, %v", key, p.Outcome, p.Why, err)
		}
	}
	entries := len(log(t, l, id))
	p := plan(t, l, id, compaction.Options{})
	s, err := l.AcceptCompaction(t.Context(),
		ledger.AcceptCompactionRequest{PlanCompactionRequest: p.PlanCompactionRequest, Position: p.Position})
	if err != nil || s.Refused != compaction.NothingToDo || s.ID != "" || s.Why == "" {
		t.Errorf("%+v, %v", s, err)
	}
	skipped := eventsOf[ledger.CompactionSkipped](t, l, ledger.EventSkipped)
	if len(skipped) != 3 || skipped[0].Outcome != compaction.NothingToDo || skipped[0].Why == "" {
		t.Errorf("events %+v", skipped)
	}
	if len(log(t, l, id)) != entries {
		t.Error("a request by hand that came to nothing left an entry")
	}
}

// TestInvariant2RestoringGivesTheSameView goes through repeated compactions and back.
func TestInvariant2RestoringGivesTheSameView(t *testing.T) {
	volume(t)
	l := open(t)
	id := hand(t, l, ledger.AppendMessagesRequest{Messages: long(30)}).Session
	var views [][][]byte
	var summaries []string
	for i := range 3 {
		views = append(views, render(t, l, id))
		p := compact(t, l, id, compaction.Options{Keep: 2})
		if p.Outcome != compaction.Compacted || !p.Summary.Current {
			t.Fatalf("compaction %d: %s %s", i+1, p.Outcome, p.Why)
		}
		if i > 0 && (p.Summary.Previous != summaries[i-1] || p.Summary.From != 1) {
			t.Fatalf("compaction %d does not include the one before: %+v", i+1, p.Summary.Record)
		}
		summaries = append(summaries, p.Summary.ID)
		wantView(t, l, id, render(t, l, id))
		if i < 2 {
			hand(t, l, ledger.AppendMessagesRequest{Session: id, Since: true, Messages: long(10 + i)})
		}
	}
	last := render(t, l, id)
	if !bytes.Contains(last[0], []byte(summaries[2])) {
		t.Error("the summary does not name its handle")
	}
	for i, s := range summaries { // all are readable, in effect or not
		if got := readHandle(t, l, s); !strings.Contains(got, "Request 0:") {
			t.Errorf("summary %d does not reach back to the beginning", i+1)
		}
	}
	for i := 2; i >= 0; i-- {
		r, err := l.Restore(t.Context(), ledger.RestoreRequest{ID: summaries[i]})
		if err != nil {
			t.Fatal(err)
		}
		want := ""
		if i > 0 {
			want = summaries[i-1]
		}
		st := status(t, l, id)
		if r.Current != want || r.Session != id || r.Tokens != st.Used || st.Summary != want {
			t.Errorf("restoring summary %d: %+v, status %s %v", i+1, r, st.Summary, st.Used)
		}
		// The view is what it was before this compaction, and what came afterwards.
		now := render(t, l, id)
		for k, m := range views[i] {
			if !bytes.Equal(now[k], m) {
				t.Fatalf("message %d changed by compaction %d and its restoring", k+1, i+1)
			}
		}
		_, err = l.Restore(t.Context(), ledger.RestoreRequest{ID: summaries[i]})
		wantCode(t, err, fault.Conflict)
	}
	resp, err := l.Summaries(t.Context(), ledger.SummariesRequest{Session: id})
	if err != nil || len(resp.Summaries) != 3 {
		t.Fatalf("%d summaries, %v", len(resp.Summaries), err)
	}
	for i, s := range resp.Summaries {
		if s.ID != summaries[i] || s.Restored == nil || s.Current || s.Text != "" || s.TextTokens.N == 0 {
			t.Errorf("summary %d: %+v", i+1, s)
		}
	}
}

func TestRestoringAnEarlierCompactionTakesBackTheLaterOnes(t *testing.T) {
	l := open(t)
	id := hand(t, l, ledger.AppendMessagesRequest{Messages: long(30)}).Session
	whole := render(t, l, id)
	first := compact(t, l, id, compaction.Options{Keep: 2}).Summary.ID
	hand(t, l, ledger.AppendMessagesRequest{Session: id, Since: true, Messages: long(10)})
	second := compact(t, l, id, compaction.Options{Keep: 2}).Summary.ID
	r, err := l.Restore(t.Context(), ledger.RestoreRequest{ID: first})
	if err != nil || r.Current != "" || !slices.Equal(r.Also, []string{second}) {
		t.Fatalf("%+v, %v", r, err)
	}
	// Both are listed as undone. The later one was "part of a later one", of which there was none.
	for _, id := range []string{first, second} {
		s, err := l.Summary(t.Context(), ledger.SummaryRequest{ID: id})
		if err != nil || s.Restored == nil || s.Current {
			t.Errorf("summary %s: undone %v, in the view %t, %v", id, s.Restored, s.Current, err)
		}
		_, err = l.Restore(t.Context(), ledger.RestoreRequest{ID: id})
		if wantCode(t, err, fault.Conflict); !strings.Contains(err.Error(), "already undone") {
			t.Errorf("again: %v", err)
		}
	}
	if now := render(t, l, id); len(now) != len(whole)+20 {
		t.Errorf("%d messages, want %d", len(now), len(whole)+20)
	}
	// The later one is not in effect any more, and cannot be taken back after a new one was made.
	third := compact(t, l, id, compaction.Options{Keep: 2}).Summary.ID
	_, err = l.Restore(t.Context(), ledger.RestoreRequest{ID: second})
	wantCode(t, err, fault.Conflict)
	if st := status(t, l, id); st.Summary != third {
		t.Errorf("the view starts with %q, want %s", st.Summary, third)
	}
}

func TestCompactWithAKeyIsDoneOnce(t *testing.T) {
	volume(t)
	l := open(t)
	id := hand(t, l, ledger.AppendMessagesRequest{Messages: long(30)}).Session
	r := ledger.PlanCompactionRequest{Session: id, Options: compaction.Options{Keep: 2}}
	do := func(r ledger.PlanCompactionRequest, key string, dry bool) (ledger.CompactionPlan, error) {
		return ledger.Compact(t.Context(), l, r, key, dry)
	}
	if p, err := do(r, "k", true); err != nil || p.Outcome != compaction.Compacted || status(t, l, id).Summary != "" {
		t.Fatalf("a dry run: %s, %v", p.Outcome, err)
	}
	first, err := do(r, "k", false)
	if err != nil || first.Outcome != compaction.Compacted {
		t.Fatalf("%s, %v", first.Outcome, err)
	}
	for _, more := range []int{0, 1, 20} { // also when there is nothing to do, and when there is again
		if more > 0 {
			hand(t, l, ledger.AppendMessagesRequest{Session: id, Since: true, Messages: long(more)})
		}
		again, err := do(r, "k", false)
		if err != nil || again.Summary.ID != first.Summary.ID || again.Summary.Text != first.Summary.Text ||
			again.Outcome != compaction.Compacted {
			t.Fatalf("after %d turns: %s %s, %v", more, again.Outcome, again.Summary.ID, err)
		}
	}
	other := r
	other.Options.Keep = 3
	if _, err := do(other, "k", false); !fault.Is(err, fault.Conflict) {
		t.Errorf("other options under the key: %v", err)
	}
	if next, err := do(r, "k2", false); err != nil || next.Summary.ID == first.Summary.ID {
		t.Errorf("another key: %v", err)
	}
}

func TestASummaryWithoutWordsOfItsRangeIsNotFound(t *testing.T) {
	l := open(t)
	for _, id := range []string{"", "0123456789ab", strings.Repeat("a", 1<<16)} {
		_, err := l.Summary(t.Context(), ledger.SummaryRequest{ID: id})
		wantCode(t, err, fault.NotFound)
		_, err = l.Restore(t.Context(), ledger.RestoreRequest{ID: id})
		wantCode(t, err, fault.NotFound)
	}
}

func TestOptionsHaveLimits(t *testing.T) {
	l := open(t)
	id := hand(t, l, ledger.AppendMessagesRequest{Messages: long(30)}).Session
	big := strings.Repeat("x", 5000)
	for name, o := range map[string]compaction.Options{
		"notes": {Notes: big}, "focus": {Focus: big}, "reason": {Reason: big}, "model": {Model: big},
		"pin": {Pin: make([]string, 1000)},
	} {
		r := ledger.PlanCompactionRequest{Session: id, Options: o}
		if _, err := l.PlanCompaction(t.Context(), r); !fault.Is(err, fault.TooLarge) {
			t.Errorf("planning with a long %s: %v", name, err)
		}
		if _, err := l.AcceptCompaction(t.Context(),
			ledger.AcceptCompactionRequest{PlanCompactionRequest: r, Position: 60}); !fault.Is(err, fault.TooLarge) {
			t.Errorf("accepting with a long %s: %v", name, err)
		}
	}
}

func TestARewindBehindACompactionTakesItOutOfTheView(t *testing.T) {
	l := open(t)
	messages := long(30)
	id := hand(t, l, ledger.AppendMessagesRequest{Messages: messages}).Session
	compact(t, l, id, compaction.Options{Keep: 2})
	edited := append(messages[:10:10], spell("Zy")...)
	hand(t, l, ledger.AppendMessagesRequest{Session: id, Messages: edited})
	views(t, l, id, edited)
	if st := status(t, l, id); st.Summary != "" {
		t.Errorf("the view still starts with %s", st.Summary)
	}
}

func TestViewPagesJoinAndRefuseAnotherPosition(t *testing.T) {
	volume(t)
	l := open(t)
	var messages = spell("A")
	for i := range 40 {
		messages = append(messages, say(fmt.Sprint("Q", i, strings.Repeat(" word", 20_000)), "A")...)
	}
	id := hand(t, l, ledger.AppendMessagesRequest{Messages: messages[1:]}).Session
	first, err := l.View(t.Context(), ledger.ViewRequest{Session: id})
	if err != nil || first.Next == 0 {
		t.Fatalf("%d messages on the first page, %v", len(first.Messages), err)
	}
	if raw := asJSON(t, first); len(raw) > 4<<20 {
		t.Errorf("a page of %d bytes", len(raw))
	}
	views(t, l, id, messages[1:])
	hand(t, l, ledger.AppendMessagesRequest{Session: id, Since: true, Messages: spell("B")})
	_, err = l.View(t.Context(), ledger.ViewRequest{Session: id, From: first.Next, Position: first.Position})
	wantCode(t, err, fault.Stale)
}

// The view hides the summary that a host's model wrote in the middle of a session, because it has the messages themselves:
// the document carries it.
func TestTheHostsSummaryInTheSessionIsCarried(t *testing.T) {
	l := open(t)
	lines := bytes.SplitAfter(readFile(t, shopFile), []byte("\n"))
	summary, err := json.Marshal(map[string]any{
		"type": "user", "uuid": "5b0b5b0b-0000-4000-8000-000000000001", "isCompactSummary": true,
		"message": map[string]string{"role": "user", "content": "This session is being continued from a previous " +
			"conversation that ran out of context. The shop rounds each line by itself."},
	})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "shop.jsonl")
	half := len(lines) / 2
	lines = slices.Concat(lines[:half], [][]byte{append(summary, '\n')}, lines[half:])
	if err := os.WriteFile(file, bytes.Join(lines, nil), 0o600); err != nil {
		t.Fatal(err)
	}
	known, err := agents.Import(t.Context(), l, agents.Source{Path: file}, nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := l.PlanCompaction(t.Context(), ledger.PlanCompactionRequest{Session: known.Session})
	if err != nil {
		t.Fatal(err)
	}
	if head, _, _ := strings.Cut(p.Summary.Text, "The shop rounds each line by itself."); !strings.Contains(
		head[max(0, len(head)-90):], "[EARLIER SUMMARY") {
		t.Errorf("%s: the document does not carry the summary:\n%s", p.Outcome, p.Summary.Text)
	}
}
