package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"ctxledger.dev/engine/daemon"
)

func (a *app) daemonCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "daemon [stop|status]",
		Short:   "The process that owns the ledger",
		Long:    "The ledger has one owner, a daemon that every program starts when it needs it and that leaves after\nten minutes without a client.",
		Example: "  ctxledger daemon status\n  ctxledger daemon stop",
		Args:    a.args(cobra.NoArgs),
		RunE:    a.daemonStatus,
	}
	cmd.AddCommand(
		&cobra.Command{Use: "status", Short: "Whether a daemon runs, without starting one", Args: a.args(cobra.NoArgs), RunE: a.daemonStatus},
		&cobra.Command{Use: "stop", Short: "Ask the daemon to leave", Args: a.args(cobra.NoArgs), RunE: a.daemonStop},
	)
	return cmd
}

func (a *app) daemonStatus(cmd *cobra.Command, _ []string) error {
	ws, err := a.find()
	if err != nil {
		return err
	}
	st, err := daemon.Status(cmd.Context(), ws.State)
	if err != nil {
		return err
	}
	return a.answer(st, func(w io.Writer) {
		if !st.Running {
			fmt.Fprintln(w, "no daemon runs for this workspace; the next command starts one")
			return
		}
		fmt.Fprintf(w, "pid %d, version %s, since %s, %s, idle for %.0f s\n", st.PID, plain(st.Version), a.stamp(st.Started),
			plural(st.Info.Clients, "client"), st.Info.Idle)
	})
}

func (a *app) daemonStop(cmd *cobra.Command, _ []string) error {
	ws, err := a.find()
	if err != nil {
		return err
	}
	if err := daemon.Stop(cmd.Context(), ws.State); err != nil {
		return err
	}
	return a.answer(map[string]bool{"running": false}, func(w io.Writer) { fmt.Fprintln(w, "no daemon runs for this workspace") })
}
