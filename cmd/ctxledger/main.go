// Command ctxledger is the command line: for people, and for agents' hooks.
package main

import (
	"context"
	"os"

	"ctxledger.dev/cli"
	"ctxledger.dev/engine/daemon"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/process"
	"ctxledger.dev/internal/version"
	"ctxledger.dev/internal/wiring"
	"ctxledger.dev/mcp/overhead"
	"ctxledger.dev/servertools/asking"
)

func main() {
	process.KeepOwnAccess()
	e := env.System()
	if daemonRole, exit := daemon.Main(os.Args, func() daemon.Role { return wiring.Role(e) }); daemonRole {
		os.Exit(exit)
	}
	os.Exit(cli.Main(context.Background(), cli.Config{
		Args: os.Args[1:], Env: e, Version: version.Version, In: os.Stdin, Out: os.Stdout, Err: os.Stderr,
		ServerCost: overhead.Tokens, AskServer: asking.Ask,
	}))
}
