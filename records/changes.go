package records

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"ctxledger.dev/changes"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/paths"
	"ctxledger.dev/ledger"
)

// changes returns a page of the file changes of a session, or of all, by file: the one with the newest change first. A
// file with one change in the page is that change.
func (r Reader) changes(ctx context.Context, b branch) ([]Node, error) {
	resp, err := r.changesOf(ctx, b)
	if err != nil {
		return nil, err
	}
	nodes := make([]Node, 0, len(resp.Changes)+1)
	for _, file := range byFile(resp.Changes) {
		if len(file) == 1 {
			nodes = append(nodes, r.change(b, file[0]))
			continue
		}
		nodes = append(nodes, r.file(b, file))
	}
	n := len(resp.Changes)
	next := page{skip: b.page.skip + n, total: b.page.total}
	if b.page.before == 0 {
		next.total = resp.Total
	}
	if n > 0 && next.skip < next.total {
		next.before = resp.Changes[n-1].ID
		nodes = append(nodes, b.more(next, next.total-next.skip))
	}
	return nodes, nil
}

// changesOf returns the changes of a page, newest first.
func (r Reader) changesOf(ctx context.Context, b branch) (ledger.ChangesResponse, error) {
	return r.placed(ctx,
		ledger.ChangesRequest{Session: b.session, Limit: pageSize, Before: b.page.before, NoStale: true})
}

// placed returns changes whose paths are absolute in other trees than that of the editor's folder.
func (r Reader) placed(ctx context.Context, q ledger.ChangesRequest) (ledger.ChangesResponse, error) {
	info, err := r.API.Info(ctx, ledger.InfoRequest{})
	if err != nil {
		return ledger.ChangesResponse{}, err
	}
	resp, err := r.API.Changes(ctx, q)
	for i, c := range resp.Changes {
		if tree := info.Elsewhere(c.Tree, c.Path); tree != "" {
			resp.Changes[i].Path = paths.Abs(tree, c.Path)
		}
	}
	return resp, err
}

// byFile groups changes by their file, in the order of the first of each.
func byFile(list []changes.Change) [][]changes.Change {
	var files [][]changes.Change
	at := map[string]int{}
	for _, c := range list {
		key := fileKey(c)
		i, ok := at[key]
		if !ok {
			i = len(files)
			at[key] = i
			files = append(files, nil)
		}
		files[i] = append(files[i], c)
	}
	return files
}

// fileKey identifies the file of a change in the id of a node.
func fileKey(c changes.Change) string {
	sum := sha256.Sum256([]byte(c.Tree + "\x00" + c.Path))
	return hex.EncodeToString(sum[:8])
}

// ofFile returns the changes of one file in a page.
func (r Reader) ofFile(ctx context.Context, b branch) ([]Node, error) {
	resp, err := r.changesOf(ctx, b)
	if err != nil {
		return nil, err
	}
	list := slices.DeleteFunc(resp.Changes, func(c changes.Change) bool { return fileKey(c) != b.file })
	several := slices.ContainsFunc(list, func(c changes.Change) bool { return c.Session != list[0].Session })
	var nodes []Node
	for _, c := range list {
		n := r.change(b, c)
		n.File, n.Label = "", fields(" ", string(c.Op), inTurn(c))
		if several && other(c) == "" { // each session has a turn 1
			n.Label += " of " + c.Session
		}
		n.Description = fields(" · ", r.day(c.Time), other(c))
		nodes = append(nodes, n)
	}
	return nodes, nil
}

// file returns the node of a file with several changes.
func (r Reader) file(b branch, list []changes.Change) Node {
	c := list[0]
	n := chars.Plural(len(list), "change")
	return Node{
		ID: b.here + "/" + fileStep + fileKey(c), Kind: KindFile, File: flat(c.Path), Children: true,
		Description: fields(" · ", n, r.day(c.Time)),
		Tooltip: fields("\n", flat(c.Path), n,
			named("newest", fields(" · ", string(c.Op), who(c), r.stamp(c.Time)))),
	}
}

// change returns the node of a file change.
func (r Reader) change(b branch, c changes.Change) Node {
	id := fmt.Sprint(c.ID)
	file := flat(c.Path)
	return Node{
		ID: b.here + "/" + id, Kind: KindChange, File: file, title: file,
		Description: fields(" · ", string(c.Op), r.day(c.Time), other(c)),
		Tooltip: fields("\n", file, named("change", id), named("operation", string(c.Op)), named("by", who(c)),
			named("known from", string(c.Source)), named("when", r.stamp(c.Time))),
		opens: Address{Kind: KindChange, ID: id},
	}
}

// other is who, where it is not known to be a session: most changes are made by one, and the row is short.
func other(c changes.Change) string {
	if c.Session != "" && len(c.Candidates) == 0 {
		return ""
	}
	return who(c)
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
