package carried

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"ctxledger.dev/internal/env"
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

// know gives our own server what it costs: it need not be asked. Claude Code loads the definitions of its tools only when
// the model looks for them, unless the configuration says otherwise, as that of install does.
func (p *Part) know(host string, counter tokens.Counter) {
	longer := func(arg string) bool { return strings.HasPrefix(strings.TrimLeft(arg, "-"), "structured") }
	if !p.Unknown || !p.Own() || p.Config == nil || slices.ContainsFunc(p.Config.Command, longer) {
		return
	}
	cost := func(o200k int) tokens.Count { return tokens.Count{N: o200k, Upper: counter.Of(o200k).Upper} }
	p.Unknown = false
	client, _ := overhead.Named(host)
	whole := client.Tokens
	if p.Carried = cost(whole); host == claudeCode && !p.Config.Loaded {
		p.Carried, p.Later, p.When = cost(overhead.Names), cost(whole), searched
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

// OwnTokens is Report.OwnTokens of the workspace at root; nil where there is none.
func OwnTokens(ctx context.Context, e env.Env, root, host string) *int {
	if root == "" {
		return nil
	}
	return Find(ctx, Options{Root: root, Env: e, Counter: tokens.O200kBase.Counter()}).OwnTokens(host)
}
