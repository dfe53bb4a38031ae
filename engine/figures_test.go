package engine_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"ctxledger.dev/compaction"
	"ctxledger.dev/engine"
	"ctxledger.dev/ledger"
	"ctxledger.dev/tokens"
)

// figuresOf reads the figures of a compaction wherever the ledger tells them: alone, in the list, and in a status while
// it is in effect.
func figuresOf(t *testing.T, l *engine.Local, id string) map[string]string {
	t.Helper()
	of := func(s ledger.Summary) string { return s.Became() + ", text " + s.TextTokens.String() + ", " + s.Basis }
	alone, err := l.Summary(t.Context(), ledger.SummaryRequest{ID: id})
	if err != nil {
		t.Fatal(err)
	}
	all, err := l.Summaries(t.Context(), ledger.SummariesRequest{Session: alone.Session})
	if err != nil {
		t.Fatal(err)
	}
	told := map[string]string{"alone": of(alone), "status": alone.Became()}
	for _, s := range all.Summaries {
		if s.ID == id {
			told["list"] = of(s)
		}
	}
	if st := status(t, l, alone.Session); st.Summary == id {
		told["status"] = st.Became
	}
	return told
}

// taught makes a ledger learn that a model's tokenizer makes twice the tokens of o200k_base.
func taught(t *testing.T, l *engine.Local, model string) {
	t.Helper()
	got := learn(t, open(t), "a", measured(0, 60, model))
	if _, err := l.KeepEstimators(t.Context(), ledger.KeepEstimatorsRequest{Estimators: got}); err != nil {
		t.Fatal(err)
	}
}

// TestFiguresOfASummaryStayAfterCalibrationChanged: what a compaction replaced and became is what was counted when it
// was made, in every answer, for the model that it was made for, and to a request that is sent again.
func TestFiguresOfASummaryStayAfterCalibrationChanged(t *testing.T) {
	for _, model := range []string{"", "claude-opus-4-7", "gpt-4o"} { // "": the session's, which is not known
		l := open(t)
		id := hand(t, l, ledger.AppendMessagesRequest{Messages: long(30)}).Session
		r := ledger.PlanCompactionRequest{Session: id, Options: compaction.Options{Keep: 2, Model: model, Budget: 900}}
		planned, err := ledger.Compact(t.Context(), l, r, "", true)
		if err != nil {
			t.Fatal(err)
		}
		made, err := ledger.Compact(t.Context(), l, r, "k", false)
		if err != nil {
			t.Fatal(err)
		}
		s := made.Summary
		if planned.Summary.ID != s.ID || planned.Summary.Became() != s.Became() || planned.Summary.Basis != s.Basis {
			t.Errorf("%q: planned %s %q, made %s %q", model, planned.Summary.ID, planned.Summary.Became(), s.ID,
				s.Became())
		}
		if c := tokens.Builtin().For(model); s.TokensBefore != c.Of(s.Before) || s.TokensAfter != c.Of(s.After) ||
			s.Basis != c.Quality() || s.Model != model || s.Budget != 900 || s.Mode != compaction.Intent ||
			s.TurnTo == 0 {
			t.Errorf("%q: recorded are %+v", model, s)
		}
		c, cut := tokens.Builtin().For(model), s.Cut[0]
		if got, want := s.Of(cut), c.Of(cut.Tokens); got.Exact != want.Exact || max(got.N-want.N, want.N-got.N) > 1 {
			t.Errorf("%q: what left the view had %s, want %s", model, got, want)
		}
		before := figuresOf(t, l, s.ID)
		if before["alone"] != before["list"] || before["status"] != s.Became() {
			t.Errorf("%q: the faces tell %v, the answer %q", model, before, s.Became())
		}
		taught(t, l, "claude-opus-4-7")
		if diff := cmp.Diff(before, figuresOf(t, l, s.ID)); diff != "" {
			t.Errorf("%q: after learning (-before +after):\n%s", model, diff)
		}
		again, err := ledger.Compact(t.Context(), l, r, "k", false)
		if diff := cmp.Diff(s, again.Summary); err != nil || diff != "" {
			t.Errorf("%q: sent again: %v\n%s", model, err, diff)
		}
		events := eventsOf[ledger.CompactionMade](t, l, ledger.EventCompaction)
		if e := events[0]; e.Before != s.TokensBefore.N || e.After != s.TokensAfter.N ||
			e.SummaryTokens != s.TextTokens.N || e.Estimate == s.TokensBefore.Exact {
			t.Errorf("%q: the event tells %+v, the answer %q", model, e, s.Became())
		}
	}
}

