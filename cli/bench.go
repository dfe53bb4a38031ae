package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"ctxledger.dev/agents"
	"ctxledger.dev/engine/replay"
	"ctxledger.dev/engine/temporary"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/fault"
)

func (a *app) benchCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Measure the effect of ctxledger on your own recorded sessions",
		Long: "Plays recorded sessions through ctxledger. It is replay, not solved tasks: with another view the\n" +
			"agent might have acted differently. It uses a temporary ledger only, and nothing leaves the\n" +
			"machine.",
		Args: a.args(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.benchReplayCommand(), a.benchRetentionCommand())
	return cmd
}

// eachSession reads session files and calls do for each. It reports a file that fails and continues with the next;
// its error says how many failed.
func (a *app) eachSession(
	ctx context.Context, files []string, do func(ctx context.Context, s *replay.Session) error,
) error {
	ctx, stop := temporary.Interruptible(ctx) // a replay's ledger is not left behind
	defer stop()
	failed := 0
	for _, file := range files {
		err := a.readSession(ctx, file, do)
		switch {
		case ctx.Err() != nil, err != nil && len(files) == 1:
			return err
		case err != nil:
			a.say("%s", err)
			failed++
		}
	}
	if failed > 0 {
		return fault.New(fault.Invalid, "cli.bench", "%d of %s could not be replayed", failed,
			chars.Plural(len(files), "file"))
	}
	return nil
}

func (a *app) readSession(
	ctx context.Context, file string, do func(ctx context.Context, s *replay.Session) error,
) error {
	f, err := openFile(file, a.absolute(file))
	if err != nil {
		return err
	}
	defer f.Close() // opened for reading
	r, err := agents.Read(f, file)
	if err != nil {
		return err
	}
	return do(ctx, played(r, a.replays()))
}

// replays returns the state directory below which replays have their ledgers, so that what a killed one left is found and
// removed; "" without one.
func (a *app) replays() string {
	ws, err := a.find()
	if err != nil {
		return ""
	}
	return ws.State
}

// played is a recording as the replay takes it, with the state directory of the workspace.
func played(r agents.Recording, state string) *replay.Session {
	return &replay.Session{Name: r.Name, State: state, About: r.About, Entries: r.Entries, Summaries: r.Summaries}
}

// percent prints a share without decimals; "–" for one that is not known.
func percent(share float64, known bool) string {
	if !known {
		return "–"
	}
	return fmt.Sprintf("%.0f %%", 100*share)
}

// notTasks is what has to be said of every replay.
func notTasks(w io.Writer) { fmt.Fprintln(w, "Replay, not solved tasks.") }
