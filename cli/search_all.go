package cli

import (
	"cmp"
	"context"
	"io"
	"path/filepath"
	"slices"

	"ctxledger.dev/cli/columns"
	"ctxledger.dev/engine/daemon"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
	"ctxledger.dev/search"
	"ctxledger.dev/workspace"
)

// foundAll is what `search --all` answers: as SearchResponse, of all ledgers together.
type foundAll struct {
	Found    []foundIn    `json:"found"`
	Total    int          `json:"total"`
	Unread   bool         `json:"unread,omitempty"`
	Searched int          `json:"ledgers"`           // that were searched, the user's memories included
	Skipped  []notScanned `json:"skipped,omitempty"` // that could not be
}

// foundIn is a text in one of several workspaces.
type foundIn struct {
	Workspace string `json:"workspace,omitempty"` // its directory; "": a memory of the user
	ledger.Found
}

// notScanned is a ledger that could not be searched.
type notScanned struct {
	Ledger string `json:"ledger"`
	Why    string `json:"why"`
}

// searchAll searches the ledgers of all directories and the memories of the user, best first. It asks the daemons that run, and
// starts none: other ledgers it opens for a moment. Errors: those of a search that no ledger can answer; unavailable.
func searchAll(ctx context.Context, a *action, r ledger.SearchRequest) (out foundAll, err error) {
	out.Found = []foundIn{}
	here := workspace.Ledger{Name: filepath.Base(a.place.State), State: a.place.State,
		Place: workspace.Place{Root: a.place.Root}} // it may be in a place of its own
	users := workspace.Ledger{Name: "user", State: a.place.UserState}
	others, err := workspace.Ledgers(a.Env, a.place)
	if err != nil {
		return out, fault.Wrap(fault.Unavailable, "cli.search", err)
	}
	others = slices.DeleteFunc(others, func(l workspace.Ledger) bool { return l.State == here.State })
	if workspace.HoldsLedger(users.State) && users.State != here.State {
		others = append(others, users)
	}
	for _, l := range append([]workspace.Ledger{here}, others...) {
		resp, err := searchIn(ctx, a, l, r)
		switch {
		case fault.Is(err, fault.Invalid) || ctx.Err() != nil: // so it is in every other one
			return out, err
		case err != nil:
			out.Skipped = append(out.Skipped, notScanned{l.Name, err.Error()})
			continue
		}
		out.Searched, out.Total, out.Unread = out.Searched+1, out.Total+resp.Total, out.Unread || resp.Unread
		for _, f := range resp.Found {
			out.Found = append(out.Found, foundIn{l.Root, f})
		}
	}
	slices.SortStableFunc(out.Found, func(a, b foundIn) int {
		return cmp.Or(search.WholeFirst(a.Whole, b.Whole), cmp.Compare(b.Score, a.Score), b.Time.Compare(a.Time))
	})
	out.Found = out.Found[:min(len(out.Found), r.Limit)]
	return out, nil
}

// searchIn searches one ledger.
func searchIn(
	ctx context.Context, a *action, l workspace.Ledger, r ledger.SearchRequest,
) (ledger.SearchResponse, error) {
	if l.State == a.place.State {
		return a.ledger.Search(ctx, r)
	}
	api, err := daemon.Open(ctx, daemon.Options{State: l.State, Workspace: l.Root, Env: a.Env, Version: a.Version,
		NoSpawn: true, InProcess: true})
	if err != nil {
		return ledger.SearchResponse{}, err
	}
	defer api.Close() // a search is no change that could be lost
	return api.Search(ctx, r)
}

func printFoundAll(a *action, w io.Writer, out foundAll) {
	resp := ledger.SearchResponse{Total: out.Total, Unread: out.Unread}
	for _, f := range out.Found {
		resp.Found = append(resp.Found, f.Found)
	}
	printFound(a, w, resp, func(i int) string {
		in := cmp.Or(columns.OneLine(out.Found[i].Workspace), "every workspace")
		return foundWhere(a, resp.Found[i]) + ", in " + in
	})
	for _, s := range out.Skipped {
		a.say("%s was not searched: %s", s.Ledger, s.Why)
	}
	if len(out.Found) > 0 {
		a.hint("`ctxledger --workspace DIRECTORY artifact read HANDLE` reads from another workspace")
	}
}
