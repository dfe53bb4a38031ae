// Command ctxlsp is the language server of ctxledger, on standard input and output: for editors.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"ctxledger.dev/engine/daemon"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/process"
	"ctxledger.dev/internal/wiring"
)

func main() {
	process.KeepOwnAccess()
	e := env.System()
	if daemonRole, exit := daemon.Main(os.Args, func() daemon.Role { return wiring.Role(e) }); daemonRole {
		os.Exit(exit)
	}
	limitGarbage()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, e, os.Args[1:]))
}
