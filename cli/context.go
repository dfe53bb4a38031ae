package cli

import (
	"cmp"
	"context"
	"io"
	"strings"

	"github.com/spf13/pflag"

	"ctxledger.dev/agents/registry"
	"ctxledger.dev/carried"
	"ctxledger.dev/cli/pages"
	"ctxledger.dev/internal/agentname"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
	"ctxledger.dev/panel"
	"ctxledger.dev/sessions"
	"ctxledger.dev/trust"
)

func contextCommand() command {
	var o contextOptions
	return command{
		name: "context", rank: everyday,
		short: "Show what fills the context window, and what every request carries",
		long: "Shows what the window of a session holds by category, at which sizes old results are cleared and the " +
			"conversation is compacted, and what would go first. Then it shows what is in every request besides the " +
			"conversation, what is loaded only on demand, and what is wrong with it: memory and instruction files with their imports, rules, lists of skills, subagents and " +
			"commands, plugins, MCP servers, and ctxledger's own index. For servers and skills it also shows " +
			"how often the last 30 recorded sessions used them. It reads only files in the workspace, in " +
			"that index and in the agents' directories under your home directory, and starts no server, so the cost of a " +
			"server's tools is unknown until you ask.\n\n--ask starts one server (or connects to it), lists " +
			"its tools, and stops it, all within half a minute. It first shows the exact command and asks " +
			"you to confirm it, on a terminal or with --yes. The answer is used until the server's " +
			"configuration changes.",
		example: "ctxledger context\nctxledger context --agent claude-code --json",
		does:    keeps, json: answers(pages.Carried{}),
		flags: func(f *pflag.FlagSet) {
			f.StringVar(&o.model, "model", "", "count files for `MODEL` (default: each agent's newest)")
			agentFlag(f, &o.agent, "show only `AGENT`")
			f.StringVar(&o.session, "session", "", "the window of `SESSION` (default: the newest one)")
			f.StringVar(&o.ask, "ask", "", "ask the MCP `SERVER` for its tools, after confirmation")
			f.BoolVar(&o.yes, "yes", false, "confirm the command of --ask")
		},
		check: func(*action, []string) error {
			if o.yes && o.ask == "" {
				return misuse("--yes confirms --ask: name a server")
			}
			return nil
		},
		ask: o.show,
	}
}

// agentFlag defines the option that names a coding agent.
func agentFlag(f *pflag.FlagSet, agent *string, what string) { f.StringVar(agent, "agent", "", what) }

// contextOptions are the flags of the context command.
type contextOptions struct {
	model, agent, session, ask string
	yes                        bool
}

// show finds what requests carry and shows it.
func (o *contextOptions) show(ctx context.Context, a *action, _ []string) error {
	if a.place.Root == "" {
		return fault.New(fault.NotFound, "cli.context", "no workspace here: %s", a.place.Why).
			WithHint("name one with --workspace, or run it in a repository")
	}
	if _, err := discovered(ctx, a); err != nil { // of which the newest session names the model
		return err
	}
	out, st, err := filledWindow(ctx, a, *o)
	if err != nil {
		return err
	}
	meter, err := meterOf(ctx, a, o.model, out.Window)
	if err != nil {
		return err
	}
	if out.Report, err = findCarried(ctx, a, meter, out.Use.Session); err == nil && o.ask != "" {
		if err = askServer(ctx, a, out.Report, *o); err == nil {
			out.Report, err = findCarried(ctx, a, meter, out.Use.Session) // with its answer
		}
	}
	if err != nil {
		return err
	}
	own := out.Report // of the models that sessions run on
	if o.model != "" {
		if meter, err = meterOf(ctx, a, "", 0); err == nil {
			own, err = findCarried(ctx, a, meter, out.Use.Session)
		}
		if err != nil {
			return err
		}
	}
	if st != nil && (o.agent == "" || st.Session.Host == agentname.Key(o.agent)) {
		p := panel.Of(*st, own, registry.InstalledCost(own, st.Session.Host))
		out.Panel = &p
	}
	out.Report, out.Besides = out.Charged(out.Use), own.Besides(out.Use)
	if o.agent != "" {
		if out.Hosts, err = only(out.Hosts, o.agent); err != nil {
			return err
		}
	}
	return a.answer(out, func(w io.Writer) { a.page(w).Carried(out) })
}

