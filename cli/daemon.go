package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"ctxledger.dev/engine/daemon"
	"ctxledger.dev/engine/daemon/link"
)

func (a *app) daemonCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "daemon [stop|status]",
		Short: "Show or stop the processes that own the ledgers",
		Long: "A ledger has one owner, a daemon. Programs start it when they need it, and it exits after ten\n" +
			"minutes without a client. Each workspace has its own ledger; user memory has another one. Nothing\n" +
			"is lost when a daemon is stopped or killed: the next command starts it again.",
		Example: "  ctxledger daemon status\n  ctxledger daemon stop",
		Args:    a.args(0, 0),
		RunE:    a.daemonStatus,
	}
	cmd.AddCommand(
		&cobra.Command{
			Use: "status", Short: "Show which daemons run, without starting one",
			Example: "  ctxledger daemon status --json",
			Args:    a.args(0, 0), RunE: a.daemonStatus,
		},
		&cobra.Command{
			Use: "stop", Short: "Stop the daemons of the workspace and of user memory",
			Example: "  ctxledger daemon stop",
			Args:    a.args(0, 0), RunE: a.daemonStop,
		},
	)
	return cmd
}

// owned is a ledger with the state of its daemon.
type owned struct {
	Ledger string `json:"ledger"`    // workspace or user
	Dir    string `json:"state_dir"` // its state directory
	daemon.State
}

// daemons returns the ledgers of this workspace and of its user, with the state of their daemons.
func (a *app) daemons(ctx context.Context) ([]owned, error) {
	ws, err := a.find()
	if err != nil {
		return nil, err
	}
	ledgers := []owned{{Ledger: "workspace", Dir: ws.State}, {Ledger: "user", Dir: ws.UserState}}
	if ws.Root == "" {
		ledgers = ledgers[1:]
	}
	for i := range ledgers {
		if ledgers[i].State, err = daemon.Status(ctx, ledgers[i].Dir); err != nil {
			return nil, err
		}
	}
	return ledgers, nil
}

func (a *app) daemonStatus(cmd *cobra.Command, _ []string) error {
	ledgers, err := a.daemons(cmd.Context())
	if err != nil {
		return err
	}
	return a.answer(ledgers, func(w io.Writer) {
		t := a.newTable("LEDGER", ">PID", "VERSION", "SINCE", ">CLIENTS", ">IDLE", "KEPT IN")
		t.Wide = true // half a path leads nowhere
		for _, l := range ledgers {
			if l.InProcess {
				t.Add(l.Ledger, fmt.Sprint(l.PID), l.Version, a.stamp(l.Started), "in process", "-", l.Dir)
				continue
			}
			if !l.Running {
				t.Add(l.Ledger, "-", "-", "-", "-", "-", l.Dir)
				continue
			}
			clients := max(l.Info.Clients-1, 0) // not counting this question
			t.Add(l.Ledger, fmt.Sprint(l.PID), l.Version, a.stamp(l.Started), fmt.Sprint(clients),
				fmt.Sprintf("%.0f s", l.Info.Idle), l.Dir)
		}
		t.Print(w)
		for _, l := range ledgers {
			a.page(w).Trouble(l.Info)
		}
	})
}

func (a *app) daemonStop(cmd *cobra.Command, _ []string) error {
	ctx := cmd.Context()
	before, err := a.daemons(ctx)
	if err != nil {
		return err
	}
	for _, l := range before {
		if err := link.Stop(ctx, l.Dir); err != nil {
			return err
		}
	}
	after, err := a.daemons(ctx)
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
