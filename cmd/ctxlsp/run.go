package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"runtime/debug"

	"ctxledger.dev/cmd/internal/wiring"
	"ctxledger.dev/config"
	"ctxledger.dev/engine"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/lsp"
	"ctxledger.dev/workspace"
)

// Exit statuses.
const (
	exitDone   = 0
	exitFailed = 1
	exitUsage  = 2
)

// run serves one editor and returns the exit status of the process.
func run(ctx context.Context, e env.Env, args []string) int {
	f := flag.NewFlagSet("ctxlsp", flag.ContinueOnError)
	root := f.String("workspace", "", "root `directory` of the workspace (default: what the editor has open)")
	inProcess := f.Bool("in-process", false, "own the ledger in this process instead of asking its daemon")
	version := f.Bool("version", false, "print the version and exit")
	_ = f.Bool("stdio", true, "serve on standard input and output: editors say so, and there is nothing else")
	switch err := f.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return exitDone
	case err != nil:
		return exitUsage
	case f.NArg() > 0:
		return fail(e, exitUsage, fault.New(fault.Invalid, "ctxlsp", "unexpected argument %q", f.Arg(0)).WithHint("`ctxlsp --help` shows the flags"))
	case *version:
		fmt.Println("ctxlsp", wiring.Version)
		return exitDone
	}
	log := wiring.Log(e)
	s := lsp.New(lsp.Options{Version: wiring.Version, Env: e, Log: log, Idle: debug.FreeOSMemory, Find: func(roots []string) (lsp.Place, error) {
		ws, err := workspace.Find(e, workspace.Options{Flag: *root, Roots: roots})
		if err != nil || ws.Root == "" {
			return lsp.Place{}, err
		}
		c, problems, err := config.Load(ws.Root)
		for _, p := range problems {
			log.Warn("configuration", "problem", p.String())
		}
		open := func(ctx context.Context) (engine.API, error) { return wiring.Open(ctx, e, ws, *inProcess) }
		return lsp.Place{Root: ws.Root, Models: c.Models, Open: open}, err
	}})
	if err := s.Serve(ctx, os.Stdin, os.Stdout); err != nil {
		return fail(e, exitFailed, err)
	}
	return exitDone
}

// fail says what went wrong and returns the exit status.
func fail(e env.Env, status int, err error) int {
	w := wiring.Stderr(e)
	fmt.Fprintf(w, "ctxlsp: %s\n", err)
	if hint := fault.HintOf(err); hint != "" {
		fmt.Fprintf(w, "  hint: %s\n", hint)
	}
	return status
}
