package views

import (
	"context"
	"testing"
	"time"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
)

// TestWhoWaitsForAGrowthMayGiveUp asks for a growth while another one is under way, and does not wait for its end.
func TestWhoWaitsForAGrowthMayGiveUp(t *testing.T) {
	const session = "s"
	v := New(nil) // the ledger is not reached
	kept, err := v.growths.take(t.Context(), session)
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
