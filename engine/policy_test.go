package engine_test

import (
	"testing"

	"ctxledger.dev/ledger"
	"ctxledger.dev/window"
)

// What is configured holds for views; a compaction still sees the whole conversation.
func TestTheConfiguredFilterHoldsForViews(t *testing.T) {
	p := window.Default()
	p.Messages, p.Exact, p.CapFraction = 4, true, 0.5
	l := openWith(t, p)
	id := hand(t, l, ledger.AppendMessagesRequest{Messages: say("the task", "a", "b", "c", "d", "e", "f", "g")}).Session
	if got := render(t, l, id); len(got) != 5 { // and the first request
		t.Errorf("%d messages are shown", len(got))
	}
	made, err := l.EditView(t.Context(), ledger.EditViewRequest{Session: id, DryRun: true})
	if err != nil || !made.NearCap {
		t.Errorf("%+v, %v", made, err)
	}
	plan, err := l.PlanCompaction(t.Context(), ledger.PlanCompactionRequest{Session: id, Options: compactionOf(1)})
	if err != nil || plan.Summary.From != 1 {
		t.Errorf("%+v, %v", plan, err)
	}
}
