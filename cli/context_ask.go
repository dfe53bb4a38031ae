package cli

import (
	"context"
	"strings"

	"ctxledger.dev/carried"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
	"ctxledger.dev/trust"
)

// askServer asks an MCP server for its tools, once the person has confirmed what that runs, and records them.
func (a *app) askServer(ctx context.Context, api ledger.API, r carried.Report, o contextOptions) error {
	host, part, err := serverOf(r, o.ask, o.agent)
	if err != nil {
		return err
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
	_, err = api.KeepServer(ctx, answer.Kept(ask))
	return err
}

// serverOf returns the server of a name. Errors: not_found, with the names that there are; conflict when several agents
// have different servers of that name.
func serverOf(r carried.Report, name, agent string) (host carried.Host, part carried.Part, err error) {
	const op = "cli.context"
	var names, agents []string
	for _, h := range r.Hosts {
		if agent != "" && !strings.EqualFold(h.Name, agent) {
			continue
		}
		for _, p := range h.Parts {
			switch {
			case p.Kind != carried.Server:
			case p.Name != name:
				names = append(names, p.Name)
			case len(agents) == 0 || p.Config.Digest() != part.Config.Digest():
				host, part = h, p
				agents = append(agents, h.Name+" ("+p.Path+")")
			}
		}
	}
	switch {
	case len(agents) == 1:
		return host, part, nil
	case len(agents) > 1:
		return host, part, fault.New(fault.Conflict, op, "there are several MCP servers %.200q: of %s", name,
			strings.Join(agents, ", ")).WithHint("name the agent with --agent")
	case len(names) == 0:
		return host, part, fault.New(fault.NotFound, op, "there is no MCP server %.200q: none is configured here", name)
	}
	return host, part, fault.New(fault.NotFound, op, "there is no MCP server %.200q", name).
		WithHint("there are: %s", chars.Short(strings.Join(names, ", "), 300))
}
