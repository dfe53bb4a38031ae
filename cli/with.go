package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"

	"ctxledger.dev/agents/install"
	"ctxledger.dev/agents/registry"
	"ctxledger.dev/internal/agentname"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/proxy/launch"
)

// reads reports whether an agent can be given the tool that reads stubs, so that its requests can be made smaller.
func reads(h registry.Agent) bool { return h.Reads != nil }

// agentEnded is the exit status of an agent that ended with another one than 0.
type agentEnded int

// Error implements error.
func (e agentEnded) Error() string { return fmt.Sprintf("the agent exited with status %d", int(e)) }

// readBack gives the agent the tool that reads stubs, or says why its requests are sent as they are.
func (a *action) readBack(o *launch.Options, s setup) {
	name := filepath.Base(o.Agent[0])
	h := registry.Of(agentname.Of(strings.TrimSuffix(name, ".exe")))
	if !reads(h) {
		a.say("requests from %s are sent as they are: only those from %s are made smaller", name,
			strings.Join(registry.Names(reads), ", "))
		return
	}
	connected := s.serves(h)
	o.Args, o.Set = h.Reads(s.Machine.Programs.MCP, a.workspace, connected)
	if !connected && len(o.Args)+len(o.Set) == 0 {
		a.say("%s", a.self.in(fmt.Sprintf("requests from %s are sent as they are: it takes no MCP server for a single run. "+
			"`ctxledger install %s` connects ctxledger's", name, h.Name)))
	}
}

func withCommand() command {
	var upstream []string
	var reduce, beyond bool
	return command{
		name: "with", args: "-- AGENT [ARGUMENT…]", rank: everyday, near: []string{"run", "exec"},
		short: "Start an agent, and measure its requests to its model while it runs",
		long: "Starts AGENT with variables that route its requests through a local proxy, which measures them: see " +
			"`ctxledger proxy`. Only this program sees the variables, and the proxy exits when it does. The exit status is " +
			"the program's.\n\n" +
			"With --reduce, requests from Claude Code, Codex, opencode and Gemini CLI are sent as the view of their session: large " +
			"results as stubs, old ones shortened in steps that pay off. The agent gets the tool that reads them back, and may call it " +
			"without asking. Gemini CLI has it, and asks, once `ctxledger install gemini` has connected it.",
		example: "ctxledger with -- claude --continue\nctxledger with --reduce -- claude",
		does:    keeps, undo: "it records",
		flags: func(f *pflag.FlagSet) {
			f.SetInterspersed(false) // what comes behind the program is the program's
			f.StringArrayVar(&upstream, "upstream", nil, "send requests to `PROVIDER=URL`; can be repeated")
			f.BoolVar(&reduce, "reduce", false, "make its requests smaller, reversibly")
			f.BoolVar(&beyond, "beyond-limits", false, "send requests even if a limit is reached")
		},
		run: func(ctx context.Context, a *action, args []string) error {
			if _, err := upstreams(a, upstream); err != nil {
				return err
			}
			a.complain(problemsHere(a))
			m := install.Machine{Env: a.Env}
			if h := registry.Of(args[0]); h.Program != "" && m.LookPath(args[0]) == "" {
				args[0] = h.Program // the name of an agent that is not the name of its program
			}
			own, err := os.Executable()
			if err != nil {
				return fault.Wrap(fault.Unavailable, "cli.with", err)
			}
			serve := []string{own, "proxy", "--behind", "--json"}
			for _, u := range upstream {
				serve = append(serve, "--upstream", u)
			}
			if a.workspace != "" {
				serve = append(serve, "--workspace", a.workspace)
			}
			if beyond {
				serve = append(serve, "--beyond-limits")
			}
			o := launch.Options{Env: a.Env, Agent: args, Proxy: serve, In: a.In, Out: a.Out, Err: a.Err}
			if reduce || a.reduces() {
				ws, err := a.find()
				if err != nil {
					return err
				}
				s, err := newSetup(a.Env, ws, false)
				if err = errors.Join(err, s.incomplete); err != nil {
					return err
				}
				a.readBack(&o, s)
				o.Proxy = append(serve, "--reduce")
			}
			status, err := launch.Run(ctx, o)
			if err == nil && status != 0 {
				err = agentEnded(status)
			}
			return err
		},
	}
}
