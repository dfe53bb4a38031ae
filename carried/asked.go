package carried

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"ctxledger.dev/internal/agentname"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
	"ctxledger.dev/tokens"
)

// searched is when an agent loads the definition of a tool of which each request has only the name.
const searched = "the model searches for its tools"

// addAsked adds to each server what it answered when it was asked, if its configuration is still that one.
func (r *Report) addAsked(servers []ledger.AskedServer) {
	for i := range r.Hosts {
		h := &r.Hosts[i]
		for j := range h.Parts {
			p := &h.Parts[j]
			if p.Kind != Server || !p.Unknown || p.Config == nil {
				continue
			}
			digest := p.Config.Digest()
			at := slices.IndexFunc(servers, func(a ledger.AskedServer) bool { return a.Config == digest })
			if at < 0 {
				continue
			}
			p.ask(servers[at], h.Meter.Counter)
			h.Carried, h.Unknown = Plus(h.Carried, p.Carried), h.Unknown-1
		}
	}
}

// ask takes what a server answered.
func (p *Part) ask(a ledger.AskedServer, counter tokens.Counter) {
	prefix := p.toolPrefix()
	frame := counter.Count(prefix).N
	definitions, names := tokens.Count{}, strings.Builder{}
	for _, t := range a.Tools {
		n := about(counter.Of(t.Tokens + frame))
		p.Tools = append(p.Tools, Tool{t.Name, n})
		definitions = Plus(definitions, n)
		names.WriteString(prefix + t.Name + "\n")
	}
	p.Unknown, p.Asked = false, a.At
	p.Carried = about(counter.Of(a.Instructions))
	if !p.Searched() || p.Config.Loaded {
		p.Carried = Plus(p.Carried, definitions)
		return
	}
	p.Carried = Plus(p.Carried, about(counter.Count(names.String())))
	if p.Later = definitions; definitions.N > 0 {
		p.When = searched
	}
}

// about is a count as an estimate: how a provider frames a definition is not known.
func about(n tokens.Count) tokens.Count {
	n.Exact = false
	return n
}

// Searched reports whether the agent of a server loads the names of its tools and what it says of itself, and a definition
// when the model looks for it, unless the configuration of the server says otherwise.
func (p Part) Searched() bool { return p.searched }

// Off reports whether a part is a server that is switched off.
func (p Part) Off() bool {
	return p.Kind == Server && !p.Unknown && p.Asked.IsZero() && p.Carried.N+p.Later.N == 0
}

// Source says what the figures of a server rest on; "" for what was not asked.
func (p Part) Source() string {
	switch {
	case p.Asked.IsZero() && p.Own() && p.Carried.N > 0:
		return "its own count, by o200k_base"
	case p.Asked.IsZero():
		return ""
	}
	return chars.Plural(len(p.Tools), "tool") + ", asked on " + p.Asked.Format(time.DateOnly)
}

// Heavy returns the tools of a server, those first that cost most.
func (p Part) Heavy() []Tool {
	return slices.SortedStableFunc(slices.Values(p.Tools), func(a, b Tool) int {
		return cmp.Compare(b.Tokens.N, a.Tokens.N)
	})
}

// Server returns the server of a name, among those of one agent if that is named. Errors: not_found, with the names that
// there are; conflict when several agents have different servers of that name.
func (r Report) Server(name, agent string) (host Host, part Part, err error) {
	const op = "carried.server"
	var names, agents []string
	for _, h := range r.Hosts {
		if agent != "" && h.Name != agentname.Key(agent) {
			continue
		}
		for _, p := range h.Parts {
			switch {
			case p.Kind != Server:
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
		return host, part, fault.New(fault.Conflict, op, "several MCP servers are named %.200q: in %s", name,
			strings.Join(agents, ", ")).WithHint("name the agent with --agent")
	case len(names) == 0:
		return host, part, fault.New(fault.NotFound, op, "unknown MCP server %.200q: none is configured here", name)
	}
	return host, part, fault.New(fault.NotFound, op, "unknown MCP server %.200q", name).
		WithHint("the servers are %s", chars.Short(strings.Join(names, ", "), 300))
}
