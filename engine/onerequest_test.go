package engine_test

import (
	"context"
	"testing"

	"ctxledger.dev/compaction"
	"ctxledger.dev/engine"
	"ctxledger.dev/ledger"
)

// counting counts the requests about compactions.
type counting struct {
	*engine.Local
	requests int
}

func (c *counting) PlanCompaction(ctx context.Context, r ledger.PlanCompactionRequest) (ledger.CompactionPlan, error) {
	c.requests++
	return c.Local.PlanCompaction(ctx, r)
}

func (c *counting) AcceptCompaction(ctx context.Context, r ledger.AcceptCompactionRequest) (ledger.Summary, error) {
	c.requests++
	return c.Local.AcceptCompaction(ctx, r)
}

func (c *counting) Summary(ctx context.Context, r ledger.SummaryRequest) (ledger.Summary, error) {
	c.requests++
	return c.Local.Summary(ctx, r)
}

// TestACompactionWithoutAModelIsOneRequest: it is planned where it is accepted, and answered with its text. A repetition
// gets the same answer.
func TestACompactionWithoutAModelIsOneRequest(t *testing.T) {
	l := &counting{Local: open(t)}
	id := hand(t, l.Local, ledger.AppendMessagesRequest{Messages: long(30)}).Session
	r := ledger.PlanCompactionRequest{Session: id, Options: compaction.Options{Keep: 2}}
	first, err := ledger.Compact(t.Context(), l, r, "key", false)
	if err != nil {
		t.Fatal(err)
	}
	if first.Outcome == compaction.Compacted && first.Summary.Text == "" || l.requests != 1 {
		t.Errorf("%s with %d bytes of text in %d requests", first.Outcome, len(first.Summary.Text), l.requests)
	}
	again, err := ledger.Compact(t.Context(), l, r, "key", false)
	if err != nil || again.Summary.ID != first.Summary.ID || again.Summary.Text != first.Summary.Text ||
		l.requests != 2 {
		t.Errorf("repeated: %+v in %d requests, %v", again.Summary, l.requests, err)
	}
	if first.Outcome != compaction.Compacted {
		t.Errorf("nothing was compacted: %s", first.Why)
	}
}
