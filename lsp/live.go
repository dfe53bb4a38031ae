package lsp

import (
	"context"
	"slices"
	"time"

	"ctxledger.dev/agents/registry"
	"ctxledger.dev/lsp/live"
)

// following says whether a ledger is followed, whether for its live session too, which one the user chose, and the model
// that is counted for.
type following struct {
	ledger, live  bool
	pinned, model string
}

// follow starts or stops following the live session, as the settings ask for. Without it, a ledger that is there says for
// which model texts are counted, as on the command line, and what was learnt of it.
func (s *folder) follow() {
	s.mu.Lock()
	defer s.mu.Unlock()
	want := following{live: s.now.settings.Live, pinned: s.now.pinned, model: s.now.settings.Model}
	want.ledger = s.workspace.Open != nil && (want.live || s.workspace.Recorded())
	if want == s.followed {
		if !want.ledger { // nothing will be known: first figures waited for it in vain
			s.updateLocked(func(k *snapshot) { k.live.Reading = false })
			s.known()
		}
		return
	}
	s.followed = want
	if s.unfollow != nil {
		s.unfollow()
		s.unfollow = nil
	}
	if !want.ledger {
		s.updateLocked(func(k *snapshot) { k.live = live.State{} })
		s.known()
		return
	}
	ctx, stop := context.WithCancel(s.life)
	s.unfollow = stop
	open := func(ctx context.Context) (live.Ledger, error) { return s.connect(ctx) }
	o := live.Options{Open: open, Env: s.o.Env, Tree: s.workspace.Root, Apart: !want.live, Pinned: want.pinned,
		Model: want.model, Near: s.near, Again: &s.again, Tell: func(st live.State) { s.takeLive(ctx, st) }}
	s.tasks.begin(func() { live.Follow(ctx, o) })
}

// firstFigures is how long a folder's first figures wait for what is known of its live session: as long as its follower
// does, and a second for a daemon to start.
const firstFigures = live.Patience + time.Second

// awaitFigures waits until something is known of the live session, but no longer than firstFigures.
func (s *folder) awaitFigures(ctx context.Context) {
	select {
	case <-s.early.Done():
	case <-ctx.Done():
	}
}

// tellFirst has the client told what waited for that.
func (s *folder) tellFirst() {
	for _, d := range s.documents.all() {
		if d.folder == s {
			s.examine(d)
		}
	}
	s.pending.wake()
}

// maxTerminals is how many terminals of a window are taken.
const maxTerminals = 100

// terminals are those of the editor's window, by the processes that it started in them.
type terminals struct {
	Processes []int `json:"processes"`
	Active    int   `json:"active"` // the one that was used last; 0: none
}

// takeTerminals is a custom notification: an editor says which terminals its window has, each time that this changes.
func (s *Server) takeTerminals(p *terminals) error {
	given := terminals{slices.Clone(p.Processes[:min(len(p.Processes), maxTerminals)]), p.Active}
	given.Processes = slices.DeleteFunc(given.Processes, func(pid int) bool { return pid <= 1 })
	s.mu.Lock()
	s.terminals = given
	s.mu.Unlock()
	for _, f := range s.all() {
		f.again.Look()
	}
	return nil
}

// near returns the sessions that work in terminals of the editor's window: of agents that note what their processes
// work on. Of others, and on systems that do not tell what descends from what, nothing is known.
func (s *Server) near() (all []live.Near) {
	s.mu.Lock()
	given := s.terminals
	s.mu.Unlock()
	for _, a := range registry.All() {
		if a.Running == nil {
			continue
		}
		for _, p := range a.Running(s.o.Env, given.Processes) {
			all = append(all, live.Near{Host: string(a.Name), ID: p.Session, Active: p.Below == given.Active})
		}
	}
	return all
}

// lookAgain has the session that is followed read again, because the settings changed what is said of it.
func (s *folder) lookAgain() {
	s.mu.Lock()
	s.followed = following{}
	s.mu.Unlock()
	s.follow()
	s.pending.ledger()
}

// takeLive stores the state of the live session and notifies the client of what changes.
func (s *folder) takeLive(ctx context.Context, st live.State) {
	st.Files = s.linked(st.Files)
	first := false
	before, after := s.update(func(k *snapshot) {
		first = s.early.Err() == nil // all that shows figures waits for them
		if ctx.Err() == nil {        // else it is not followed any more
			k.live = st
		}
	})
	s.known()
	if p := after.live.Problem; p != "" && p != before.live.Problem {
		s.o.Log.Warn("live session", "problem", p, "hint", after.live.Hint)
	}
	if after.live.Event != before.live.Event || after.live.Session != before.live.Session ||
		(after.live.Problem != "") != (before.live.Problem != "") {
		s.pending.ledger()
	}
	if !first && s.differs(before, after) {
		s.pending.refresh()
	} else {
		s.pending.wake()
	}
}

// differs reports whether anything shown of an open document has changed.
func (s *folder) differs(before, after snapshot) bool {
	asked := before.live.Use.Requests != after.live.Use.Requests && after.live.Use.CarriedDollars != nil
	for _, d := range s.documents.all() {
		if d.folder == s && (s.fileUse(before, d) != s.fileUse(after, d) || asked && s.agents.loads(d)) {
			return true
		}
	}
	return false
}
