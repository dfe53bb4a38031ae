package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"ctxledger.dev/engine"
	"ctxledger.dev/engine/daemon"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/sessions"
	"ctxledger.dev/workspace"
)

// Exit statuses.
const (
	exitDone   = 0
	exitFailed = 1
	exitUsage  = 2
)

// Config is what a program hands to Main.
type Config struct {
	Args    []string // without the program's name
	Env     env.Env
	Version string
	In      io.Reader
	Out     io.Writer // the answer
	Err     io.Writer // everything else
}

// Main runs one command and returns the exit status of the process.
func Main(ctx context.Context, c Config) int {
	a := &app{Config: c}
	root := a.root()
	root.SetArgs(c.Args)
	root.SetIn(c.In)
	root.SetOut(c.Out)
	root.SetErr(c.Err)
	err := root.ExecuteContext(ctx)
	if a.ledger != nil {
		err = errors.Join(err, a.ledger.Close())
	}
	return a.report(err)
}

// app is one run of the program: its flags, and the ledger once a command needed it.
type app struct {
	Config
	workspace string
	json      bool
	inProcess bool
	ledger    engine.API
	place     workspace.Workspace
}

// usageError marks wrong use of the command line.
type usageError struct{ error }

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "ctxledger",
		Short: "Shows what an agent's context costs, keeps it small, and loses nothing",
		Long: "ctxledger records what really happened in a coding agent's sessions: messages, tool calls, file\n" +
			"changes, memory and artifacts. Every smaller view of a session is derived from that record and can\n" +
			"be taken back. Without a command it shows the status.",
		Example:       "  ctxledger import ~/.claude/projects/-home-me-app/*.jsonl\n  ctxledger compact\n  ctxledger restore --apply 3f9c1b2a7d4e",
		SilenceErrors: true, SilenceUsage: true,
		Version: a.Version,
		Args:    a.args(cobra.NoArgs),
		RunE:    a.status,
	}
	root.SetVersionTemplate("ctxledger {{.Version}}\n")
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{err} })
	f := root.PersistentFlags()
	f.StringVar(&a.workspace, "workspace", "", "root directory of the workspace (default: found from where you are)")
	f.BoolVar(&a.json, "json", false, "print the answer as JSON")
	f.BoolVar(&a.inProcess, "in-process", false, "own the ledger in this process instead of asking its daemon")
	root.AddCommand(
		a.artifactCommand(), a.catCommand(), a.changesCommand(), a.compactCommand(), a.countCommand(), a.daemonCommand(),
		a.diffCommand(), a.eventsCommand(), a.importCommand(), a.memoryCommand(), a.restoreCommand(), a.sessionsCommand(),
		a.statusCommand(), a.whyCommand(),
	)
	root.CompletionOptions.HiddenDefaultCmd = true
	return root
}

// args turns cobra's complaints about arguments into wrong use.
func (a *app) args(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if err := check(cmd, args); err != nil {
			if cmd == cmd.Root() && len(args) > 0 {
				err = fmt.Errorf("there is no command %q", args[0])
			}
			return usageError{err}
		}
		return nil
	}
}

// find says which workspace this run is about.
func (a *app) find() (workspace.Workspace, error) {
	return workspace.Find(a.Env, workspace.Options{Flag: a.workspace})
}

// open returns the ledger of the workspace, starting its daemon if none runs.
func (a *app) open(ctx context.Context) (engine.API, error) {
	if a.ledger != nil {
		return a.ledger, nil
	}
	ws, err := a.find()
	if err != nil {
		return nil, err
	}
	a.place = ws
	a.ledger, err = daemon.OpenWorkspace(ctx, ws, daemon.Options{Env: a.Env, Version: a.Version, InProcess: a.inProcess})
	return a.ledger, err
}

// session finds the session that a command is about: the named one, the agent's own, the active
// one, or the newest.
func (a *app) session(ctx context.Context, name string) (sessions.Session, error) {
	api, err := a.open(ctx)
	if err != nil {
		return sessions.Session{}, err
	}
	return api.Session(ctx, engine.SessionRequest{Name: name, HostID: a.Env.Lookup("CLAUDE_CODE_SESSION_ID"), Latest: true})
}

// report prints what went wrong, if anything did, and returns the exit status.
func (a *app) report(err error) int {
	if err == nil {
		return exitDone
	}
	if wrong, ok := errors.AsType[usageError](err); ok {
		a.say("%s", wrong)
		a.hint("`ctxledger --help` shows the commands")
		return exitUsage
	}
	a.say("%s", err)
	if hint := fault.HintOf(err); hint != "" {
		a.hint("%s", hint)
	}
	if fault.Is(err, fault.Internal) {
		a.hint("this looks like a defect of ctxledger: please report it with the command that you ran")
	}
	return exitFailed
}

// say writes one line to standard error.
func (a *app) say(format string, args ...any) {
	fmt.Fprintf(a.Err, "ctxledger: %s\n", plain(strings.TrimSpace(fmt.Sprintf(format, args...))))
}

// hint writes what the reader can do.
func (a *app) hint(format string, args ...any) {
	fmt.Fprintf(a.Err, "  hint: %s\n", plain(fmt.Sprintf(format, args...)))
}

// answer prints v as JSON if that was asked for, else what text writes.
func (a *app) answer(v any, text func(w io.Writer)) error {
	if !a.json {
		text(a.Out)
		return nil
	}
	enc := json.NewEncoder(a.Out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return fault.Wrap(fault.Unavailable, "cli.answer", enc.Encode(v))
}

// terminal reports whether w is a terminal.
func terminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	st, err := f.Stat()
	return err == nil && st.Mode()&os.ModeCharDevice != 0
}
