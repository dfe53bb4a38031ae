package engine_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"ctxledger.dev/compaction"
	"ctxledger.dev/engine"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
)

const toldByAModel = "## Completed\n- what a model told\n## Open Questions\nNone.\n" +
	"## Remaining Work\nNone.\n## Key Findings\nNone."

// author answers every brief with one text and one price, and counts.
type author struct {
	text  string
	run   compaction.Run
	asked int
	// meanwhile happens while it writes.
	meanwhile func()
}

func (a *author) write(_ context.Context, b *compaction.Brief) (compaction.Answer, error) {
	a.asked++
	if a.meanwhile != nil {
		a.meanwhile()
	}
	run := a.run
	run.Calls, run.Usage = 1, sessions.Usage{Input: 1_000, Output: 100}
	if run.Status == "" {
		run.Status = compaction.Accepted
	}
	return compaction.Answer{Text: a.text, FirstKept: b.FirstKept, Range: b.Range, Run: run}, nil
}

func by(t *testing.T, l ledger.API, session string, o compaction.Options, key string, a *author) ledger.CompactionPlan {
	t.Helper()
	p, err := ledger.CompactBy(t.Context(), l, ledger.PlanCompactionRequest{Session: session, Options: o}, key, false,
		a.write)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func used(t *testing.T, l *engine.Local, session string) sessions.Usage {
	t.Helper()
	return status(t, l, session).Total
}

func TestAModelsSummaryIsPlannedAndAccepted(t *testing.T) {
	l := open(t)
	id := hand(t, l, ledger.AppendMessagesRequest{Messages: long(30)}).Session
	measured := status(t, l, id).Measured
	a := &author{text: toldByAModel, meanwhile: func() { // a session that is worked in does not wait
		hand(t, l, ledger.AppendMessagesRequest{Session: id, Since: true, Messages: long(1)})
	}}
	p := by(t, l, id, compaction.Options{Mode: compaction.Hybrid, Keep: 2, Reason: "manual"}, "", a)
	s := p.Summary
	if p.Outcome != compaction.Compacted || s.Mode != compaction.Hybrid || s.Requested != compaction.Hybrid ||
		!s.Current || a.asked != 1 || p.Brief != nil {
		t.Fatalf("%s: %+v, asked %d times", p.Outcome, s.Record, a.asked)
	}
	if s.Run.Status != compaction.Accepted || s.Run.Usage.Input != 1_000 || s.Usage.Input != 1_000 ||
		s.TokensAfter.N >= s.TokensBefore.N {
		t.Errorf("%+v, usage %+v", s.Run, s.Usage)
	}
	view := render(t, l, id)
	if !strings.Contains(string(view[0]), "what a model told") || !strings.Contains(string(view[0]), s.ID) {
		t.Errorf("the view starts with %.200s", view[0])
	}
	if u := used(t, l, id); u.Input != 1_000 || u.Output != 100 {
		t.Errorf("the session used %+v", u)
	}
	if now := status(t, l, id).Measured; now != measured {
		t.Errorf("what a summary cost counts as an answer of the session's model: %d", now)
	}
	if _, err := l.Restore(t.Context(), ledger.RestoreRequest{ID: s.ID}); err != nil {
		t.Fatal(err)
	}
	if u := used(t, l, id); u.Input != 1_000 {
		t.Errorf("restoring changed what was used: %+v", u)
	}
}

func TestADeterministicSummaryStandsWhenAModelFails(t *testing.T) {
	for _, c := range []struct {
		name string
		a    author
		want compaction.Status
	}{
		{"it fails", author{run: compaction.Run{Status: compaction.Failed, Reason: "status 500"}}, compaction.Failed},
		{"it says nothing", author{text: " "}, compaction.Empty},
		{"it says too much", author{text: strings.Repeat("and on and on ", 20_000)}, compaction.TooLong},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := open(t)
			id := hand(t, l, ledger.AppendMessagesRequest{Messages: long(30)}).Session
			want := plan(t, l, id, compaction.Options{Keep: 2})
			p := by(t, l, id, compaction.Options{Mode: compaction.LLM, Keep: 2}, "", &c.a)
			if p.Outcome != compaction.Compacted || p.Summary.Mode != compaction.Intent ||
				p.Summary.Requested != compaction.LLM ||
				p.Summary.Run.Status != c.want || p.Summary.Run.Reason == "" {
				t.Fatalf("%s: %+v, run %+v", p.Outcome, p.Summary.Record, p.Summary.Run)
			}
			if p.Summary.Text != want.Summary.Text {
				t.Errorf("another text than the one without a model:\n%s", p.Summary.Text)
			}
			if u := used(t, l, id); u.Input != 1_000 {
				t.Errorf("the cost is lost: %+v", u)
			}
			failed := eventsOf[ledger.CompactionFailed](t, l, ledger.EventFailed)
			if len(failed) != 1 || failed[0].Class != c.want || failed[0].Cost.Usage.Input != 1_000 ||
				!failed[0].ViewChanged {
				t.Errorf("events %+v", failed)
			}
			if made := eventsOf[ledger.CompactionMade](t, l, ledger.EventCompaction); len(made) != 1 ||
				made[0].Fallback == "" || made[0].After >= made[0].Before {
				t.Errorf("events %+v", made)
			}
		})
	}
}

