package views

import (
	"context"
	"testing"
	"time"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
)

// TestTurnStatsStopWaitingWhenTheContextEnds requests turn statistics while another request for them is in flight.
func TestTurnStatsStopWaitingWhenTheContextEnds(t *testing.T) {
	const session = "s"
	v := New(nil) // the ledger is not reached
	kept, err := v.turnStats.take(t.Context(), session)
	if err != nil {
		t.Fatal(err)
	}
	defer kept.release()
	ctx, stop := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer stop()
	if _, err := v.TurnStats(ctx, ledger.TurnStatsRequest{Session: session}); !fault.Is(err, fault.Unavailable) {
		t.Errorf("got %v, want unavailable", err)
	}
}
