package engine_test

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ctxledger.dev/compaction"
	"ctxledger.dev/engine"
	"ctxledger.dev/internal/testonly/cases"
	"ctxledger.dev/internal/testonly/formattest"
	"ctxledger.dev/ledger"
	"ctxledger.dev/transcript"
	"ctxledger.dev/window"
)

// Whatever happens to a session, a view that follows from the one before it is the view that a ledger gives
// that keeps nothing.
func TestViewsAreThoseOfALedgerThatKeepsNothing(t *testing.T) {
	volume(t)
	tight := window.Default()
	tight.ResultChars, tight.BatchChars, tight.ToolPairs = 20, 1, 2
	for _, p := range providers {
		t.Run(p.Name, func(t *testing.T) {
			l := openWith(t, tight)
			for seed := range uint64(cases.Some(3)) {
				r := rand.New(rand.NewPCG(seed, 29))
				var session, summary string
				for step := range 12 {
					resp := hand(t, l, ledger.AppendMessagesRequest{
						Session: session, Since: step > 0, Format: p.Format,
						Messages: p.Messages(formattest.RandomTalk(r, false)...),
					})
					session = resp.Session
					switch r.IntN(8) {
					case 0:
						if _, err := l.EditView(t.Context(),
							ledger.EditViewRequest{Session: session, Reason: "manual"}); err != nil {
							t.Fatal(err)
						}
					case 1:
						if plan := compact(t, l, session,
							compaction.Options{Keep: r.IntN(4), Budget: 600}); plan.Outcome == compaction.Compacted {
							summary = plan.Summary.ID
						}
					case 2:
						if summary != "" {
							// it may be restored already
							_, _ = l.Restore(t.Context(), ledger.RestoreRequest{ID: summary})
						}
					case 3:
						entries := log(t, l, session)
						if id := entries[r.IntN(len(entries))].ID; id != "" {
							// it may be forgotten already
							_, _ = l.Forget(t.Context(), ledger.ForgetRequest{Handle: id})
						}
					}
					kept := messagesOf(t, l, session)
					if step%3 != 2 {
						continue
					}
					l.Rest()
					// cmp.Diff takes most of a test
					if without := messagesOf(t, l, session); !reflect.DeepEqual(without, kept) {
						t.Fatalf("seed %d, step %d: -without +with what was kept:\n%s", seed, step,
							cmp.Diff(without, kept))
					}
					messagesOf(t, l, session) // is kept for the next step
				}
			}
		})
	}
}

// messagesOf returns a view whole.
func messagesOf(t *testing.T, l *engine.Local, session string) ledger.ViewResponse {
	t.Helper()
	v, err := ledger.Messages(t.Context(), l, ledger.ViewRequest{Session: session})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestANewSessionIsCachedAsItIsStored: what is made of a conversation that was just handed in is what is made of its log.
func TestANewSessionIsCachedAsItIsStored(t *testing.T) {
	for _, p := range formattest.Providers() {
		l := open(t)
		for seed := range uint64(5) {
			r := rand.New(rand.NewPCG(seed, 44))
			lines := formattest.RandomTalk(r, transcript.Takes(p.Format, transcript.RoleSystem))
			s := hand(t, l, ledger.AppendMessagesRequest{Format: p.Format, Messages: p.Messages(lines...)})
			made := func() string {
				plan, err := l.PlanCompaction(t.Context(), ledger.PlanCompactionRequest{Session: s.Session,
					Options: compaction.Options{Keep: 1, Budget: 600}})
				edits, err2 := l.EditView(t.Context(), ledger.EditViewRequest{Session: s.Session, DryRun: true})
				view, err3 := ledger.Messages(t.Context(), l, ledger.ViewRequest{Session: s.Session})
				status, err4 := l.Status(t.Context(), ledger.StatusRequest{Session: s.Session})
				raw, err5 := json.Marshal([]any{plan, edits, view, status})
				if err := errors.Join(err, err2, err3, err4, err5); err != nil {
					t.Fatal(err)
				}
				return string(raw)
			}
			cached := made()
			l.Rest()
			if read := made(); cached != read {
				t.Errorf("%s, %d: as it was handed in\n%s\nas it is stored\n%s", p.Name, seed, cached, read)
			}
		}
	}
}