// Where nothing is gained the view stays as it was, and what the model cost is booked all the same.
func TestTheCostOfARefusedSummaryIsBooked(t *testing.T) {
	l := open(t)
	id := hand(t, l, ledger.AppendMessagesRequest{Model: "gpt-4", Messages: long(30)}).Session
	huge := say("Read this: " + strings.Repeat("one more word ", 9_000))
	a := &author{text: toldByAModel, meanwhile: func() { // and with that the window is full, whatever is summarised
		hand(t, l, ledger.AppendMessagesRequest{Session: id, Since: true, Messages: huge})
	}}
	for i := range 2 {
		p := by(t, l, id, compaction.Options{Mode: compaction.LLM, Keep: 2}, "k", a)
		if p.Outcome != compaction.DoesNotFit || p.Why == "" || p.Summary.Run == nil ||
			p.Summary.Run.Status != compaction.Unfit || a.asked != 1 {
			t.Fatalf("sending %d: %s: %s: %+v, asked %d times", i+1, p.Outcome, p.Why, p.Summary.Run, a.asked)
		}
	}
	if st := status(t, l, id); st.Summary != "" || len(render(t, l, id)) != 61 {
		t.Errorf("%d messages, summary %q", len(render(t, l, id)), st.Summary)
	}
	if u := used(t, l, id); u.Input != 1_000 {
		t.Errorf("the session used %+v", u)
	}
	es := log(t, l, id)
	if e := es[len(es)-1]; len(es) != 62 || e.Kind != sessions.KindCost || e.Usage.Output != 100 ||
		!strings.Contains(e.Note, "does_not_fit") {
		t.Errorf("%d entries, the last %+v", len(es), e)
	}
	if _, err := l.Forget(t.Context(), ledger.ForgetRequest{Handle: id}); err != nil {
		t.Fatal(err)
	}
	if e := log(t, l, id)[61]; e.Note != "" || used(t, l, id).Input != 1_000 {
		t.Errorf("after forgetting: %+v, used %+v", e, used(t, l, id))
	}
}

func TestAModelIsPaidOnceForARepeatedRequest(t *testing.T) {
	l := open(t)
	id := hand(t, l, ledger.AppendMessagesRequest{Messages: long(30)}).Session
	o := compaction.Options{Mode: compaction.LLM, Keep: 2}
	a := &author{text: toldByAModel}
	first := by(t, l, id, o, "k", a)
	hand(t, l, ledger.AppendMessagesRequest{Session: id, Since: true, Messages: long(20)})
	again := by(t, l, id, o, "k", a)
	if a.asked != 1 || again.Summary.ID != first.Summary.ID || again.Summary.Text != first.Summary.Text {
		t.Errorf("asked %d times, %s and %s", a.asked, first.Summary.ID, again.Summary.ID)
	}
	o.Keep = 3
	_, err := ledger.CompactBy(t.Context(), l, ledger.PlanCompactionRequest{Session: id, Options: o}, "k", false,
		a.write)
	if wantCode(t, err, fault.Conflict); a.asked != 1 {
		t.Error("another request under the key was paid for")
	}
}

// A summary of a range that is another one by now is written again, twice at most, and all of it is booked.
func TestASummaryOfAnotherRangeIsNotTaken(t *testing.T) {
	l := open(t)
	id := hand(t, l, ledger.AppendMessagesRequest{Messages: long(60)}).Session
	a := &author{text: toldByAModel}
	a.meanwhile = func() { compact(t, l, id, compaction.Options{Keep: 30 - 5*a.asked}) }
	p := by(t, l, id, compaction.Options{Mode: compaction.LLM, Keep: 2}, "", a)
	if a.asked != 2 || p.Outcome != compaction.Compacted || p.Summary.Mode != compaction.Intent ||
		p.Summary.Run.Status != compaction.Failed || p.Summary.Run.Usage.Input != 2_000 {
		t.Errorf("asked %d times: %s %s %+v", a.asked, p.Outcome, p.Why, p.Summary.Run)
	}
	if u := used(t, l, id); u.Input != 2_000 {
		t.Errorf("the session used %+v", u)
	}
}

