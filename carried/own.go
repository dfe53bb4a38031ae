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

// OwnServer returns our own server as a host loads it; nil where no configuration that is read names it, or it is started in
// a way whose cost is not known.
func (r Report) OwnServer(host string) (own *Part) {
	for _, h := range r.Hosts {
		if h.Name != host {
			continue
		}
		h.Each(func(p *Part) {
			if p.Own() && !p.Unknown && !p.Off() {
				own = p
			}
		})
	}
	return own
}

// OwnTools returns what each request of a host carries of our own server; nil: not known.
func (r Report) OwnTools(host string) *ledger.OwnTools {
	p := r.OwnServer(host)
	if p == nil {
		return nil
	}
	return &ledger.OwnTools{Tokens: p.Carried.N, Since: p.Since}
}
