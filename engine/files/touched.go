package files

import (
	"context"

	"ctxledger.dev/changes"
	"ctxledger.dev/engine/core"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/kv"
	"ctxledger.dev/ledger"
)

// maxTouched is how many files one answer lists.
const maxTouched = 4000

// Touched implements ledger.Observations.
func (l *Files) Touched(ctx context.Context, r ledger.TouchedRequest) (ledger.TouchedResponse, error) {
	return core.View(ctx, l.core, func(tx kv.Tx) (ledger.TouchedResponse, error) {
		resp := ledger.TouchedResponse{Files: []ledger.TouchedFile{}, Erased: l.core.Erasures()}
		if r.Trees {
			var err error
			resp.Trees, resp.Next, err = changes.TouchedTrees(tx, max(r.After, 0))
			return resp, err
		}
		paths, next, err := changes.Touched(tx, r.Tree, max(r.After, 0), maxTouched)
		if err != nil {
			return resp, err
		}
		resp.Next = next
		for _, p := range paths { // earlier versions recorded links, which may also have come since
			if real := l.core.Trees.Real(r.Tree, p); real != p {
				paths = append(paths, real)
			}
		}
		resp.Files = make([]ledger.TouchedFile, 0, len(paths))
		for _, p := range paths {
			st, known, err := changes.StateOf(tx, r.Tree, p)
			if err != nil {
				return resp, err
			}
			st.Tree, st.Path = r.Tree, p
			resp.Files = append(resp.Files, ledger.TouchedFile{State: st, Known: known})
		}
		resp.Files = core.Fitting(resp.Files, limits.Page, func(f ledger.TouchedFile) int { return 300 + len(f.Path) })
		return resp, nil
	})
}
