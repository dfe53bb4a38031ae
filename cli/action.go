package cli

import (
	"context"
	"errors"
	"io"

	"github.com/spf13/pflag"

	"ctxledger.dev/cli/hooking"
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
	a := &action{Config: c, masks: masks, messages: masks.Lines(c.Err), self: selfOf(c.Env)}
	root := a.root()
	root.SetArgs(append([]string{}, c.Args...)) // nil would mean those of the process
	root.SetIn(c.In)
	root.SetOut(c.Out)
	root.SetErr(c.Err)
	cmd, err := root.ExecuteContextC(ctx)
	if err == nil {
		err = a.unknown
	}
	if a.ledger != nil {
		err = errors.Join(err, a.ledger.Close())
	}
	return a.report(cmd, err)
}

// action is one run of a command, as the command's function sees it: where it prints and asks, and what it works on. What
// only some commands need is a function of theirs.
type action struct {
	Config
	masks     *redact.Redactor // of answers and messages; its key is this run's
	messages  io.Writer        // Err with secrets masked: messages quote what they refuse
	flags     *pflag.FlagSet   // of the command
	workspace string
	json      bool
	inProcess bool
	unknown   error               // of a command whose help was asked for
	self      self                // how the user's shell starts this program
	ledger    ledger.API          // nil until opened
	place     workspace.Workspace // zero until it is found, which opening the ledger does
	// complained are the problems of the configuration that were reported.
	complained []config.Problem
}
