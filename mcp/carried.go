package mcp

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"ctxledger.dev/agents/registry"
	"ctxledger.dev/carried"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/tokens"
)

// maxCarried is how many files a status names, the ones that cost most, and how many servers.
const maxCarried = 8

// maxCarriedName is how long their names are, in characters.
const maxCarriedName = 120

// carriedResult is what every request of a host carries besides the conversation, as far as files say it.
type carriedResult struct {
	Carried []share `json:"carried,omitempty"` // of files, most first
	// Servers are the MCP servers, with how often they were called, and what their tools cost where they were asked.
	Servers []serverUse `json:"servers,omitempty"`
	// Listed is what the configuration has a hook list when a session begins.
	Listed *share `json:"listed,omitempty"`
	// Dollars is what the session has paid for Carried, about; nil: that is not known of each.
	Dollars *float64 `json:"carried_usd,omitempty"`
	paidBy  string
}

// serverUse is how often tools of an MCP server were called in recorded sessions; Sessions 0: not known.
type serverUse struct {
	Name     string `json:"name"`
	Calls    int    `json:"calls"`
	Sessions int    `json:"sessions"`
	// Tools, Tokens and Later are of those that were asked: how many there are, what each request carries, and what is
	// loaded on demand.
	Tools  int           `json:"tools,omitempty"`
	Tokens *tokens.Count `json:"tokens,omitempty"`
	Later  *tokens.Count `json:"later,omitempty"`
	said   string
}

// found returns what files say that the requests of agents carry, and the root of the tree that they are for. model is the
// one for which it counts, and s whose agent is taken to run where it ran.
func (c *call) found(ctx context.Context, model string, s sessions.Session) (report carried.Report, root string) {
	root, err := c.tree(ctx)
	if err != nil || root == "" {
		return report, ""
	}
	models := tokens.Builtin()
	if c.o.Models != nil {
		models = c.o.Models(root)
	}
	o := carried.Options{Agents: registry.Carried(), Root: root, Env: c.o.Env, Ran: carried.RanIn(s)}
	if counter, _ := ledger.CounterOf(ctx, c.api, models, model); model != "" { // without what is not known
		o.Meter = carried.For(ledger.Meter{Counter: counter})
	}
	return carried.Find(ctx, o), root
}

// carried returns what every request of a session's host carries, of what was found.
func (c *call) carried(ctx context.Context, st ledger.Status, report carried.Report, root string) (out carriedResult) {
	host := st.Session.Host
	report.Hosts = slices.DeleteFunc(report.Hosts, func(h carried.Host) bool { return h.Name != host })
	if len(report.Hosts) == 0 {
		return out
	}
	if use, err := c.api.ToolUse(ctx, ledger.ToolUseRequest{}); err == nil { // else it stays unknown
		report.Count(use, root)
	}
	h, dollars, known := report.Charged(st.Use).Hosts[0], 0.0, true
	h.Each(func(p *carried.Part) {
		switch {
		case p.Kind == carried.Index:
			out.Listed = &share{oneLine(p.Name, maxCarriedName), p.Later}
		case p.Kind != carried.Server && p.Carried.N > 0:
			out.Carried = append(out.Carried, share{oneLine(string(p.Kind)+" "+p.Name, maxCarriedName), p.Carried})
			if known = known && p.Dollars != nil; known {
				dollars += *p.Dollars
			}
		case p.Kind == carried.Server && !p.Off() && !p.Own() && len(out.Servers) < maxCarried:
			s := serverUse{Name: oneLine(p.Name, maxCarriedName), said: p.Used()}
			if p.Use != nil {
				s.Calls, s.Sessions = p.Use.Calls, p.Use.Sessions
			}
			s.ask(p)
			out.Servers = append(out.Servers, s)
		}
	})
	if known && len(out.Carried) > 0 {
		out.Dollars, out.paidBy = &dollars, h.PaidBy
	}
	out.Carried = heaviest(out.Carried)
	return out
}

// ask adds what the server answered when it was asked.
func (s *serverUse) ask(p *carried.Part) {
	if p.Unknown {
		return
	}
	said := p.Carried.String()
	s.Tools, s.Tokens = len(p.Tools), &p.Carried
	if p.Later.N > 0 {
		s.Later = &p.Later
		said += " and " + p.Later.String() + " when " + p.When
	}
	s.said = said + ", " + p.Source() + "; " + s.said
}

// heaviest returns what costs most, and the rest together.
func heaviest(all []share) []share {
	slices.SortStableFunc(all, func(a, b share) int { return cmp.Compare(b.Tokens.N, a.Tokens.N) })
	if len(all) <= maxCarried {
		return all
	}
	rest := share{Name: fmt.Sprintf("%d more", len(all)-maxCarried), Tokens: tokens.Count{Exact: true}}
	for _, x := range all[maxCarried:] {
		rest.Tokens = carried.Plus(rest.Tokens, x.Tokens)
	}
	return append(all[:maxCarried:maxCarried], rest)
}

// lines returns it as lines of a status.
func (r carriedResult) lines() (out []string) {
	if len(r.Carried) > 0 {
		line := "files in every request:"
		if r.Dollars != nil {
			line = "files in every request (" + chars.Money(*r.Dollars, false) + " so far, over " + r.paidBy + "):"
		}
		out = append(out, line)
	}
	for _, x := range r.Carried {
		out = append(out, "- "+x.Name+": "+x.Tokens.String())
	}
	if r.Listed != nil {
		out = append(out, "when a session begins, the index of "+r.Listed.Name+" is sent: "+r.Listed.Tokens.String())
	}
	var asked, unknown []string
	for _, s := range r.Servers {
		if line := "- " + s.Name + ": " + s.said; s.Tokens != nil {
			asked = append(asked, line)
		} else {
			unknown = append(unknown, line)
		}
	}
	if len(asked) > 0 {
		out = append(append(out, "and MCP servers that were asked for their tools:"), asked...)
	}
	if len(unknown) > 0 {
		out = append(append(out, "and the tools of these MCP servers, whose cost is unknown:"), unknown...)
	}
	return out
}
