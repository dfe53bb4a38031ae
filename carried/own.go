package carried

import (
	"path/filepath"
	"slices"
	"strings"

	"ctxledger.dev/ledger"
	"ctxledger.dev/mcp/overhead"
	"ctxledger.dev/tokens"
)

// Own reports whether a part is the server of ctxledger: by its command, or where only its name is read, by the one that
// install gives it.
func (p Part) Own() bool {
	if p.Kind != Server {
		return false
	}
	if c := p.Config; c != nil && len(c.Command) > 0 {
		return strings.TrimSuffix(filepath.Base(c.Command[0]), ".exe") == "ctxmcp"
	}
	return p.Name == "ctxledger"
}

// know gives our own server what it costs: it need not be asked. What install writes has its tools always loaded.
func (p *Part) know(counter tokens.Counter) {
	longer := func(arg string) bool { return strings.HasPrefix(strings.TrimLeft(arg, "-"), "structured") }
	if !p.Unknown || !p.Own() || p.Config == nil || slices.ContainsFunc(p.Config.Command, longer) {
		return
	}
	cost := func(o200k int) tokens.Count { return tokens.Count{N: o200k, Upper: counter.Of(o200k).Upper} }
	p.Unknown = false
	if p.Carried = cost(p.agent.Own); p.Searched() && !p.Config.Loaded {
		p.Carried, p.Later, p.When = cost(overhead.Names), p.Carried, searched
	}
}

// OwnTokens returns what each request of a host carries of our own server, in o200k_base tokens; nil where no configuration
// that is read names it, or it is started in a way whose cost is not known.
func (r Report) OwnTokens(host string) (n *int) {
	for _, h := range r.Hosts {
		if h.Name != host {
			continue
		}
		h.Each(func(p *Part) {
			if p.Own() && !p.Unknown && !p.Off() {
				n = &p.Carried.N
			}
		})
	}
	return n
}

// The names of what is known of ledger.CategoryFixed: what the agent of a live session loads of files.
const (
	categoryMemory = "memory files"
	categoryLists  = "skills, agents and commands"
	categoryTools  = "MCP servers" // that were asked for their tools
)

// Explain returns what fills the window of a host's agent (ledger.Use.Own), with what its requests carry of files taken out
// of the system prompt. It is for a session that is live: the files are those of now.
func (r Report) Explain(own []ledger.Category, host string) (out []ledger.Category) {
	memory, lists, tools := tokens.Count{Exact: true}, tokens.Count{Exact: true}, tokens.Count{Exact: true}
	for _, h := range r.Hosts {
		if h.Name != host {
			continue
		}
		h.Each(func(p *Part) {
			sum := &lists
			switch p.Kind {
			case Memory, Rule:
				sum = &memory
			case Server:
				sum = &tools
			}
			*sum = Plus(*sum, p.Carried)
		})
	}
	known := memory.N + lists.N + tools.N
	for _, x := range own {
		if x.Name != ledger.CategoryFixed || known == 0 || known > x.Tokens.N {
			out = append(out, x)
			continue
		}
		x.Tokens.N, x.Tokens.Upper, x.Tokens.Exact = x.Tokens.N-known, x.Tokens.Upper-known, false
		for _, part := range []ledger.Category{x, {Name: categoryMemory, Tokens: memory},
			{Name: categoryLists, Tokens: lists}, {Name: categoryTools, Tokens: tools}} {
			if part.Tokens.N > 0 {
				out = append(out, part)
			}
		}
	}
	return out
}
