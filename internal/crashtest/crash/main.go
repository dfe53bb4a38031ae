// Command crash kills owners of ledgers at random instants and at failpoints, and compares what is
// left with what they acknowledged; see internal/crashtest. It ends with status 1 when something was
// lost, and leaves the state directory.
//
//	go run -tags failpoints ./internal/crashtest/crash -kills 2000
//
// It is its own owner: the harness starts it with the arguments of a daemon.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"ctxledger.dev/engine/daemon"
	"ctxledger.dev/internal/crashtest"
	"ctxledger.dev/internal/env"
)

func main() {
	if len(os.Args) > 1 && !strings.HasPrefix(os.Args[1], "-") {
		os.Exit(own())
	}
	var o crashtest.Options
	flag.IntVar(&o.Kills, "kills", 100, "how many owners are killed")
	flag.Uint64Var(&o.Seed, "seed", 0, "repeats a run; 0: a new one")
	session := flag.String("session", "testdata/sessions/shop.jsonl", "the session `file` that is imported")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	o.Env = env.System()
	if err := run(ctx, os.Stdout, o, *session); err != nil {
		fmt.Fprintf(os.Stderr, "crash: %s\n", err)
		os.Exit(1)
	}
}

// own plays the owner, until it is killed or leaves.
func own() int {
	if err := crashtest.Obey(os.Stdin, func() { os.Exit(1) }); err != nil {
		fmt.Fprintf(os.Stderr, "crash: %s\n", err)
		return 2
	}
	handled, exit := daemon.Main(os.Args, daemon.Role{Version: "crashtest", Env: env.System()})
	if !handled {
		fmt.Fprintln(os.Stderr, "crash: takes flags only")
		return 2
	}
	return exit
}

// run runs the harness and prints its report.
func run(ctx context.Context, out io.Writer, o crashtest.Options, session string) (err error) {
	if o.Session, err = os.ReadFile(session); err != nil {
		return err
	}
	if o.Program, err = os.Executable(); err != nil {
		return err
	}
	if o.Dir, err = os.MkdirTemp("", "crash"); err != nil {
		return err
	}
	for o.Seed == 0 {
		o.Seed = seed(o.Env)
	}
	report, err := crashtest.Run(ctx, o)
	if err == nil {
		err = os.RemoveAll(o.Dir)
	}
	return errors.Join(report.Print(out), err)
}

// seed returns a random seed that is easy to type.
func seed(e env.Env) uint64 {
	var p [4]byte
	e.Random(p[:])
	return uint64(p[0])<<24 | uint64(p[1])<<16 | uint64(p[2])<<8 | uint64(p[3])
}
