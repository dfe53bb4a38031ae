package engine

import (
	"context"
	"slices"
	"strings"

	"ctxledger.dev/changes"
	"ctxledger.dev/intents"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/kv"
	"ctxledger.dev/sessions"
)

// maxHistory bounds the changes and reads of one file that FileHistory returns.
const maxHistory = 1000

// Changes implements API.
func (l *Local) Changes(ctx context.Context, r ChangesRequest) (ChangesResponse, error) {
	return view(ctx, l, func(tx kv.Tx) (ChangesResponse, error) {
		resp := ChangesResponse{Stale: []changes.Stale{}}
		limit := r.Limit
		if limit <= 0 {
			limit = defaultList
		}
		list, total, err := changes.List(tx, changes.Filter{Session: r.Session, Path: r.Path, Since: r.Since}, limit)
		if err != nil {
			return resp, err
		}
		resp.Changes, resp.Total = first(list, limit), total
		if r.Session != "" {
			resp.Stale, err = staleReads(tx, r.Session)
		}
		return resp, err
	})
}

// staleReads returns the files that a session has read and that others changed afterwards.
func staleReads(tx kv.Tx, session string) ([]changes.Stale, error) {
	stale := []changes.Stale{}
	type seen struct {
		entry sessions.Entry
		path  string
	}
	newest := map[string]seen{}
	for e, err := range sessions.Scan(tx, session, 0, 0) {
		if err != nil {
			return nil, err
		}
		for _, c := range e.Calls {
			if c.Op == intents.OpRead && c.Target != "" {
				newest[c.Target] = seen{e.Entry, c.Target}
			}
		}
	}
	for path, s := range newest {
		c, err := changes.Newest(tx, path)
		if err != nil {
			return nil, err
		}
		if c == nil || c.Session == session || !c.Time.After(s.entry.Time) {
			continue
		}
		by := c.Session
		if by == "" {
			by = "external"
		}
		stale = append(stale, changes.Stale{Path: path, ReadSeq: s.entry.Seq, Changed: c.Time, By: by})
	}
	slices.SortFunc(stale, func(a, b changes.Stale) int { return strings.Compare(a.Path, b.Path) })
	return first(stale, 0), nil
}

// FileHistory implements API.
func (l *Local) FileHistory(ctx context.Context, r FileHistoryRequest) (FileHistory, error) {
	path, _ := l.normal("", r.Path)
	if path == "" {
		return FileHistory{}, fault.New(fault.Invalid, "engine.history", "%q is not a path", r.Path)
	}
	return view(ctx, l, func(tx kv.Tx) (FileHistory, error) {
		h := FileHistory{Path: path, Reads: []FileRead{}}
		list, _, err := changes.List(tx, changes.Filter{Path: path}, maxHistory)
		if err != nil {
			return h, err
		}
		slices.Reverse(list)
		h.Changes = first(list, maxHistory)
		all, err := intents.OfPath(tx, path)
		if err != nil {
			return h, err
		}
		h.Intents = first(all, maxHistory)
		return h, h.reads(tx)
	})
}

// reads adds the reads of the file.
func (h *FileHistory) reads(tx kv.Tx) error {
	reads, err := sessions.ReadsOf(tx, h.Path)
	if err != nil {
		return err
	}
	for _, r := range first(reads, maxHistory) {
		e, err := sessions.GetEntry(tx, r.Session, r.Seq)
		if err != nil {
			return err
		}
		h.Reads = append(h.Reads, FileRead{Session: r.Session, Seq: r.Seq, Turn: e.Turn, Time: e.Time, Tokens: resultTokens(tx, r)})
	}
	slices.SortStableFunc(h.Reads, func(a, b FileRead) int { return a.Time.Compare(b.Time) })
	return nil
}

// resultTokens returns the size of a call's result, which stands in one of the entries after it.
func resultTokens(tx kv.Tx, r sessions.Read) int {
	const near = 64 // parallel calls put other entries between
	for e, err := range sessions.Scan(tx, r.Session, r.Seq+1, r.Seq+near) {
		if err != nil {
			return 0
		}
		for _, res := range e.Results {
			if res.CallID == r.CallID {
				return res.Tokens
			}
		}
	}
	return 0
}
