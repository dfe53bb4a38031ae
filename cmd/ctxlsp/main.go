// Command ctxlsp is the language server of ctxledger, on standard input and output: for editors.
package main

import (
	"context"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"ctxledger.dev/engine/daemon"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/wiring"
)

// gcPercent is how much more than what lives the heap may hold. What lives are the open documents, for hours;
// what is made for an answer is little, and text is nothing to look through. What garbage there is goes back to the
// system when the editor is left alone.
const gcPercent = 25

func main() {
	e := env.System()
	if daemonRole, exit := daemon.Main(os.Args, wiring.Role(e)); daemonRole {
		os.Exit(exit)
	}
	debug.SetGCPercent(gcPercent)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, e, os.Args[1:]))
}
