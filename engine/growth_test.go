package engine_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"ctxledger.dev/compaction"
	"ctxledger.dev/engine"
	"ctxledger.dev/internal/formattest"
	"ctxledger.dev/transcript"
)

// growth returns the turns of a session, after what must hold of any.
func growth(t *testing.T, l *engine.Local, id string) engine.Growth {
	t.Helper()
	var g engine.Growth
	for _, model := range []string{"claude-sonnet-4-5", "gpt-4", ""} {
		var err error
		if g, err = l.Growth(t.Context(), engine.GrowthRequest{Session: id, Model: model}); err != nil {
			t.Fatal(err)
		}
		st, err := l.Status(t.Context(), engine.StatusRequest{Session: id, Model: model})
		if err != nil {
			t.Fatal(err)
		}
		sound := fmt.Sprintf("%+v", st.Use) == fmt.Sprintf("%+v", g.Use)
		if st.Fixed != nil && g.Fixed != nil { // behind a pointer
			a, b := st.Use, g.Use
			a.Fixed, b.Fixed = nil, nil
			sound = *st.Fixed == *g.Fixed && fmt.Sprintf("%+v", a) == fmt.Sprintf("%+v", b)
		}
		if !sound {
			t.Errorf("model %q: the status says\n%+v\nthe growth\n%+v", model, st.Use, g.Use)
		}
		if last := g.Turns[len(g.Turns)-1]; last.Used != st.Used || last.Measured != 0 && last.Measured != st.Measured {
			t.Errorf("model %q: the last turn %+v, the status %+v", model, last, st.Used)
		}
		for i, turn := range g.Turns {
			n := 0
			for _, p := range turn.Filled {
				n += p.Tokens
			}
			if n != turn.Used.N || i > 0 && turn.Turn != g.Turns[i-1].Turn+1 {
				t.Errorf("model %q: turn %d is filled with %d: %+v", model, i, n, turn)
			}
		}
	}
	return g
}

// TestAGrowthIsWhatTheViewsWere imports a recorded session line by line, as it was written, and compares what
// each turn is said to have been with the view that there was at its end.
func TestAGrowthIsWhatTheViewsWere(t *testing.T) {
	for seed := range uint64(some(10)) {
		for _, p := range providers {
			r := rand.New(rand.NewPCG(seed, 7))
			l := open(t)
			messages := p.Messages(formattest.RandomTalk(r, transcript.Takes(p.Format, transcript.RoleSystem))...)
			id := hand(t, l, engine.AppendMessagesRequest{Format: p.Format, Messages: messages[:1]}).Session
			was := map[int]int{}
			note := func() {
				st := status(t, l, id)
				was[st.Session.Turns] = st.Used.N
				if r.IntN(3) == 0 {
					growth(t, l, id)
				}
			}
			note()
			for i := 1; i < len(messages); i++ {
				hand(t, l, engine.AppendMessagesRequest{Session: id, Since: true, Format: p.Format, Messages: messages[i : i+1]})
				note()
				switch r.IntN(8) {
				case 0:
					compact(t, l, id, compaction.Options{Keep: 1})
					note()
				case 1:
					if _, err := l.EditView(t.Context(), engine.EditViewRequest{Session: id, Reader: engine.Reader{Policy: anyPolicy(r)}, Reason: "manual"}); err != nil {
						t.Fatal(err)
					}
					note()
				}
			}
			g := growth(t, l, id)
			for _, turn := range g.Turns {
				if want, ok := was[turn.Turn]; ok && turn.Used.N != want && turn.Turn > 0 {
					t.Errorf("seed %d, %s: turn %d had %d tokens, the growth says %d", seed, p.Name, turn.Turn, want, turn.Used.N)
				}
			}
		}
	}
}