// meterFunc says how what an agent loads is counted: see carried.Options.
type meterFunc = func(agent string) (ledger.Meter, bool)

// meterOf counts what agents load for a model with a window, 0: the one that is known; "": each for the model of its newest
// session.
func meterOf(ctx context.Context, a *action, model string, window int) (meterFunc, error) {
	models, err := a.models()
	if err != nil {
		return nil, err
	}
	if model != "" {
		counter, err := ledger.CounterOf(ctx, a.ledger, models, model)
		known, _ := models.Window(model)
		return carried.For(ledger.Meter{Counter: counter, Window: cmp.Or(window, known)}), err
	}
	page, err := a.ledger.Sessions(ctx, ledger.SessionsRequest{})
	if err != nil {
		return nil, err
	}
	hosts, err := ledger.HostModels(ctx, a.ledger, ledger.NewestOf(page.Sessions))
	return carried.Each(models, hosts), err
}

// findCarried finds what requests carry in the workspace, if there is one, with what is recorded of servers and skills. The agent of a session
// is taken to run where that ran.
func findCarried(ctx context.Context, a *action, meter meterFunc, s sessions.Session) (carried.Report, error) {
	out := carried.Find(ctx, carried.Options{Agents: registry.Carried(), Root: a.place.Root, Env: a.Env, Meter: meter,
		Ran: carried.RanIn(s)})
	if !out.Counts() {
		return out, nil
	}
	use, err := a.ledger.ToolUse(ctx, ledger.ToolUseRequest{})
	out.Count(use, a.place.Root)
	return out, err
}

// filledWindow returns what fills the window of the session, nil where none is named or recorded, and what was measured of it.
// A model that is asked for is only what the files are counted for: the session runs on its own.
func filledWindow(ctx context.Context, a *action, o contextOptions) (pages.Carried, *ledger.Status, error) {
	out := pages.Carried{Model: o.model, Newest: o.model == ""}
	s, err := ledger.FindSession(ctx, a.ledger, ledger.SessionRequest{Name: o.session, Latest: true})
	if o.session == "" && fault.Is(err, fault.NotFound) {
		return out, nil, nil
	}
	var st ledger.Status
	if err == nil {
		st, err = a.ledger.Status(ctx, ledger.StatusRequest{Session: s.ID})
	}
	if err != nil {
		return out, nil, err
	}
	out.Model, out.Window, out.Measured, out.Session = cmp.Or(o.model, st.Model), st.Window, st.Fixed, s.ID
	out.Requests, out.Use = st.Requests, st.Use
	out.Use.Model = out.Model
	return out, &st, nil
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
	return nil, fault.New(fault.NotFound, "cli.context", "agent %.1000q has no files here", name).
		WithHint("these have: %s", cmp.Or(strings.Join(names, ", "), "none"))
}

// askServer asks an MCP server for its tools, once the person has confirmed what that runs, and records them.
func askServer(ctx context.Context, a *action, r carried.Report, o contextOptions) error {
	host, part, err := r.Server(o.ask, o.agent)
	if err != nil {
		return err
	}
	if part.Own() && !part.Unknown {
		a.say("%s is ctxledger's own server: its cost is known without asking", part.Name)
		return nil
	}
	ask, err := trust.FindServer(a.Env, a.place.Root, host, part)
	if err != nil {
		return err
	}
	var approved trust.ApprovedServer
	if o.yes {
		a.say("asking %s for its tools, as --yes confirms:", part.Name)
		ask.Print(a.Err, a.masks.String)
		approved, err = trust.ApproveServer(ask, ask.Digest())
	} else {
		approved, err = trust.ConfirmServer(ask, a.In, a.Err, a.masks.String)
	}
	if err != nil {
		return err
	}
	answer, err := a.AskServer(ctx, approved)
	if err != nil {
		return err
	}
	_, err = a.ledger.KeepServer(ctx, answer.Kept(ask))
	return err
}