func TestWhatAnAnswerMustBe(t *testing.T) {
	l := open(t)
	id := hand(t, l, ledger.AppendMessagesRequest{Messages: long(30)}).Session
	before, event := render(t, l, id), newest(t, l)
	o := compaction.Options{Mode: compaction.LLM, Keep: 2}
	p := plan(t, l, id, o)
	for _, c := range []struct {
		name string
		edit func(r *ledger.AcceptCompactionRequest)
		code fault.Code
	}{
		{"none", func(r *ledger.AcceptCompactionRequest) { r.Answer = nil }, fault.Invalid},
		{"of another range", func(r *ledger.AcceptCompactionRequest) { r.Answer.Range = "x" }, fault.Stale},
		{"for another boundary", func(r *ledger.AcceptCompactionRequest) { r.Answer.FirstKept++ }, fault.Stale},
		{"for no boundary", func(r *ledger.AcceptCompactionRequest) { r.Answer.FirstKept = 0 }, fault.Stale},
		{"too long", func(r *ledger.AcceptCompactionRequest) { r.Answer.Text = strings.Repeat("x", 2<<20) },
			fault.TooLarge},
		{"that gives tokens back", func(r *ledger.AcceptCompactionRequest) { r.Answer.Run.Usage.Input = -1 },
			fault.Invalid},
		{"in a mode without a model", func(r *ledger.AcceptCompactionRequest) { r.Options.Mode = compaction.Intent },
			fault.Invalid},
		{"under strict", func(r *ledger.AcceptCompactionRequest) { r.Options.Strict = true }, fault.Invalid},
	} {
		r := ledger.AcceptCompactionRequest{PlanCompactionRequest: p.PlanCompactionRequest, Position: p.Position,
			Answer: &compaction.Answer{
				Text: toldByAModel, FirstKept: p.Brief.FirstKept, Range: p.Brief.Range,
				Run: compaction.Run{Status: compaction.Accepted},
			}}
		c.edit(&r)
		_, err := l.AcceptCompaction(t.Context(), r)
		if fault.CodeOf(err) != c.code {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	gaveUp := errors.New("gave up")
	_, err := ledger.CompactBy(t.Context(), l, ledger.PlanCompactionRequest{Session: id, Options: o}, "", false,
		func(context.Context, *compaction.Brief) (compaction.Answer, error) {
			return compaction.Answer{}, gaveUp
		})
	if !errors.Is(err, gaveUp) {
		t.Error(err)
	}
	a := &author{text: toldByAModel}
	if p, err := ledger.CompactBy(t.Context(), l, ledger.PlanCompactionRequest{Session: id, Options: o}, "", true,
		a.write); err != nil || a.asked > 0 || p.Outcome != compaction.Compacted {
		t.Errorf("a dry run asked %d times: %v", a.asked, err)
	}
	_, err = ledger.CompactBy(t.Context(), l, ledger.PlanCompactionRequest{Session: id, Options: o}, "", false, nil)
	wantCode(t, err, fault.Invalid)
	wantView(t, l, id, before)
	if newest(t, l) != event {
		t.Error("something was recorded")
	}
}

// What leaves to a model is masked with the ledger's own masks; what is forgotten goes from what it said.
func TestSecretsAndAModelsWords(t *testing.T) {
	const secret = "ghp_abcdefghijklmnopqrstuvwxyz0123456789"
	l := open(t)
	id := hand(t, l, ledger.AppendMessagesRequest{Messages: append(say("The token is "+secret, "I see."),
		long(30)...)}).Session
	o := compaction.Options{Mode: compaction.Hybrid, Keep: 2}
	if raw := asJSON(t, plan(t, l, id, o).Brief); strings.Contains(string(raw), "ghp_") ||
		!strings.Contains(string(raw), "[masked:github-token:") {
		t.Errorf("%.300s", raw)
	}
	p := by(t, l, id, o, "", &author{text: strings.Replace(toldByAModel, "told", "told of Rumpelstiltskin", 1)})
	if !strings.Contains(p.Summary.Text, "Rumpelstiltskin") {
		t.Fatal(p.Summary.Run)
	}
	if _, err := l.Forget(t.Context(), ledger.ForgetRequest{Text: "Rumpelstiltskin"}); err != nil {
		t.Fatal(err)
	}
	if s, err := l.Summary(t.Context(), ledger.SummaryRequest{ID: p.Summary.ID}); err != nil ||
		strings.Contains(s.Text, "Rumpelstiltskin") {
		t.Errorf("%v: %s", err, s.Text)
	}
}
