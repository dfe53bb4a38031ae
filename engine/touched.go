package engine

import (
	"context"
	"time"

	"ctxledger.dev/changes"
	"ctxledger.dev/intents"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/kv"
	"ctxledger.dev/ledger"
)

const (
	// lately is how long ago a session may have touched a file for it to be looked at again.
	lately = 7 * 24 * time.Hour
	// maxTouched is how many files one answer lists.
	maxTouched = 4000
)

// Touched implements API.
func (l *Local) Touched(ctx context.Context, r ledger.TouchedRequest) (ledger.TouchedResponse, error) {
	return view(ctx, l, func(tx kv.Tx) (ledger.TouchedResponse, error) {
		resp := ledger.TouchedResponse{Files: []ledger.TouchedFile{}}
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
		resp.Files = make([]ledger.TouchedFile, 0, len(paths))
		for _, p := range paths {
			st, known, err := changes.StateOf(tx, r.Tree, p)
			if err != nil {
				return resp, err
			}
			st.Tree, st.Path = r.Tree, p
			resp.Files = append(resp.Files, ledger.TouchedFile{State: st, Known: known})
		}
		resp.Files = fitting(resp.Files, limits.Page, func(f ledger.TouchedFile) int { return 300 + len(f.Path) })
		return resp, nil
	})
}

// touch notes that the session touched a file, if it is one that can be looked at.
func (rec *recorder) touch(path string, at time.Time) error {
	tree, known := rec.l.worksOn(*rec.session)
	if path == "" || path == "." || isAbs(path) || !known || at.Before(rec.at.Add(-lately)) {
		return nil
	}
	return changes.Touch(rec.tx, tree, path)
}

// abandon takes note that the session's host has gone on to another turn: a look at the files of calls
// that are still pending tells what became of them, and what changed from now on is not their doing.
func (rec *recorder) abandon(at time.Time) error {
	pending, err := intents.PendingOf(rec.tx, rec.session.ID)
	if err != nil {
		return err
	}
	for _, in := range pending {
		if in.Turn != rec.session.Turns-1 {
			continue // it was abandoned before
		}
		if err := rec.touch(in.Subject(), at); err != nil {
			return err
		}
		if err := rec.again(in); err != nil {
			return err
		}
	}
	return nil
}

// preHash returns what the file that a call acts on was like when the call began, as far as the
// ledger knows.
func (rec *recorder) preHash(in intents.Intent) (string, error) {
	path := in.Subject()
	tree, known := rec.l.worksOn(*rec.session)
	if path == "" || isAbs(path) || len(tree)+1+len(path) > changes.MaxPath || !known {
		return "", nil
	}
	st, known, err := changes.StateOf(rec.tx, tree, path)
	if err != nil || !known {
		return "", err
	}
	return hashBefore(rec.tx, st, in.Begun)
}

// hashBefore returns what a file was like when a call began: the hash of its content, intents.Absent,
// or "" when that is not known. st is its present state. What became so just before may be the call's
// own doing: the file system's clock ticks.
func hashBefore(tx kv.Tx, st changes.State, begun time.Time) (string, error) {
	at := begun.Add(-fileClock)
	if !st.Since.After(at) {
		return contentOf(st), nil
	}
	list, err := changes.OfPath(tx, st.Path, maxRecent)
	if err != nil {
		return "", err
	}
	list = inTree(list, st.Tree)
	for i := len(list) - 1; i >= 0; i-- {
		c := list[i]
		if c.Source != changes.Observed || c.Time.Before(at) {
			continue
		}
		switch {
		case c.Before.After(at): // it was looked at for the first time when it had begun
			return "", nil
		case c.Op == changes.Created:
			return intents.Absent, nil
		}
		return c.HashFrom, nil
	}
	return "", nil
}

// contentOf returns the hash of a file's content, intents.Absent, or "" when it is not known.
func contentOf(st changes.State) string {
	if !st.Exists {
		return intents.Absent
	}
	return st.Hash
}
