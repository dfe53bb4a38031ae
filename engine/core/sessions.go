package core

import (
	"context"
	"slices"

	"ctxledger.dev/intents"
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
		out := ledger.SessionsResponse{Sessions: OrEmpty(Fitting(list, limits.Page, sessionSize)), Total: len(all)}
		subagents := StartedBy(all)
		for _, s := range out.Sessions {
			var bill sessions.Bill
			for _, sub := range subagents(s.ID) {
				bill = append(bill, sub.Billed()...)
			}
			if len(bill) > 0 {
				if out.Subagents == nil {
					out.Subagents = map[string]sessions.Bill{}
				}
				out.Subagents[s.ID] = bill
			}
		}
		return out, nil
	})
}

// StartedBy returns, of some sessions, a function that lists those of the subagents of one, and of theirs.
func StartedBy(all []sessions.Session) (of func(id string) []sessions.Session) {
	children := map[string][]*sessions.Session{}
	for i := range all {
		if s := &all[i]; !s.Main() && s.Parent != s.ID {
			children[s.Parent] = append(children[s.Parent], s)
		}
	}
	return func(id string) (out []sessions.Session) {
		seen := map[string]bool{id: true}
		for queue := children[id]; len(queue) > 0; queue = queue[1:] {
			if s := queue[0]; !seen[s.ID] {
				seen[s.ID], out = true, append(out, *s)
				queue = append(queue, children[s.ID]...)
			}
		}
		return out
	}
}

// visible lists the sessions whose import is finished, in the order of sessions.List.
func visible(tx kv.Tx) ([]sessions.Session, error) {
	all, err := sessions.List(tx)
	return slices.DeleteFunc(all, func(s sessions.Session) bool { return s.Pending }), err
}

// sessionSize estimates the bytes of a session in a page.
func sessionSize(s sessions.Session) int { return 700 + len(s.Title) + len(s.Dir) + len(s.HostID) }

// Session implements ledger.SessionReader.
func (l *Ledger) Session(ctx context.Context, r ledger.SessionRequest) (sessions.Session, error) {
	if err := CheckTexts("engine.session", Label("session's name", r.Name),
		Label("host's session id", r.HostID), Label("call", r.Call)); err != nil {
		return sessions.Session{}, err
	}
	return View(ctx, l, func(tx kv.Tx) (sessions.Session, error) {
		switch {
		case r.Name != "":
			return sessions.Find(tx, r.Name)
		case r.Call != "":
			return calling(tx, r.Call)
		case r.HostID != "":
			return sessions.OfHostID(tx, r.HostID)
		case r.Latest:
			return l.newest(tx, r.Tree)
		}
		return sessions.Session{}, fault.New(fault.Invalid, "engine.session", "no session was given")
	})
}

// maxAsked is in how many of the newest sessions a call is looked for.
const maxAsked = 1_000

// calling returns the session that makes a call: the one whose hook told of it, whether its file has been read or not.
// Hosts copy the history of a session when they fork or resume it, so one in which the call is still open is preferred.
func calling(tx kv.Tx, call string) (sessions.Session, error) {
	all, err := sessions.List(tx)
	if err != nil {
		return sessions.Session{}, err
	}
	told := func(s sessions.Session) bool { return s.Hooked != nil && slices.Contains(s.Hooked.Calls, call) }
	if i := slices.IndexFunc(all, told); i >= 0 {
		return all[i], nil
	}
	all = slices.DeleteFunc(all, func(s sessions.Session) bool { return s.Pending })
	var hits, open []sessions.Session
	for _, s := range all[:min(len(all), maxAsked)] {
		made, err := sessions.Makes(tx, s.ID, call)
		if err != nil {
			return sessions.Session{}, err
		}
		if !made {
			continue
		}
		hits = append(hits, s)
		in, err := intents.OfCall(tx, s.ID, call)
		if err != nil {
			return sessions.Session{}, err
		}
		if in != nil && in.Status == intents.Pending {
			open = append(open, s)
		}
	}
	if len(open) > 0 {
		hits = open
	}
	switch len(hits) {
	case 0:
		return sessions.Session{}, fault.New(fault.NotFound, "engine.session",
			"no recorded session makes the call %.1000q", call)
	case 1:
		return hits[0], nil
	}
	return sessions.Session{}, sessions.Ambiguous("the call is in several sessions", hits)
}

// newest finds the newest session of a tree, a person's own if there is one, and one with a request rather than mere notes
// or what was forgotten; "" is any tree. Copies that `resume` wrote and no agent has continued do not count.
func (l *Ledger) newest(tx kv.Tx, tree string) (sessions.Session, error) {
	all, err := visible(tx)
	if err != nil {
		return sessions.Session{}, err
	}
	any := len(all) > 0
	all = slices.DeleteFunc(all, func(s sessions.Session) bool {
		return s.Unused() || tree != "" && !l.Trees.IsOf(s, tree)
	})
	asked := func(s sessions.Session) bool { return s.Main() && s.Turns > 0 }
	remembered := func(s sessions.Session) bool {
		return asked(s) && !s.Gone()
	}
	for _, fits := range []func(sessions.Session) bool{remembered, asked, sessions.Session.Main} {
		if i := slices.IndexFunc(all, fits); i >= 0 {
			return all[i], nil
		}
	}
	if len(all) > 0 {
		return all[0], nil
	}
	if any {
		return sessions.Session{}, fault.New(fault.NotFound, "engine.session", "no session in this tree is recorded").
			WithHint("`ctxledger sessions` lists those of other trees: name one")
	}
	return sessions.Session{}, fault.New(fault.NotFound, "engine.session",
		"this workspace has no recorded session yet").
		WithHint("import one with `ctxledger import FILE`")
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

// Stale is the error for a log that has new entries since a plan was made.
func Stale(s sessions.Session, position int64) error {
	return fault.New(fault.Stale, "engine.accept",
		"the log of session %s grew from entry %d to %d since the plan was made", s.ID, position, s.Seq).
		WithHint("plan again")
}
