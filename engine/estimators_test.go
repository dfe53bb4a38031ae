package engine_test

import (
	"bytes"
	"fmt"
	"maps"
	"strings"
	"testing"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/kv"
	"ctxledger.dev/ledger"
	"ctxledger.dev/tokens"
)

// measured makes n measurements of a tokenizer that makes twice the o200k_base tokens, after request from.
func measured(from, n int, model string) (all []ledger.Measurement) {
	for i := range n {
		size := 500 + 37*i
		all = append(all, ledger.Measurement{
			Request: int64(from + i + 1), Model: model, Before: 10_000, After: int64(10_000 + 2*size),
			Features: tokens.Features{size, size / 2, 2 * size, size / 2, size / 9, 3, size / 2, size / 5, 1},
		})
	}
	return all
}

func learn(t *testing.T, l ledger.API, session string, all []ledger.Measurement) ledger.Estimators {
	t.Helper()
	got, err := l.Learn(t.Context(), ledger.LearnRequest{Host: "claude-code", HostID: session, Measurements: all})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// learnings is how many measurements of a model the ledger has learnt from.
func learnings(t *testing.T, l ledger.API, model string) int64 {
	t.Helper()
	got, err := l.Estimators(t.Context(), ledger.EstimatorsRequest{Models: []string{model}})
	if err != nil {
		t.Fatal(err)
	}
	for name, state := range got.States {
		e, err := tokens.ParseEstimator(name, state)
		if err != nil {
			t.Fatal(err)
		}
		return e.Learned()
	}
	return 0
}

// TestInvariant8AMeasurementIsLearntFromOnce: whatever is handed in again, in whatever cut, with and
// without a key, by whatever spelling of the model, also after the ledger was opened again.
func TestInvariant8AMeasurementIsLearntFromOnce(t *testing.T) {
	dir := t.TempDir()
	l, _ := openIn(t, dir, "")
	all := measured(0, 30, "claude-opus-4-7")
	learn(t, l, "a", all[:10])
	learn(t, l, "a", all[5:20])
	learn(t, l, "a", all[:3])
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	l, _ = openIn(t, dir, "")
	learn(t, l, "a", all)
	learn(t, l, "b", measured(0, 5, "anthropic/claude-opus-4-7[1m]"))
	if n := learnings(t, l, "Claude-Opus-4-7"); n != 35 {
		t.Errorf("learnt from %d measurements, want 35", n)
	}
	if n := learnings(t, l, "claude-opus-4-8"); n != 0 {
		t.Errorf("%d of another model", n)
	}
}

// TestCountsUseWhatWasLearnt: from the time that a workspace's ledger has it, its counts say so and are
// what was measured.
func TestCountsUseWhatWasLearnt(t *testing.T) {
	volume(t)
	user := open(t)
	l := open(t)
	id := shop(t, l)
	before := status(t, l, id)
	if before.Counting != "prior" {
		t.Errorf("before: counted as %q", before.Counting)
	}
	got := learn(t, user, "a", measured(0, 60, before.Model))
	got.Event = 7
	for range 2 {
		if _, err := l.KeepEstimators(t.Context(), ledger.KeepEstimatorsRequest{Estimators: got}); err != nil {
			t.Fatal(err)
		}
	}
	// What the provider measured of a session itself prevails.
	own := status(t, l, id)
	if own.Counting != "calibrated(60)" || own.Used.N+own.Fixed.N > own.Held.N {
		t.Errorf("%s, %s of %s", own.Counting, own.Used, own.Held)
	}
	model := own.Model
	plain := hand(t, l, ledger.AppendMessagesRequest{Messages: long(30)}).Session
	after, err := l.Status(t.Context(), ledger.StatusRequest{Session: plain, Model: model})
	if err != nil {
		t.Fatal(err)
	}
	o200k := 0
	for r := (ledger.ViewRequest{Session: plain, Model: model}); ; {
		v, err := l.View(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		if v.Tokens != after.Used {
			t.Errorf("the view has %v, the status %v", v.Tokens, after.Used)
		}
		for _, m := range v.Messages {
			o200k += m.Tokens
		}
		if r.From = v.Next; v.Next == 0 {
			break
		}
	}
	if ratio := float64(after.Used.N) / float64(o200k); after.Counting != "calibrated(60)" || after.Used.Exact ||
		ratio < 1.9 || ratio > 2.1 || after.Used.Upper <= after.Used.N {
		t.Errorf("after: %s, %+v of %d", after.Counting, after.Used, o200k)
	}
	checkFigures(t, l, id, "after learning")
	compact(t, l, id, compactionOf(1))
	if made := eventsOf[ledger.CompactionMade](t, l, ledger.EventCompaction); len(made) != 1 ||
		made[0].Before != own.Used.N {
		t.Errorf("the event tells %+v, the status %v", made, own.Used)
	}
	now, err := l.Estimators(t.Context(), ledger.EstimatorsRequest{})
	if err != nil || now.Event != 7 || len(now.States) != 0 {
		t.Errorf("%+v: %v", now, err)
	}
}

func TestEstimatorsThatAreNone(t *testing.T) {
	l := open(t)
	for name, states := range map[string]map[string][]byte{
		"no state": {"claude-opus-4-7": []byte("x")},
		"empty":    {"claude-opus-4-7": nil},
	} {
		_, err := l.KeepEstimators(t.Context(),
			ledger.KeepEstimatorsRequest{Estimators: ledger.Estimators{States: states}})
		if !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := l.Learn(t.Context(), ledger.LearnRequest{Measurements: make([]ledger.Measurement,
		1001)}); !fault.Is(err, fault.TooLarge) {
		t.Errorf("too many: %v", err)
	}
	// What no tokenizer measures is passed over, and is not asked for again.
	learn(t, l, "a", []ledger.Measurement{{Request: 3, Model: "m", Before: 9, After: 1}, {Request: 4}})
	learn(t, l, "a", measured(0, 3, "m")) // requests 1 to 3
	if n := learnings(t, l, "m"); n != 0 {
		t.Errorf("learnt from %d", n)
	}
}

// TestALostAnswerIsAskedForAgain: what was learnt and whose answer did not arrive comes with the next one,
// for every model of the measurements.
func TestALostAnswerIsAskedForAgain(t *testing.T) {
	l := open(t)
	all := append(measured(0, 5, "claude-opus-4-7"), measured(5, 5, "claude-haiku-4-5")...)
	first := learn(t, l, "a", all)
	again := learn(t, l, "a", all)
	if len(first.States) != 2 || !maps.EqualFunc(first.States, again.States, bytes.Equal) {
		t.Errorf("%d states, then %d", len(first.States), len(again.States))
	}
}

// TestAnAnswerWithAsManyModelsAsThereMayBeIsKept: under the key of its request, however models are called.
func TestAnAnswerWithAsManyModelsAsThereMayBeIsKept(t *testing.T) {
	l := open(t)
	r := ledger.LearnRequest{Mutation: ledger.Mutation{Key: "k"}, Host: "h", HostID: "i"}
	for i := range 64 {
		name := fmt.Sprintf("%d%s", i, strings.Repeat("\x01", 290))
		r.Measurements = append(r.Measurements, measured(i, 1, name)...)
	}
	got, err := l.Learn(t.Context(), r)
	if err != nil || len(got.States) != 64 {
		t.Fatalf("%d states: %v", len(got.States), err)
	}
	if again, err := l.Learn(t.Context(), r); err != nil || !maps.EqualFunc(got.States, again.States, bytes.Equal) {
		t.Errorf("another answer: %v", err)
	}
	r.Measurements[0].Model = strings.Repeat("x", 301)
	if _, err := l.Learn(t.Context(), r); !fault.Is(err, fault.TooLarge) {
		t.Errorf("a longer name: %v", err)
	}
}

// TestAnEstimatorThatCannotBeReadIsLeftAlone: that of a newer program is not learnt over, and a damaged one
// is an error that check names; the counts of a workspace with such a copy are the family's.
func TestAnEstimatorThatCannotBeReadIsLeftAlone(t *testing.T) {
	for name, c := range map[string]struct {
		raw   string
		code  fault.Code
		found int
	}{
		"of a newer program": {"\xffnew", fault.Unavailable, 0},
		"damaged":            {"\x01", fault.Corrupt, 1},
	} {
		t.Run(name, func(t *testing.T) {
			l := open(t)
			id := hand(t, l, ledger.AppendMessagesRequest{Messages: say("question", "answer"),
				Model: "claude-opus-4-5"}).Session
			model := status(t, l, id).Model
			if err := l.PutEstimator(t.Context(), model, []byte(c.raw)); err != nil {
				t.Fatal(err)
			}
			_, err := l.Learn(t.Context(),
				ledger.LearnRequest{Host: "h", HostID: "i", Measurements: measured(0, 3, model)})
			if !fault.Is(err, c.code) {
				t.Errorf("learning: %v", err)
			}
			_, err = l.Estimators(t.Context(), ledger.EstimatorsRequest{Models: []string{model}})
			if !fault.Is(err, c.code) {
				t.Errorf("asking: %v", err)
			}
			if now := status(t, l, id); now.Counting != "prior" {
				t.Errorf("counted as %q", now.Counting)
			}
			found, left, err := l.Mend(t.Context(), func(kv.Tx, map[string]bool) error { return nil })
			if err != nil || len(found) != c.found || len(left) != 0 {
				t.Errorf("found %v, left %v: %v", found, left, err)
			}
			good := learn(t, open(t), "a", measured(0, 9, model))
			if _, err := l.KeepEstimators(t.Context(), ledger.KeepEstimatorsRequest{Estimators: good}); err != nil {
				t.Errorf("a new copy: %v", err)
			}
		})
	}
}
