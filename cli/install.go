package cli

import (
	"io"
	"strings"

	"github.com/spf13/cobra"

	"ctxledger.dev/carried"
	"ctxledger.dev/cli/setup"
	"ctxledger.dev/engine/daemon"
	"ctxledger.dev/tokens"
)

func (a *app) installCommand() *cobra.Command {
	cmd := a.editCommand(false)
	cmd.Use, cmd.Short = "install [AGENT…]", "Connect coding agents to ctxledger"
	cmd.Long = "Shows what it would change in the configurations of the agents on this machine, asks, and writes it:\n" +
		"the MCP server ctxmcp, and for Claude Code its hooks. Everything else in the files stays as it is.\n" +
		"AGENT is one of " + strings.Join(setup.Names(), ", ") + "."
	cmd.Example = "  ctxledger install\n  ctxledger install claude-code --dry-run\n  ctxledger install codex --project"
	return cmd
}

func (a *app) uninstallCommand() *cobra.Command {
	cmd := a.editCommand(true)
	cmd.Use, cmd.Short = "uninstall [AGENT…]", "Disconnect coding agents from ctxledger"
	cmd.Long = "Takes out of the agents' configurations what install wrote. A file that only install has changed gets\n" +
		"back the bytes that it had; from others go the entries that start our programs, and what stays is\n" +
		"named. The ledger stays."
	cmd.Example = "  ctxledger uninstall\n  ctxledger uninstall claude-code --yes"
	return cmd
}

// editCommand returns the command that connects agents, or disconnects them.
func (a *app) editCommand(undo bool) *cobra.Command {
	o := setup.Options{Undo: undo}
	project := false
	cmd := &cobra.Command{Args: a.args(0, -1)}
	cmd.Flags().BoolVar(&project, "project", false, "edit the files of this project instead of your own")
	cmd.Flags().BoolVar(&o.Yes, "yes", false, "write without asking")
	cmd.Flags().BoolVar(&o.DryRun, "dry-run", false, "show the changes and write nothing")
	if !undo {
		cmd.Flags().BoolVar(&o.Replace, "replace", false, "replace an entry of our name that others have written")
	}
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		s, err := a.setup(project)
		if err != nil {
			return err
		}
		o.JSON = a.json
		return s.Edit(args, o, setup.Face{In: a.In, Err: a.Err, Asking: terminal(a.In) && terminal(a.Err), Line: a.line,
			Exact: a.exactLine, Say: a.say, Show: func(text []byte) error { return a.writeMasked(text) },
			Answer: a.answerJSON})
	}
	return cmd
}

// setup returns what connects agents here.
func (a *app) setup(project bool) (setup.Setup, error) {
	ws, err := a.find()
	if err != nil {
		return setup.Setup{}, err
	}
	return setup.New(a.Env, ws, project)
}

func (a *app) doctorCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "doctor [AGENT…]",
		Short: "Show which agents are connected, what works with each, and what to do",
		Long: "Looks for the agents that ctxledger knows, at their configurations, at the programs that these name, and\n" +
			"at the daemon. It starts nothing and changes nothing.",
		Example: "  ctxledger doctor\n  ctxledger doctor claude-code --json",
		Args:    a.args(0, -1),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := a.setup(false)
			if err != nil {
				return err
			}
			ws, err := a.find()
			if err != nil {
				return err
			}
			a.settings(ws) // hooks are among them
			st, err := daemon.Status(cmd.Context(), ws.State)
			r, err := s.Doctor(args, setup.Daemon{Running: st.Running, PID: st.PID, Version: st.Version,
				Polling: st.Info.Polling}, err)
			if err != nil {
				return err
			}
			r.Others = a.otherLedgers(cmd.Context(), ws, "status")
			if ws.Root != "" {
				listed, any := carried.Listed(cmd.Context(), carried.Options{Root: ws.Root, Env: a.Env,
					Counter: tokens.O200kBase.Counter()})
				if any {
					r.Index = &listed
				}
			}
			width, _ := screen(a.Out)
			return a.answer(r, func(w io.Writer) {
				r.Print(w, a.newTable("AGENT", "VERSION", "STATE", "TO DO"), width, a.line)
			})
		},
	}
}
