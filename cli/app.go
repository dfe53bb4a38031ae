package cli

import (
	"context"
	"errors"
	"io"

	"github.com/spf13/cobra"

	"ctxledger.dev/cli/hooking"
	"ctxledger.dev/cli/setup"
	"ctxledger.dev/config"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/redact"
	"ctxledger.dev/ledger"
	"ctxledger.dev/servertools/asking"
	"ctxledger.dev/trust"
	"ctxledger.dev/workspace"
)

// Config is what a program hands to Main.
type Config struct {
	Args    []string // without the program's name
	Env     env.Env
	Version string
	In      io.Reader
	Out     io.Writer // the answer
	Err     io.Writer // everything else
	// ServerCost is what having the MCP server registered costs a model's window, in tokens.
	ServerCost int
	// AskServer asks an MCP server for its tools, which the person has approved. Errors: those of asking.Ask.
	AskServer func(context.Context, trust.ApprovedServer) (asking.Answer, error)
}

// Main runs one command and returns the exit status of the process. It ends when its work is done or ctx ends.
func Main(ctx context.Context, c Config) int {
	if hooking.Wanted(c.Args) {
		hooking.Main(ctx, hooking.Config{Args: c.Args, Env: c.Env, Version: c.Version, In: c.In, Out: c.Out})
		return exitDone
	}
	masks := redact.New([]byte(c.Env.ID(32)))
	a := &app{Config: c, masks: masks, messages: masks.Lines(c.Err), self: setup.SelfOf(c.Env)}
	root := a.root()
	root.SetArgs(append([]string{}, c.Args...)) // nil would mean those of the process
	root.SetIn(c.In)
	root.SetOut(c.Out)
	root.SetErr(c.Err)
	cmd, err := root.ExecuteContextC(ctx)
	if a.ledger != nil {
		err = errors.Join(err, a.ledger.Close())
	}
	return a.report(cmd, err)
}

// app is one run of the program: its flags, and the ledger once a command needed it.
type app struct {
	Config
	masks     *redact.Redactor // of answers and messages; its key is this run's
	messages  io.Writer        // Err with secrets masked: messages quote what they refuse
	workspace string
	json      bool
	inProcess bool
	self      setup.Self          // how the user's shell starts this program
	ledger    ledger.API          // nil until opened
	place     workspace.Workspace // zero until the ledger is opened
	// complained are the problems of the configuration that were reported.
	complained []config.Problem
}

// The groups in which the help lists the commands.
const (
	groupView   = "view"
	groupStore  = "store"
	groupLedger = "ledger"
	groupSelf   = "program"
)

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "ctxledger",
		Short: "Shows what an agent's context costs, keeps it small, and loses nothing",
		Long: "ctxledger records what happened in a coding agent's sessions: messages, tool calls, file changes,\n" +
			"memory and artifacts. Every smaller view of a session is derived from that record, and can be undone.\n" +
			"Without a command it shows the status.",
		Example: "  ctxledger import ~/.claude/projects/-home-me-app/*.jsonl\n" +
			"  ctxledger compact\n" +
			"  ctxledger restore --apply 3f9c1b2a7d4e",
		SilenceErrors: true, SilenceUsage: true,
		Version: a.Version,
		Args:    a.args(0, 0),
		RunE:    a.asks(a.status),
	}
	root.SetVersionTemplate("ctxledger {{.Version}}\n")
	root.SetFlagErrorFunc(a.flagError)
	f := root.PersistentFlags()
	f.StringVar(&a.workspace, "workspace", "",
		"root `DIRECTORY` of the workspace (default: found from the working directory)")
	f.BoolVar(&a.json, "json", false, "print the answer as JSON")
	f.BoolVar(&a.inProcess, "in-process", false, "open the ledger in this process instead of using its daemon")
	root.AddGroup(
		&cobra.Group{ID: groupView, Title: "Sessions and views:"},
		&cobra.Group{ID: groupStore, Title: "Other stored data:"},
		&cobra.Group{ID: groupLedger, Title: "The ledger:"},
		&cobra.Group{ID: groupSelf, Title: "The program:"},
	)
	add(root, groupView, a.statusCommand(), a.sessionsCommand(), a.importCommand(), a.auditCommand(),
		a.contextCommand(), a.compactCommand(), a.continueCommand(), a.recoverCommand(), a.restoreCommand(),
		a.diffCommand())
	add(root, groupStore, a.catCommand(), a.artifactCommand(), a.memoryCommand(), a.changesCommand(), a.whyCommand())
	add(root, groupLedger, a.adoptCommand(), a.backupCommand(), a.checkCommand(), a.duCommand(), a.exportCommand(),
		a.forgetCommand(), a.gcCommand(), a.repairCommand(), a.retainCommand(), a.workspacesCommand())
	add(root, groupSelf, a.benchCommand(), a.countCommand(), a.configCommand(), a.eventsCommand(),
		a.daemonCommand(), a.doctorCommand(), a.hookCommand(), a.installCommand(), a.modelsCommand(), a.trustCommand(),
		a.uninstallCommand(), a.validateCommand())
	root.SetHelpCommand(a.helpCommand())
	root.SetHelpCommandGroupID(groupSelf)
	root.CompletionOptions.DisableDefaultCmd = true
	return root
}

// add puts commands into a group of the help.
func add(root *cobra.Command, group string, commands ...*cobra.Command) {
	for _, c := range commands {
		c.GroupID = group
		root.AddCommand(c)
	}
}

// helpCommand is like cobra's, but naming a command that does not exist is wrong use.
func (a *app) helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "help [COMMAND…]",
		Short:   "Show how a command is used",
		Example: "  ctxledger help artifact read",
		RunE: func(cmd *cobra.Command, args []string) error {
			found, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return a.unknownCommand(found, rest)
			}
			found.InitDefaultHelpFlag()
			found.InitDefaultVersionFlag()
			return found.Help()
		},
	}
}
