package mcp

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"ctxledger.dev/carried"
	"ctxledger.dev/tokens"
)

// maxCarried is how many files a status names, the ones that cost most.
const maxCarried = 8

// carried returns what every request of a host carries of files, the ones that cost most first, and the rest together.
func (c *call) carried(ctx context.Context, host, model string) []share {
	root, err := c.tree(ctx)
	if err != nil || root == "" {
		return nil
	}
	report := carried.Find(ctx, carried.Options{Root: root, Env: c.o.Env, Counter: tokens.Builtin().For(model)})
	var all []share
	for _, h := range report.Hosts {
		if h.Name != host {
			continue
		}
		h.Each(func(p *carried.Part) {
			if p.Carried.N > 0 {
				all = append(all, share{oneLine(string(p.Kind)+" "+p.Name, 120), p.Carried})
			}
		})
	}
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
