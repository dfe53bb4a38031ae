// Command crash kills owners of ledgers at random instants and at failpoints, and compares what is
// left with what they acknowledged; see lab/crashtest. It ends with status 1 when something was
// lost, and leaves the state directory.
//
//	make crash KILLS=2000
//
// It is its own owner: the harness starts it with the arguments of a daemon.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"

	"ctxledger.dev/engine/daemon"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/lab/crashtest"
)

// heap is how far the heap of a process may grow before garbage is collected, in per cent: an owner
// lives for some milliseconds.
const heap = 800

func main() {
	debug.SetGCPercent(heap)
	if len(os.Args) > 1 && !strings.HasPrefix(os.Args[1], "-") {
		os.Exit(own())
	}
	var o crashtest.Options
	flag.IntVar(&o.Kills, "kills", 100, "how many owners are killed")
	flag.Uint64Var(&o.Seed, "seed", 0, "repeats a run; 0: a new one")
	hits := flag.Int("hits", 0, "how often an owner must have died at each failpoint")
	asJSON := flag.Bool("json", false, "print the report as JSON")
	dir := flag.String("dir", "", "the `directory` for state directories; its path must be short")
	session := flag.String("session", "testdata/sessions/shop.jsonl", "the session `file` that is imported")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	o.Env = env.System()
	report, err := run(ctx, o, *dir, *session)
	if err == nil {
		err = report.Short(*hits)
	}
	if err = errors.Join(print(os.Stdout, report, *asJSON), err); err != nil {
		fmt.Fprintf(os.Stderr, "crash: %s\n", err)
		os.Exit(1)
	}
}

// print writes the report of a run, if there is one.
func print(w io.Writer, report *crashtest.Report, asJSON bool) error {
	switch {
	case report == nil:
		return nil
	case asJSON:
		return json.NewEncoder(w).Encode(report)
	}
	return report.Print(w)
}

// own plays the owner, until it is killed or leaves.
func own() int {
	if err := crashtest.Obey(os.Stdin, os.Stdout, func() { os.Exit(1) }); err != nil {
		fmt.Fprintf(os.Stderr, "crash: %s\n", err)
		return 2
	}
	handled, exit := daemon.Main(os.Args, role)
	if !handled {
		fmt.Fprintln(os.Stderr, "crash: takes flags only")
		return 2
	}
	return exit
}

// run runs the harness. What it finds stays on the disk.
func run(ctx context.Context, o crashtest.Options, dir, session string) (report *crashtest.Report, err error) {
	if o.Session, err = os.ReadFile(session); err != nil {
		return nil, err
	}
	if o.Program, err = os.Executable(); err != nil {
		return nil, err
	}
	if o.Dir, err = os.MkdirTemp(dir, "crash"); err != nil {
		return nil, err
	}
	for o.Seed == 0 {
		o.Seed = seed(o.Env)
	}
	report, err = crashtest.Run(ctx, o)
	if err == nil {
		err = os.RemoveAll(o.Dir)
	}
	return report, err
}

// seed returns a random seed that is easy to type.
func seed(e env.Env) uint64 {
	var p [4]byte
	e.Random(p[:])
	return uint64(p[0])<<24 | uint64(p[1])<<16 | uint64(p[2])<<8 | uint64(p[3])
}

// role is what the daemon of this program does.
func role() daemon.Role { return daemon.Role{Version: "crashtest", Env: env.System()} }
