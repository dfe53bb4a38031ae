package mcp

import (
	"context"

	"ctxledger.dev/compaction"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
)

// author returns the model that writes the summary, nil in modes without one, and the sections of the summary. The
// model is called from this process, with its credentials.
func (c *call) author(ctx context.Context, mode compaction.Mode) (ledger.Author, string, error) {
	if !mode.Asks() {
		return nil, "", nil
	}
	if c.o.Author == nil {
		return nil, "", fault.New(fault.NotFound, "mcp.compact",
			"this server has no model to write summaries: use mode intent")
	}
	root, err := c.tree(ctx)
	if err != nil {
		return nil, "", err
	}
	return c.o.Author(root)
}

// tree returns the root of the tree that the client works in; its configuration applies.
func (c *call) tree(ctx context.Context) (string, error) {
	if c.api.tree != "" {
		return c.api.tree, nil
	}
	info, err := c.api.Info(ctx, ledger.InfoRequest{})
	return info.Workspace, err
}

// problems describes errors in the configuration, for answers that depend on it.
func (c *call) problems(ctx context.Context) []string {
	if c.o.Problems == nil {
		return nil
	}
	root, err := c.tree(ctx)
	if err != nil || root == "" {
		return nil
	}
	var out []string
	for _, p := range c.o.Problems(root) {
		out = append(out, oneLine(clean(p), 300))
	}
	return out
}

// plan plans the compaction and, unless it is a dry run, accepts it.
func (a *compactArgs) plan(ctx context.Context, api ledger.Compactions, session string, author ledger.Author,
	sections string) (ledger.CompactionPlan, error) {
	r := ledger.PlanCompactionRequest{Session: session, Reader: a.reader, Options: a.options()}
	if author == nil {
		return ledger.Compact(ctx, api, r, a.key("compact"), a.DryRun)
	}
	r.Options.Preset = sections
	return ledger.CompactBy(ctx, api, r, a.key("compact"), a.DryRun, author)
}

// notDone returns the answer to a request that was refused.
func notDone(why string) compactResult {
	return compactResult{Status: statusRefused, Reason: why + ". Nothing was changed."}
}
