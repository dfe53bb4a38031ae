package temporary

import (
	"context"
	"os"
	"os/signal"
	"slices"
	"syscall"
)

// Interruptible returns a context that ends when the process is told to end, so that it can remove its copies. A signal
// that the process was started to ignore, such as that of the terminal for work in the background, stays ignored.
func Interruptible(ctx context.Context) (context.Context, context.CancelFunc) {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP}
	signals = slices.DeleteFunc(signals, signal.Ignored)
	if len(signals) == 0 {
		return context.WithCancel(ctx) // without signals, all would be meant
	}
	return signal.NotifyContext(ctx, signals...)
}