// TestAViewHoldsWhatItsSummaryBecame: what a status counts right after a compaction, and before the next one, is what
// these say. They lacked the frame of the summary's message, 4 tokens.
func TestAViewHoldsWhatItsSummaryBecame(t *testing.T) {
	l := open(t)
	id := hand(t, l, ledger.AppendMessagesRequest{Messages: long(30)}).Session
	for range 3 {
		before := status(t, l, id).Used
		s := compact(t, l, id, compactionOf(2)).Summary
		if now := status(t, l, id).Used; s.TokensBefore != before || s.TokensAfter != now {
			t.Errorf("%s; the view had %s and has %s", s.Became(), before, now)
		}
		hand(t, l, ledger.AppendMessagesRequest{Session: id, Since: true, Messages: long(12)})
	}
}

// TestFiguresOfAnOlderSummaryAreEstimatesThatStay: where a version before recorded none.
func TestFiguresOfAnOlderSummaryAreEstimatesThatStay(t *testing.T) {
	l, _ := openIn(t, golden(t, "1"), "")
	list, err := l.Sessions(t.Context(), ledger.SessionsRequest{Limit: 10})
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, session := range list.Sessions {
		all, err := l.Summaries(t.Context(), ledger.SummariesRequest{Session: session.ID})
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range all.Summaries {
			found++
			if s.TokensBefore.Exact || s.TokensAfter.Exact || s.TextTokens.Exact || s.Basis != "" ||
				s.TextTokens.N == 0 {
				t.Errorf("summary %s: %s, text %s, %q", s.ID, s.Became(), s.TextTokens, s.Basis)
			}
			before := figuresOf(t, l, s.ID)
			taught(t, l, session.Model)
			if diff := cmp.Diff(before, figuresOf(t, l, s.ID)); diff != "" {
				t.Errorf("summary %s, after learning (-before +after):\n%s", s.ID, diff)
			}
		}
	}
	if found == 0 {
		t.Error("the ledger of schema 1 has no summaries")
	}
}

// TestSummariesWithDifferentContentHaveDifferentIDs: in two ledgers of one session summaries of the same range have one
// id only if they say the same. The id was one of range and position: a budget or a fact made another text of it. In one
// ledger a summary that is made again after it was undone has an id of its own, and both are read back.
func TestSummariesWithDifferentContentHaveDifferentIDs(t *testing.T) {
	texts := map[string]string{} // by id
	var ids []string
	for _, o := range []compaction.Options{
		{Keep: 2}, {Keep: 2}, {Keep: 2, Budget: 500}, {Keep: 2, Notes: "the oven is hot"},
		{Keep: 2, Pin: []string{"preheat it"}},
	} {
		l := open(t)
		id := hand(t, l, ledger.AppendMessagesRequest{Messages: long(30)}).Session
		s := compact(t, l, id, o).Summary
		ids = append(ids, s.ID)
		text := s.Text
		if other, known := texts[s.ID]; known && other != text {
			t.Errorf("summary %s has two texts", s.ID)
		}
		texts[s.ID] = text
		if _, err := l.Restore(t.Context(), ledger.RestoreRequest{ID: s.ID}); err != nil {
			t.Fatal(err)
		}
		again := compact(t, l, id, o).Summary
		if again.ID == s.ID {
			t.Errorf("%+v: made again it is %s, too", o, s.ID)
		}
		for _, want := range []ledger.Summary{s, again} {
			got, err := l.Summary(t.Context(), ledger.SummaryRequest{ID: want.ID})
			if err != nil || got.Text != want.Text || got.Became() != want.Became() {
				t.Errorf("%s reads back as %q: %v", want.ID, got.Became(), err)
			}
		}
	}
	if len(texts) != 4 || ids[0] != ids[1] {
		t.Errorf("the ids are %v", ids)
	}
}
