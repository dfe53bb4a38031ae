package cli

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ctxledger.dev/carried"
	"ctxledger.dev/cli/columns"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
	"ctxledger.dev/tokens"
)

func (a *app) contextCommand() *cobra.Command {
	var o contextOptions
	cmd := &cobra.Command{
		Use:   "context [--agent NAME] [--model M] [--ask SERVER [--yes]]",
		Short: "Show what every request of an agent carries besides the conversation",
		Long: "Memory and instruction files with what they import, rules, the lists of skills, subagents and\n" +
			"commands, and MCP servers: what of them is in every request, what is loaded only later, and what\n" +
			"is wrong with them. Of servers and skills also how often the last 30 recorded sessions used them.\n" +
			"Files of the workspace and of the agents' own directories in your home are read, nothing else\n" +
			"is, and no server is started, so that the cost of its tools is unknown. --ask starts one server,\n" +
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

// contextAnswer is what the context command answers.
type contextAnswer struct {
	carried.Report
	Model  string `json:"model,omitempty"`
	Window int    `json:"window,omitempty"` // tokens; absent: unknown
	// Measured is what the provider measured of the first request of the session besides its messages: what is carried,
	// and the agent's own prompt and tools; absent: nothing was measured.
	Session  string        `json:"session,omitempty"`
	Measured *tokens.Count `json:"measured,omitempty"`
	// Requests is how many answers of the session were measured; what its agent's parts have cost is for these.
	Requests int `json:"requests,omitempty"`

	carriedDollars *float64 // see ledger.Use
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
	counter, err := a.counterOf(ctx, out.Model, "")
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
	out.Report = out.Charged(host, out.carriedDollars)
	if o.agent != "" {
		if out.Hosts, err = only(out.Hosts, o.agent); err != nil {
			return err
		}
	}
	return a.answer(out, func(w io.Writer) { a.printContext(w, out, host) })
}

// measured returns the model and what was measured of the newest session, and its host.
func (a *app) measured(ctx context.Context, api ledger.API, model string) (contextAnswer, string, error) {
	out := contextAnswer{Model: model}
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
	out.Requests, out.carriedDollars = st.Requests, st.CarriedDollars
	return out, s.Host, nil
}

// only returns the agent of a name.
func only(hosts []carried.Host, name string) ([]carried.Host, error) {
	names := make([]string, 0, len(hosts))
	for _, h := range hosts {
		if strings.EqualFold(h.Name, name) {
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

// printContext draws what each agent's requests carry.
func (a *app) printContext(w io.Writer, out contextAnswer, host string) {
	if len(out.Hosts) == 0 {
		fmt.Fprintln(w, "no agent has files here: no CLAUDE.md, AGENTS.md, rules, skills or MCP servers")
		return
	}
	for i, h := range out.Hosts {
		if i > 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintf(w, "%s: %s in every request%s\n", h.Title, tokensOf(h.Carried), shareOf(h, out.Window))
		if h.Name == host && out.Measured != nil {
			rest := max(0, out.Measured.N-h.Carried.N)
			fmt.Fprintf(w, "the provider measured %s besides the messages of session %s: ≈%s are the agent's own prompt and "+
				"tools\n", tokensOf(*out.Measured), out.Session, chars.Commas(rest))
		}
		if h.Dollars != nil {
			fmt.Fprintf(w, "%s so far for these tokens in session %s: %s at list prices\n", carried.Money(*h.Dollars),
				out.Session, chars.Plural(out.Requests, "request"))
		}
		t := a.newTable("WHAT", ">IN EVERY REQUEST", ">LATER", "")
		t.Indent, t.Wide = "  ", true
		for _, p := range h.Parts {
			addPart(t, "", p)
		}
		t.Print(w)
		a.printProblems(w, h)
	}
}

// shareOf says which part of the window an agent's requests have filled before the conversation begins.
func shareOf(h carried.Host, window int) string {
	text := ""
	if window > 0 {
		text = ", " + columns.Share(float64(h.Carried.N), float64(window)) + " of the window"
	}
	if h.Unknown > 0 {
		text += ", and " + chars.Plural(h.Unknown, "part") + " of unknown cost"
	}
	return text
}

func tokensOf(c tokens.Count) string { return c.String() + " tokens" }

// addPart adds a row for a part, and for what it imports.
func addPart(t *columns.Table, indent string, p carried.Part) {
	now, later := "", ""
	switch {
	case p.Unknown:
		now = "unknown"
	case p.Carried.N > 0:
		now = p.Carried.String()
	}
	if p.Later.N > 0 {
		later = p.Later.String()
	}
	name := p.Name
	if p.Kind != carried.Memory && p.Kind != carried.Rule {
		name = string(p.Kind) + " " + name
	}
	t.Add(indent+name, now, later, about(p))
	for _, i := range p.Imports {
		addPart(t, indent+"@ ", i)
	}
	addTools(t, indent+"- ", p)
}

// about says what matters of a part: when it is loaded, or its heaviest section, and how often it was used.
func about(p carried.Part) string {
	said := []string{aboutFile(p), p.Source(), p.Used()}
	return strings.Join(slices.DeleteFunc(said, func(s string) bool { return s == "" }), "; ")
}

func aboutFile(p carried.Part) string {
	switch {
	case p.When != "" && (p.Later.N > 0 || p.Carried.N == 0):
		return "when " + p.When
	case p.Share > 0:
		return fmt.Sprintf("%.0f %% of it: %s", 100*p.Share, p.Heaviest)
	}
	return ""
}

// printProblems names what is wrong with an agent's files.
func (a *app) printProblems(w io.Writer, h carried.Host) {
	h.Each(func(p *carried.Part) {
		for _, x := range p.Problems {
			fmt.Fprintf(w, "  ! %s: %s\n", columns.OneLine(p.Name), columns.OneLine(x.Message))
		}
	})
}
