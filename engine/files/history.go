package files

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"ctxledger.dev/changes"
	"ctxledger.dev/engine/core"
	"ctxledger.dev/intents"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/kv"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
)

// maxHistory bounds the changes, the intents and the reads that FileHistory returns: the newest of each.
const maxHistory = 1000

// FileHistory implements ledger.Files.
func (l *Files) FileHistory(ctx context.Context, r ledger.FileHistoryRequest) (ledger.FileHistory, error) {
	named, outside := l.core.Trees.Normal("", r.Path)
	if named == "" {
		return ledger.FileHistory{}, notPath("engine.history", r.Path)
	}
	path := l.core.Trees.Real("", named)
	return core.View(ctx, l.core, func(tx kv.Tx) (ledger.FileHistory, error) {
		all := func(string) bool { return true }
		h, err := l.history(tx, path, all)
		if err == nil && path != named && len(h.Changes)+len(h.Intents)+len(h.Reads) == 0 {
			h, err = l.history(tx, named, all) // of an earlier version, or outside
		}
		if err != nil || !outside || len(h.Changes)+len(h.Intents)+len(h.Reads) > 0 {
			return h, err
		}
		names, err := l.namesOf(tx, r.Path)
		for _, name := range slices.Sorted(maps.Keys(names)) {
			found, err := l.history(tx, name, func(session string) bool { return names[name][session] })
			if err != nil || len(found.Changes)+len(found.Intents)+len(found.Reads) > 0 {
				found.Path = path
				return found, err
			}
		}
		return h, err
	})
}

// namesOf returns how the logs of sessions name a path in the trees that they worked on, with these sessions. Those that
// ran on other machines name files as those of the workspace are named.
func (l *Files) namesOf(tx kv.Tx, path string) (map[string]map[string]bool, error) {
	all, err := sessions.List(tx)
	names := map[string]map[string]bool{}
	for _, s := range all {
		if name, inside := l.core.Trees.NameIn(s, path); inside {
			if names[name] == nil {
				names[name] = map[string]bool{}
			}
			names[name][s.ID] = true
		}
	}
	return names, err
}

// history returns what some sessions recorded of a file.
func (l *Files) history(tx kv.Tx, path string, of func(session string) bool) (ledger.FileHistory, error) {
	h := ledger.FileHistory{Path: path}
	list, _, err := changes.List(tx, changes.Filter{Path: path}, maxHistory)
	if err != nil {
		return h, err
	}
	list = slices.DeleteFunc(list, func(c changes.Change) bool { return !of(c.Session) })
	h.Changes = core.OrEmpty(core.Fitting(list, limits.Page/3, changeSize))
	slices.SortStableFunc(h.Changes, func(a, b changes.Change) int { return b.Time.Compare(a.Time) })
	if h.Intents, err = intents.OfPath(tx, path); err != nil {
		return h, err
	}
	h.Intents = slices.DeleteFunc(h.Intents, func(in intents.Intent) bool { return !of(in.Session) })
	h.Intents = newestOf(h.Intents, func(a, b intents.Intent) int {
		return cmp.Or(a.Begun.Compare(b.Begun), cmp.Compare(a.Session, b.Session), cmp.Compare(a.Seq, b.Seq))
	}, intentSize)
	if h.Reads, err = l.readsBy(tx, path, of); err != nil {
		return h, err
	}
	h.Trees, err = l.treesOf(tx, h)
	return h, err
}

// treesOf returns the trees of the sessions of a history, where these are not the main one.
func (l *Files) treesOf(tx kv.Tx, h ledger.FileHistory) (map[string]string, error) {
	trees := map[string]string{}
	add := func(session string) error {
		s, err := sessions.Get(tx, session)
		if tree := l.core.Trees.Apart(s); err == nil && tree != "" {
			trees[session] = tree
		}
		return err
	}
	for _, in := range h.Intents {
		if err := add(in.Session); err != nil {
			return nil, err
		}
	}
	for _, r := range h.Reads {
		if err := add(r.Session); err != nil {
			return nil, err
		}
	}
	return trees, nil
}

// Intents implements ledger.Files.
func (l *Files) Intents(ctx context.Context, r ledger.IntentsRequest) (ledger.IntentsResponse, error) {
	return core.View(ctx, l.core, func(tx kv.Tx) (ledger.IntentsResponse, error) {
		resp := ledger.IntentsResponse{Intents: []intents.Intent{}}
		if _, err := sessions.Get(tx, r.Session); err != nil {
			return resp, err
		}
		size := 0
		for in, err := range intents.From(tx, r.Session, r.From) {
			if err != nil {
				return resp, err
			}
			// A page ends between entries: the intents of one entry have one sequence number.
			n := len(resp.Intents)
			if size += intentSize(in); size > limits.Page && n > 0 && resp.Intents[n-1].Seq != in.Seq {
				resp.Next = in.Seq
				return resp, nil
			}
			resp.Intents = append(resp.Intents, in)
		}
		return resp, nil
	})
}

// newestOf sorts a list, newest first, and returns as many of its newest elements as fit.
func newestOf[T any](list []T, older func(a, b T) int, size func(T) int) []T {
	slices.SortStableFunc(list, func(a, b T) int { return older(b, a) })
	return core.OrEmpty(core.Fitting(list[:min(len(list), maxHistory)], limits.Page/3, size))
}

// intentSize estimates the bytes of an intent in a page.
func intentSize(in intents.Intent) int {
	n := 600 + len(in.Target) + len(in.From) + len(in.Command) + len(in.Error) + len(in.Outcome) + len(in.CallID)
	for k, v := range in.Args {
		n += 10 + len(k) + len(v)
	}
	return n
}

// readsBy returns the newest reads of a file by some sessions, newest first.
func (l *Files) readsBy(tx kv.Tx, path string, of func(session string) bool) ([]ledger.FileRead, error) {
	found, err := sessions.ReadsOf(tx, path)
	if err != nil {
		return nil, err
	}
	list, last := make([]ledger.FileRead, 0, len(found)), ""
	for _, r := range found { // those of a session follow each other
		if !of(r.Session) || r.Session == last {
			continue
		}
		last = r.Session
		f, err := l.core.Fold(tx, r.Session)
		if err != nil {
			return nil, err
		}
		growth, _ := f.Growth("")
		for _, s := range stepsOf(f.Entries)[path] {
			if s.call.Op != intents.OpRead || s.Copied { // a copy is listed where it happened
				continue
			}
			list = append(list, ledger.FileRead{
				Session: r.Session, Seq: s.Seq, Turn: s.Turn, Time: s.Time, Tokens: s.tokens,
				Took:     growth.Amount(s.Seq, s.tokens),
				Subagent: s.Hidden || !f.Session.Main(), Failed: s.failed,
				Gone: s.dropped && !s.Hidden})
		}
	}
	return newestOf(list, func(a, b ledger.FileRead) int {
		return cmp.Or(a.Time.Compare(b.Time), cmp.Compare(a.Session, b.Session), cmp.Compare(a.Seq, b.Seq))
	}, func(ledger.FileRead) int { return 150 }), nil
}
