package cli

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// untilInterrupted returns a context that ends when the user interrupts the program. Commands that follow
// something, wait for a model or replay sessions use it; others are simply killed, which harms no ledger.
func untilInterrupted(ctx context.Context) (context.Context, context.CancelFunc) {
	return signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
}
