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
	"ctxledger.dev/internal/process"
	"ctxledger.dev/internal/wiring"
)

// gcPercent bounds the garbage relative to the live heap. The open documents live for hours, an answer allocates
// little, and text has no pointers to scan. The server returns freed memory to the system when the editor is idle.
const gcPercent = 25

func main() {
	process.KeepOwnAccess()
	e := env.System()
	if daemonRole, exit := daemon.Main(os.Args, wiring.Role(e)); daemonRole {
		os.Exit(exit)
	}
	debug.SetGCPercent(gcPercent)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, e, os.Args[1:]))
}
