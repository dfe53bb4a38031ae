package live

import (
	"cmp"
	"context"
	"slices"
	"time"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
)

// kept is how long a session without activity is still shown: its agent may go on at any time.
const kept = 12 * time.Hour

// maxOthers is how many sessions are told of that are live beside the one that is followed.
const maxOthers = 8

// steady is by how many percentage points another window has to be fuller to be followed instead, so that two agents at
// work do not take turns on the screen.
const steady = 5

// choose returns the session to follow of all, nil for none, and the other sessions that are live, the fullest first.
func (w *watcher) choose(ctx context.Context, all []sessions.Session) (*sessions.Session, []Other, error) {
	w.lookAround()
	now := w.o.Env.Now()
	recent := slices.DeleteFunc(slices.Clone(all), func(s sessions.Session) bool {
		return !s.Main() || s.Unused() && !w.isNear(s) || now.Sub(s.Updated) >= kept
	})
	live, err := w.live(ctx, recent, now)
	if err != nil {
		return nil, nil, err
	}
	s, err := w.pinned(ctx)
	if s == nil && err == nil {
		s = w.best(recent, live, now)
	}
	others := slices.DeleteFunc(live, func(o Other) bool { return s != nil && o.Session == s.ID })
	return s, others[:min(len(others), maxOthers)], err
}

// live returns the sessions that are live, the fullest first. What they hold is asked for if there are several.
func (w *watcher) live(ctx context.Context, recent []sessions.Session, now time.Time) (all []Other, err error) {
	for _, s := range recent {
		if s.Live(now) && len(all) <= maxOthers {
			all = append(all, Other{Session: s.ID, Title: s.Titled(), Model: s.Model})
		}
	}
	if len(all) < 2 {
		return all, nil
	}
	for i := range all {
		o := &all[i]
		st, err := w.api.Status(ctx, ledger.StatusRequest{Session: o.Session, Brief: true})
		if err != nil && !fault.Is(err, fault.NotFound) { // it may be forgotten just now
			return nil, err
		}
		o.Held, o.Window, o.CompactsAt = st.Held, st.Window, st.CompactsAt
		if o.Title, err = w.masked(ctx, o.Title); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(all, func(a, b Other) int { return cmp.Compare(b.fullness(), a.fullness()) })
	return all, nil
}

// pinned returns the session that the user chose; nil for none, or if it was forgotten.
func (w *watcher) pinned(ctx context.Context) (*sessions.Session, error) {
	if w.o.Pinned == "" {
		return nil, nil
	}
	s, err := w.api.Session(ctx, ledger.SessionRequest{Name: w.o.Pinned})
	if fault.Is(err, fault.NotFound) {
		return nil, nil
	}
	return &s, err
}

// hosted is a session by the names of its host.
type hosted struct{ host, id string }

// lookAround asks which sessions work in terminals of this window.
func (w *watcher) lookAround() {
	w.near = map[hosted]bool{}
	if w.o.Near == nil {
		return
	}
	for _, n := range w.o.Near() {
		key := hosted{n.Host, n.ID}
		w.near[key] = w.near[key] || n.Active
	}
}

// isNear reports whether a session works in a terminal of this window.
func (w *watcher) isNear(s sessions.Session) bool {
	_, near := w.near[hosted{s.Host, s.HostID}]
	return near
}

// best returns the session to follow of those with recent activity, which are in order, the newest first: one in a
// terminal of this window before others, and that in the active terminal before those; a live one before an idle one,
// one of this tree before those of other trees of the repository, of these the fullest, the one that is followed already
// before newer ones. One that was resumed as another one, which is in use since, is the last of these.
func (w *watcher) best(recent []sessions.Session, live []Other, now time.Time) *sessions.Session {
	worth := func(s sessions.Session) (n int) {
		if w.near[hosted{s.Host, s.HostID}] {
			n += 8
		}
		if w.isNear(s) {
			n += 4
		}
		if s.Live(now) {
			n += 2
		}
		if s.Tree == "" || s.Tree == w.o.Tree {
			n++
		}
		return n
	}
	full := func(s sessions.Session) int {
		i := slices.IndexFunc(live, func(o Other) bool { return o.Session == s.ID })
		switch {
		case i < 0:
			return 0
		case slices.ContainsFunc(recent, func(o sessions.Session) bool {
			return o.Continues == s.ID && !o.Unused() && o.Updated.After(s.Updated)
		}):
			return -1
		case w.reader != nil && w.reader.session.ID == s.ID:
			return live[i].fullness() + steady
		}
		return live[i].fullness()
	}
	var best *sessions.Session
	for i := range recent {
		s := &recent[i]
		if best == nil || cmp.Or(cmp.Compare(worth(*s), worth(*best)), cmp.Compare(full(*s), full(*best))) > 0 {
			best = s
		}
	}
	return best
}
