package files

import (
	"context"

	"ctxledger.dev/changes"
	"ctxledger.dev/engine/core"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/kv"
	"ctxledger.dev/ledger"
)

// Changes implements ledger.Files.
func (l *Files) Changes(ctx context.Context, r ledger.ChangesRequest) (ledger.ChangesResponse, error) {
	f := changes.Filter{Session: r.Session, Since: r.Since, From: r.From, Before: r.Before, Trees: true}
	named, outside := "", false
	if r.Path != "" {
		if named, outside = l.core.Trees.Normal("", r.Path); named == "" {
			return ledger.ChangesResponse{}, notPath("engine.changes", r.Path)
		}
		outside = outside && l.core.Trees.TreeOf(named) == ""
		f.Path = l.core.Trees.Real("", named)
	}
	return core.View(ctx, l.core, func(tx kv.Tx) (ledger.ChangesResponse, error) {
		resp := ledger.ChangesResponse{Stale: []changes.Stale{}, Outside: outside}
		if r.ID != 0 {
			c, err := changes.Get(tx, r.ID)
			resp.Changes, resp.Total = []changes.Change{c}, 1
			return resp, err
		}
		list, total, err := changes.List(tx, f, core.ListLimit(r.Limit))
		if err == nil && total == 0 && named != f.Path { // of an earlier version
			f.Path = named
			list, total, err = changes.List(tx, f, core.ListLimit(r.Limit))
		}
		if err != nil {
			return resp, err
		}
		resp.Changes, resp.Total = core.Fitting(core.OrEmpty(list), limits.Page, changeSize), total
		if r.Session != "" && r.Before == 0 && !r.NoStale {
			err = l.reads(ctx, tx, r.Session, &resp)
		}
		return resp, err
	})
}

// changeSize estimates the bytes of a change in a page.
func changeSize(c changes.Change) int {
	return 550 + len(c.Path) + len(c.Agent) + 80*len(c.Candidates)
}

func notPath(op, p string) error {
	return fault.New(fault.Invalid, op, "%.1000q is not a path", p)
}
