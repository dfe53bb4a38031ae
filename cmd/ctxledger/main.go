// Command ctxledger is the command line: for people, and for agents' hooks.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"ctxledger.dev/cli"
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
	os.Exit(cli.Main(ctx, cli.Config{
		Args: os.Args[1:], Env: e, Version: wiring.Version, In: os.Stdin, Out: os.Stdout, Err: os.Stderr,
	}))
}
