package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"

	"ctxledger.dev/cmd/internal/wiring"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/lsp"
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
	version := f.Bool("version", false, "print the version and exit")
	_ = f.Bool("stdio", true, "serve on standard input and output, which is all there is; editors pass it")
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
	s := lsp.New(lsp.Options{Version: wiring.Version, Env: e, Log: wiring.Log(e)})
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
