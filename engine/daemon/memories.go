package daemon

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"ctxledger.dev/ledger"
	"ctxledger.dev/memory"
)

// The default limits of a request for both ledgers, equal to those of one ledger.
const (
	recallBoth = 5
	listBoth   = 1000
)

// userPage marks a cursor into the user ledger.
const userPage = "user:"

// projectPage marks a cursor into the workspace's ledger.
const projectPage = "project:"

// Memories lists the memories of one scope, or of both: those of the project by name, then those
// of the user by name; with a query the best of both.
func (l *ledgers) Memories(ctx context.Context, r ledger.MemoriesRequest) (ledger.MemoriesResponse, error) {
	switch {
	case r.Scope != "":
		api, err := l.of(ctx, r.Scope)
		if err != nil {
			return ledger.MemoriesResponse{Entries: []memory.Entry{}}, err
		}
		return api.Memories(ctx, r)
	case r.Query != "":
		return l.recall(ctx, r)
	default:
		return l.list(ctx, r)
	}
}

// recall ranks the memories of both scopes.
func (l *ledgers) recall(ctx context.Context, r ledger.MemoriesRequest) (ledger.MemoriesResponse, error) {
	if r.Limit <= 0 {
		r.Limit = recallBoth
	}
	all, err := l.API.Memories(ctx, r)
	if err != nil {
		return all, err
	}
	user := l.userMemories(ctx, r)
	all.Entries = append(all.Entries, user.Entries...)
	all.Notes = append(all.Notes, user.Notes...)
	// Stable: of equal scores the project's come first, each in its ledger's order.
	slices.SortStableFunc(all.Entries, func(a, b memory.Entry) int { return cmp.Compare(b.Score, a.Score) })
	all.Entries = all.Entries[:min(len(all.Entries), r.Limit)]
	return all, nil
}

// list pages through the memories of the project, then through those of the user.
func (l *ledgers) list(ctx context.Context, r ledger.MemoriesRequest) (ledger.MemoriesResponse, error) {
	if r.Limit <= 0 {
		r.Limit = listBoth
	}
	page := ledger.MemoriesResponse{Entries: []memory.Entry{}}
	after, inUser := strings.CutPrefix(r.After, userPage)
	if !inUser {
		q := r
		q.After = strings.TrimPrefix(after, projectPage)
		var err error
		if page, err = l.API.Memories(ctx, q); err != nil {
			return page, err
		}
		if page.Next != "" {
			page.Next = projectPage + page.Next
			return page, nil
		}
		after = ""
	}
	q := r
	q.After, q.Limit = after, r.Limit-len(page.Entries)
	if q.Limit == 0 {
		page.Next = userPage // the next page shows whether there are more
		return page, nil
	}
	user := l.userMemories(ctx, q)
	page.Entries = append(page.Entries, user.Entries...)
	page.Notes = append(page.Notes, user.Notes...)
	if user.Next != "" {
		page.Next = userPage + user.Next
	}
	return page, nil
}

// userMemories asks the user ledger. An error becomes a note: the project's memories are useful without it.
func (l *ledgers) userMemories(ctx context.Context, r ledger.MemoriesRequest) ledger.MemoriesResponse {
	api, err := l.user.Get(ctx)
	if err == nil {
		var m ledger.MemoriesResponse
		if m, err = api.Memories(ctx, r); err == nil {
			return m
		}
	}
	return ledger.MemoriesResponse{Notes: []string{"user memory could not be read: " + err.Error()}}
}
