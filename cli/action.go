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
	a := &action{Config: c, self: selfOf(c.Env)}
	own := redact.New([]byte(c.Env.ID(32)))
	a.masks = own.Asking(func(secret []byte) string { return suffixOf(ctx, a.ledger, secret) })
	a.messages = a.masks.Lines(c.Err)
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
		a.ledger = nil
	}
	return a.report(cmd, err)
}

// suffixOf asks a ledger for the end of a secret's mask, which is then the same in each run; "": there is none to ask.
func suffixOf(ctx context.Context, api ledger.API, secret []byte) string {
	if api == nil {
		return ""
	}
	resp, _ := api.Mask(ctx, ledger.MaskRequest{Secret: secret}) // a secret that it refuses is masked all the same
	return resp.Suffix
}

// action is one run of a command, as the command's function sees it: where it prints and asks, and what it works on. What
// only some commands need is a function of theirs.
type action struct {
	Config
	masks     *redact.Redactor // of answers and messages: as the open ledger does; without one, by a key of this run
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
