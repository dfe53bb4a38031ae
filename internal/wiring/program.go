package wiring

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/version"
)

// Exit statuses of the servers.
const (
	exitDone   = 0
	exitFailed = 1
	exitUsage  = 2
)

// Program is the common part of the servers' command lines.
type Program struct {
	Flags     *flag.FlagSet // a server adds its own flags
	Root      string        // --workspace; "": not said
	InProcess bool          // --in-process

	name string
	env  env.Env
}

// NewProgram returns the program with a name. found says, in its help, how it finds the workspace by default.
func NewProgram(name, found string, e env.Env) *Program {
	p := &Program{Flags: flag.NewFlagSet(name, flag.ContinueOnError), name: name, env: e}
	p.Flags.StringVar(&p.Root, "workspace", "", "root `directory` of the workspace (default: "+found+")")
	p.Flags.BoolVar(&p.InProcess, "in-process", false, "own the ledger in this process instead of asking its daemon")
	return p
}

// Run parses the arguments, calls made to create the server, serves until that ends, and returns the exit status of
// the process. An error of made means wrong arguments.
func (p *Program) Run(args []string, made func() (serve func() error, err error)) int {
	shown := p.Flags.Bool("version", false, "print the version and exit")
	p.Flags.SetOutput(io.Discard) // the library would print the whole help with every error
	switch err := p.Flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		p.Flags.SetOutput(os.Stdout)
		p.Flags.Usage()
		return exitDone
	case err != nil:
		said := strings.NewReplacer("flag provided but not defined: -", "unknown option: --",
			"flag needs an argument: -", "a value is missing: --").Replace(err.Error())
		return p.fail(exitUsage, fault.New(fault.Invalid, p.name, "%s", said).
			WithHint("`%s --help` shows the options", p.name))
	case p.Flags.NArg() > 0:
		return p.fail(exitUsage, fault.New(fault.Invalid, p.name, "unexpected argument %q", p.Flags.Arg(0)).
			WithHint("`%s --help` shows the options", p.name))
	case *shown:
		fmt.Println(p.name, version.Version)
		return exitDone
	}
	serve, err := made()
	if err != nil {
		return p.fail(exitUsage, err)
	}
	if err := serve(); err != nil {
		return p.fail(exitFailed, err)
	}
	return exitDone
}

// fail prints an error with its hint and returns the exit status.
func (p *Program) fail(status int, err error) int {
	w := Stderr(p.env)
	fmt.Fprintf(w, "%s: %s\n", p.name, err)
	if hint := fault.HintOf(err); hint != "" {
		fmt.Fprintf(w, "  hint: %s\n", hint)
	}
	return status
}
