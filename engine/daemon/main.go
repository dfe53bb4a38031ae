package daemon

import (
	"context"
	"encoding/json"
	"os"
	"os/signal"
	"syscall"

	"ctxledger.dev/engine"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/fault"
)

// Role is what a program brings along for the daemons that it becomes.
type Role struct {
	Version string  // of the program
	Env     env.Env // of the process
	// Background returns the tasks of the daemon of a workspace; root is "" for the user ledger.
	// nil: none.
	Background func(root string) []Task
	// Settings returns what one tree of a workspace configures. nil: nothing.
	Settings func(tree string) engine.Settings
}

// Main is the first thing that a program of ctxledger does with its arguments. If they ask for
// the daemon role, or for that of a child that reads a ledger, it plays that and returns when it is
// done; the program then ends with exit. Otherwise handled is false and nothing has happened.
func Main(args []string, r Role) (handled bool, exit int) {
	switch {
	case len(args) < 2:
		return false, 0
	case args[1] == hiddenCheck || args[1] == hiddenRepair:
		return true, child(context.Background(), args[1:], r)
	case args[1] != hidden:
		return false, 0
	}
	if len(args) != 4 {
		return true, 2 // nobody but spawn uses this
	}
	// Whoever started this daemon may be gone, and with it the reader of its standard output.
	signal.Ignore(syscall.SIGPIPE)
	// The signals that make an owner leave end a process that has no ledger yet, and nothing to lose:
	// Run takes them when it has one. Crashes go to the log from then on.
	c := Config{State: args[2], Workspace: args[3], Env: r.Env, Version: r.Version, process: true}
	if r.Background != nil {
		c.Background = r.Background(c.Workspace)
	}
	c.Settings = r.Settings
	ready := false
	c.ready = func() { ready = true; say(report{}) }
	err := Run(context.Background(), c)
	if err == nil {
		return true, 0
	}
	if !ready {
		f, ok := flatten(err)
		if !ok {
			f = fault.New(fault.Internal, "daemon.start", "%s", err)
		}
		say(report{Error: f})
	}
	return true, 1
}

// say writes the one line that the starting process waits for. It may have gone away.
func say(r report) {
	line, err := json.Marshal(r)
	if err != nil {
		return // a report is always encodable; without one the daemon counts as crashed
	}
	_, _ = os.Stdout.Write(append(line, '\n'))
}
