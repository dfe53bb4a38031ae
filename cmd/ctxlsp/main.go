// Command ctxlsp is the language server of ctxledger, on standard input and output: for editors.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"ctxledger.dev/cmd/internal/wiring"
	"ctxledger.dev/engine/daemon"
	"ctxledger.dev/internal/env"
)

func main() {
	e := env.System()
	if daemonRole, exit := daemon.Main(os.Args, wiring.Role(e)); daemonRole {
		os.Exit(exit)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, e, os.Args[1:]))
}
