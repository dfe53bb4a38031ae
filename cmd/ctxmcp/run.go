package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"

	"ctxledger.dev/cmd/internal/wiring"
	"ctxledger.dev/engine"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/mcp"
	"ctxledger.dev/workspace"
)

// Exit statuses.
const (
	exitDone   = 0
	exitFailed = 1
	exitUsage  = 2
)

// run serves one client and returns the exit status of the process. What keeps the ledger from
// being opened is told by the tools: nobody reads the standard error of a server.
func run(ctx context.Context, e env.Env, args []string) int {
	f := flag.NewFlagSet("ctxmcp", flag.ContinueOnError)
	root := f.String("workspace", "", "root `directory` of the workspace (default: found from the host and the working directory)")
	prefix := f.String("tool-prefix", "", "put `text` before the names of the tools, where they collide with others")
	inProcess := f.Bool("in-process", false, "own the ledger in this process instead of asking its daemon")
	version := f.Bool("version", false, "print the version and exit")
	switch err := f.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return exitDone
	case err != nil:
		return exitUsage
	case f.NArg() > 0:
		return fail(e, exitUsage, fault.New(fault.Invalid, "ctxmcp", "unexpected argument %q", f.Arg(0)).WithHint("`ctxmcp --help` shows the flags"))
	case *version:
		fmt.Println("ctxmcp", wiring.Version)
		return exitDone
	}
	here, err := workspace.Find(e, workspace.Options{Flag: *root})
	nowhere := err == nil && here.Root == "" // desktop hosts start servers where nothing lies
	open := func(ctx context.Context, roots []string) (engine.API, error) {
		ws, err := workspace.Find(e, workspace.Options{Flag: *root, Roots: roots})
		if err != nil {
			return nil, err
		}
		return wiring.Open(ctx, e, ws, *inProcess)
	}
	s, err := mcp.New(open, mcp.Options{
		Version: wiring.Version, ToolPrefix: *prefix, Env: e,
		AskRoots: nowhere,
		Log:      wiring.Log(e),
		Author:   wiring.Author(e),
	})
	if err != nil {
		return fail(e, exitUsage, err)
	}
	if err := errors.Join(s.Serve(ctx, os.Stdin, os.Stdout), s.Close()); err != nil {
		return fail(e, exitFailed, err)
	}
	return exitDone
}

// fail says what went wrong and returns the exit status.
func fail(e env.Env, status int, err error) int {
	w := wiring.Stderr(e)
	fmt.Fprintf(w, "ctxmcp: %s\n", err)
	if hint := fault.HintOf(err); hint != "" {
		fmt.Fprintf(w, "  hint: %s\n", hint)
	}
	return status
}
