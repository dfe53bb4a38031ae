package cli

import (
	"context"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"ctxledger.dev/carried"
	"ctxledger.dev/cli/pages"
	"ctxledger.dev/internal/agentname"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
)

func (a *app) contextCommand() *cobra.Command {
	var o contextOptions
	cmd := &cobra.Command{
		Use:   "context [--agent NAME] [--model M] [--ask SERVER [--yes]]",
		Short: "Show what every request of an agent carries besides the conversation",
		Long: "Memory and instruction files with what they import, rules, the lists of skills, subagents and\n" +
			"commands, plugins, and MCP servers: what is in every request, what is loaded only later, and what\n" +
			"is wrong with them. Of servers and skills also how often the last 30 recorded sessions used them.\n" +
			"Also what ctxledger's index has a hook list when a session begins. Files of the workspace, of\n" +
			"the agents' own directories in your home and of that index are read, nothing else is, and no\n" +
			"server is started, so that the cost of its tools is unknown. --ask starts one server,\n" +
			"or connects to it, asks for its tools, and ends it within half a minute, after you have seen\n" +
			"the exact command and confirmed it, on a terminal or with --yes. What it answered counts until\n" +
			"its configuration changes.",
		Example: "  ctxledger context\n  ctxledger context --agent claude-code --json\n  ctxledger context --ask docs",
		Args:    a.args(0, 0),
	}
	cmd.Flags().StringVar(&o.model, "model", "", "count as this model `M` does (default: the newest session's)")
	cmd.Flags().StringVar(&o.agent, "agent", "", "show one agent only, by its `NAME`: claude-code")
	cmd.Flags().StringVar(&o.ask, "ask", "", "ask the MCP `SERVER` for its tools, once you have confirmed its command")
	cmd.Flags().BoolVar(&o.yes, "yes", false, "confirm the command of --ask")
	cmd.RunE = a.asks(func(ctx context.Context, api ledger.API, _ []string) error {
		if o.yes && o.ask == "" {
			return misuse("--yes confirms --ask: name a server")
		}
		return a.context(ctx, api, o)
	})
	return cmd
}

// contextOptions are the flags of the context command.
type contextOptions struct {
	model, agent, ask string
	yes               bool
}

// context finds what requests carry and shows it.
func (a *app) context(ctx context.Context, api ledger.API, o contextOptions) error {
	if a.place.Root == "" {
		return fault.New(fault.NotFound, "cli.context", "there is no workspace here: %s", a.place.Why).
			WithHint("name one with --workspace, or call it in a repository")
	}
	out, host, err := a.measured(ctx, api, o.model)
	if err != nil {
		return err
	}
	models, err := a.models()
	if err != nil {
		return err
	}
	counter, err := ledger.CounterOf(ctx, api, models, out.Model)
	if err != nil {
		return err
	}
	out.Report = carried.Find(ctx, carried.Options{Root: a.place.Root, Env: a.Env, Counter: counter})
	if o.ask != "" {
		if err := a.askServer(ctx, api, out.Report, o); err != nil {
			return err
		}
	}
	if out.Hosts != nil {
		use, err := api.ToolUse(ctx, ledger.ToolUseRequest{})
		if err != nil {
			return err
		}
		out.Count(use, a.place.Root)
	}
	out.Report = out.Charged(host, out.Paid)
	if o.agent != "" {
		if out.Hosts, err = only(out.Hosts, o.agent); err != nil {
			return err
		}
	}
	return a.answer(out, func(w io.Writer) { a.page(w).Carried(out, host) })
}

// measured returns the model and what was measured of the newest session, and its host.
func (a *app) measured(ctx context.Context, api ledger.API, model string) (pages.Carried, string, error) {
	out := pages.Carried{Model: model}
	s, err := ledger.FindSession(ctx, api, ledger.SessionRequest{Latest: true})
	if fault.Is(err, fault.NotFound) {
		return out, "", nil
	}
	var st ledger.Status
	if err == nil {
		st, err = api.Status(ctx, ledger.StatusRequest{Session: s.ID, Model: model, Brief: true})
	}
	if err != nil {
		return out, "", err
	}
	out.Model, out.Window, out.Measured, out.Session = st.Model, st.Window, st.Fixed, s.ID
	out.Requests, out.Paid = st.Requests, st.CarriedDollars
	return out, s.Host, nil
}

// only returns the agent of a name.
func only(hosts []carried.Host, name string) ([]carried.Host, error) {
	names := make([]string, 0, len(hosts))
	for _, h := range hosts {
		if h.Name == agentname.Key(name) {
			return []carried.Host{h}, nil
		}
		names = append(names, h.Name)
	}
	e := fault.New(fault.NotFound, "cli.context", "agent %.1000q has no files here", name)
	if len(names) > 0 {
		return nil, e.WithHint("these have: %s", strings.Join(names, ", "))
	}
	return nil, e
}
