package daemon

import (
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"ctxledger.dev/engine"
	"ctxledger.dev/engine/daemon/link"
	"ctxledger.dev/internal/env"
)

// Role configures the daemons that a program becomes.
type Role struct {
	Version string  // of the program
	Env     env.Env // of the process
	// Background returns the tasks of the daemon of a workspace, which log there; root is "" for the user ledger.
	// nil: none.
	Background func(root string, log *slog.Logger) []Task
	// Settings returns what one tree of a workspace configures. nil: nothing.
	Settings func(tree string) engine.Settings
	// Hook answers the hooks of agents. nil: they get no answer.
	Hook HookAnswerer
}

// Main must be the first call of every program of ctxledger. If the arguments ask for a daemon, or for a
// child process that reads a ledger, Main runs it to its end, and the program must end with exit.
// Otherwise handled is false and nothing has happened: role, which returns what the daemon does, was not called.
func Main(args []string, role func() Role) (handled bool, exit int) {
	switch {
	case len(args) < 2:
		return false, 0
	case args[1] == hiddenCheck || args[1] == hiddenRepair:
		return true, child(context.Background(), args[1:], role())
	case args[1] != link.DaemonArgument:
		return false, 0
	}
	if len(args) != 4 {
		return true, 2 // only spawn calls this
	}
	// The process that started this daemon, which reads its standard output, may have ended.
	signal.Ignore(syscall.SIGPIPE)
	// Until Run has opened the ledger, termination signals end the process: nothing can be lost. From then
	// on Run handles them, and crashes are written to the log.
	r := role()
	c := Config{State: args[2], Workspace: args[3], Env: r.Env, Version: r.Version, process: true}
	if r.Background != nil {
		c.Background = func(log *slog.Logger) []Task { return r.Background(c.Workspace, log) }
	}
	c.Settings, c.Hook = r.Settings, r.Hook
	ready := false
	c.ready = func() { ready = true; writeReport(link.Report{}) }
	err := Run(context.Background(), c)
	if err == nil {
		return true, 0
	}
	if !ready {
		writeReport(link.Report{Error: flattened("daemon.start", err)})
	}
	return true, 1
}

// writeReport writes the line that the starting process waits for, which may have ended.
func writeReport(r link.Report) {
	line, err := json.Marshal(r)
	if err != nil {
		return // a report is always encodable; without one the daemon counts as crashed
	}
	_, _ = os.Stdout.Write(append(line, '\n'))
}
