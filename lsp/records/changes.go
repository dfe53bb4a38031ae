package records

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"ctxledger.dev/changes"
	"ctxledger.dev/ledger"
)

// changes returns a page of the file changes of a session, or of all.
func (r Reader) changes(ctx context.Context, b branch) ([]Node, error) {
	resp, err := r.API.Changes(ctx,
		ledger.ChangesRequest{Session: b.session, Limit: pageSize, Before: b.page.before, NoStale: true})
	if err != nil {
		return nil, err
	}
	nodes := nodesOf(b, resp.Changes, r.change)
	next := page{skip: b.page.skip + len(nodes), total: b.page.total}
	if b.page.before == 0 {
		next.total = resp.Total
	}
	if len(nodes) > 0 && next.skip < next.total {
		next.before = resp.Changes[len(resp.Changes)-1].ID
		nodes = append(nodes, b.more(next, next.total-next.skip))
	}
	return nodes, nil
}

// change returns the node of a file change.
func (r Reader) change(b branch, c changes.Change) Node {
	id := fmt.Sprint(c.ID)
	file := flat(c.Path)
	return Node{
		ID: b.here + "/" + id, Kind: KindChange, Label: file,
		Description: fields(" · ", string(c.Op), who(c), r.stamp(c.Time)),
		Tooltip: fields("\n", file, named("change", id), named("what", string(c.Op)), named("by", who(c)),
			named("known from", string(c.Source)), named("when", r.stamp(c.Time))),
		opens: Address{Kind: KindChange, ID: id},
	}
}

// who says who changed a file: a session, several candidates, or somebody else.
func who(c changes.Change) string {
	switch {
	case len(c.Candidates) > 0:
		var ids []string
		for _, x := range c.Candidates {
			if !slices.Contains(ids, x.Session) {
				ids = append(ids, x.Session)
			}
		}
		return "perhaps session " + strings.Join(ids, " or ")
	case c.Session == "":
		return "somebody else"
	}
	return "session " + c.Session
}
