package cli

import (
	"context"
	"fmt"
	"io"

	"ctxledger.dev/engine/daemon"
	"ctxledger.dev/engine/daemon/link"
)

func daemonCommand() command {
	c := daemonStatusCommand()
	c.name, c.short = "daemon", "The processes that own the ledgers: status, stop"
	c.long = "A ledger is owned by one process, its daemon. Programs start it when they need it; it exits after two " +
		"minutes without a request, unless a session is live or an editor follows it. Each " +
		"workspace has its own ledger, and user memory has another. Nothing is lost when a daemon exits, is " +
		"stopped or killed: the next command or agent starts it again. It reads the session files of the directory as they " +
		"grow, unless ctxledger.yaml says `follow: false`, and keeps what it read in the directory under KEPT IN."
	c.example = "ctxledger daemon\nctxledger daemon stop"
	return c
}

func daemonStatusCommand() command {
	return command{
		name: "daemon status", short: "Show which daemons are running, without starting one",
		example: "ctxledger daemon status --json",
		does:    keeps, json: answers([]owned{}),
		at: shows(daemonsHere, printDaemons),
	}
}

func daemonStopCommand() command {
	return command{
		name: "daemon stop", short: "Stop the daemons of the workspace and of user memory",
		example: "ctxledger daemon stop",
		does:    keeps, undo: "the ledger is kept", json: answers([]owned{}), at: daemonStop,
	}
}

// owned is a ledger with the state of its daemon.
type owned struct {
	Ledger string `json:"ledger"`    // workspace or user
	Dir    string `json:"state_dir"` // its state directory
	daemon.State
}

// daemonsHere returns the ledgers of this workspace and of its user, with the state of their daemons.
func daemonsHere(ctx context.Context, a *action, _ []string) ([]owned, error) {
	ledgers := []owned{{Ledger: "workspace", Dir: a.place.State}, {Ledger: "user", Dir: a.place.UserState}}
	if a.place.Root == "" {
		ledgers = ledgers[1:]
	}
	for i := range ledgers {
		var err error
		if ledgers[i].State, err = daemon.Status(ctx, ledgers[i].Dir); err != nil {
			return nil, err
		}
	}
	return ledgers, nil
}

func printDaemons(a *action, w io.Writer, ledgers []owned) {
	t := a.newTable("LEDGER", ">PID", "VERSION", "SINCE", ">CLIENTS", ">IDLE", "KEPT IN")
	t.Wide = true // half a path leads nowhere
	for _, l := range ledgers {
		switch {
		case l.InProcess:
			t.Add(l.Ledger, fmt.Sprint(l.PID), l.Version, a.stamp(l.Started), "in process", "-", l.Dir)
		case !l.Running:
			t.Add(l.Ledger, "-", "-", "-", "-", "-", l.Dir)
		default:
			clients := max(l.Info.Clients-1, 0) // not counting this question
			t.Add(l.Ledger, fmt.Sprint(l.PID), l.Version, a.stamp(l.Started), fmt.Sprint(clients),
				fmt.Sprintf("%.0f s", l.Info.Idle), l.Dir)
		}
	}
	t.Print(w)
	for _, l := range ledgers {
		a.page(w).Trouble(l.Info)
	}
}

func daemonStop(ctx context.Context, a *action, _ []string) error {
	before, err := daemonsHere(ctx, a, nil)
	if err != nil {
		return err
	}
	for _, l := range before {
		if err := link.Stop(ctx, l.Dir); err != nil {
			return err
		}
	}
	after, err := daemonsHere(ctx, a, nil)
	if err != nil {
		return err
	}
	return a.answer(after, func(w io.Writer) {
		stopped := 0
		for _, l := range before {
			if l.Running {
				stopped++
				fmt.Fprintf(w, "the daemon of the %s ledger, pid %d, has stopped\n", l.Ledger, l.PID)
			}
		}
		if stopped == 0 {
			fmt.Fprintln(w, "no daemon was running")
		}
	})
}
