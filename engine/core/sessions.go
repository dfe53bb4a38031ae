package core

import (
	"context"
	"slices"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/kv"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
)

// Sessions implements ledger.SessionReader.
func (l *Ledger) Sessions(ctx context.Context, r ledger.SessionsRequest) (ledger.SessionsResponse, error) {
	return View(ctx, l, func(tx kv.Tx) (ledger.SessionsResponse, error) {
		all, err := visible(tx)
		if err != nil {
			return ledger.SessionsResponse{}, err
		}
		list := all[min(max(r.Skip, 0), len(all)):]
		list = list[:min(ListLimit(r.Limit), len(list))]
		return ledger.SessionsResponse{Sessions: OrEmpty(Fitting(list, limits.Page, sessionSize)), Total: len(all)}, nil
	})
}

// visible lists the sessions whose import is finished, newest first.
func visible(tx kv.Tx) ([]sessions.Session, error) {
	all, err := sessions.List(tx)
	return slices.DeleteFunc(all, func(s sessions.Session) bool { return s.Pending }), err
}

// sessionSize is about what a session takes in a page, in bytes.
func sessionSize(s sessions.Session) int { return 700 + len(s.Title) + len(s.Dir) + len(s.HostID) }

// Session implements ledger.SessionReader.
func (l *Ledger) Session(ctx context.Context, r ledger.SessionRequest) (sessions.Session, error) {
	if err := CheckTexts("engine.session", Label("session's name", r.Name),
		Label("host's session id", r.HostID)); err != nil {
		return sessions.Session{}, err
	}
	return View(ctx, l, func(tx kv.Tx) (sessions.Session, error) {
		if r.Name != "" {
			return sessions.Find(tx, r.Name)
		}
		if r.HostID != "" {
			s, err := sessions.Find(tx, r.HostID)
			if err == nil || !fault.Is(err, fault.NotFound) {
				return s, err
			}
		}
		return l.unnamed(tx, r.Latest, r.Tree)
	})
}

// unnamed finds the one session of a tree, "" for any, that was active in the last ten minutes.
func (l *Ledger) unnamed(tx kv.Tx, latest bool, tree string) (sessions.Session, error) {
	all, err := visible(tx)
	if err != nil {
		return sessions.Session{}, err
	}
	if tree != "" {
		all = slices.DeleteFunc(all, func(s sessions.Session) bool { return !l.Trees.IsOf(s, tree) })
	}
	var active []sessions.Session
	for _, s := range all {
		if s.Live(l.Now()) {
			active = append(active, s)
		}
	}
	switch {
	case len(active) == 1:
		return active[0], nil
	case latest && len(all) > 0:
		return all[max(0, slices.IndexFunc(all, sessions.Session.Main))], nil
	case len(active) > 1:
		return sessions.Session{}, sessions.Ambiguous("several sessions are active in this workspace", active)
	case len(all) > 0:
		return sessions.Session{}, fault.New(fault.NotFound, "engine.session",
			"no session was active in the last ten minutes").
			WithHint("name one: the newest is %s", all[0].ID)
	}
	return sessions.Session{}, fault.New(fault.NotFound, "engine.session",
		"this workspace has no recorded session yet").
		WithHint("import one with `ctxledger import FILE`, or hand in messages")
}

// Log implements ledger.SessionReader.
func (l *Ledger) Log(ctx context.Context, r ledger.LogRequest) (ledger.LogResponse, error) {
	return View(ctx, l, func(tx kv.Tx) (ledger.LogResponse, error) {
		resp := ledger.LogResponse{Entries: []ledger.LogEntry{}}
		if _, err := sessions.Get(tx, r.Session); err != nil {
			return resp, err
		}
		size := 0
		for e, err := range sessions.Scan(tx, r.Session, r.From, r.To) {
			if err != nil {
				return resp, err
			}
			out := ledger.LogEntry{Entry: e.Entry}
			if r.Originals {
				out.Original = e.Original
			}
			size += len(out.Original) + e.HeaderSize
			if len(resp.Entries) > 0 && (size > limits.Page || len(resp.Entries) == r.Limit) {
				resp.Next = e.Seq
				break
			}
			resp.Entries = append(resp.Entries, out)
		}
		return resp, nil
	})
}

// Stale says that a log went on since something was decided about it.
func Stale(s sessions.Session, position int64) error {
	return fault.New(fault.Stale, "engine.accept",
		"the log of session %s went on from entry %d to %d since the plan was made", s.ID, position, s.Seq).
		WithHint("plan again")
}
