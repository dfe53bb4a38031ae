package lsp

import (
	"context"

	"ctxledger.dev/lsp/live"
)

// following says whether a session is followed, whether for the status too, and which one the user chose.
type following struct {
	live, status bool
	pinned       string
}

// follow starts or stops following the live session, as the settings ask for.
func (s *Server) follow() {
	s.mu.Lock()
	defer s.mu.Unlock()
	want := following{live: s.now.settings.Live && s.workspace.Open != nil}
	want.status = want.live && s.now.settings.Status
	want.pinned = s.now.pinned
	if want == s.followed {
		return
	}
	s.followed = want
	if s.unfollow != nil {
		s.unfollow()
		s.unfollow = nil
	}
	if !want.live {
		s.updateLocked(func(k *snapshot) { k.live = live.State{} })
		return
	}
	ctx, stop := context.WithCancel(s.life)
	s.unfollow = stop
	open := func(ctx context.Context) (live.Ledger, error) { return s.workspace.Open(ctx) }
	o := live.Options{Open: open, Env: s.o.Env, Status: want.status, Tree: s.workspace.Root, Pinned: want.pinned,
		Tell: func(st live.State) { s.takeLive(ctx, st) }}
	s.tasks.begin(func() { live.Follow(ctx, o) })
}

// lookAgain has the session that is followed read again, because the settings changed what is said of it.
func (s *Server) lookAgain() {
	s.mu.Lock()
	s.followed = following{}
	s.mu.Unlock()
	s.follow()
	s.pending.ledger()
}

// takeLive stores the state of the live session and notifies the client of what changes.
func (s *Server) takeLive(ctx context.Context, st live.State) {
	before, after := s.update(func(k *snapshot) {
		if ctx.Err() == nil { // else it is not followed any more
			k.live = st
		}
	})
	if p := after.live.Problem; p != "" && p != before.live.Problem {
		s.o.Log.Warn("live session", "problem", p, "hint", after.live.Hint)
	}
	if len(st.Warned) > 0 {
		s.pending.warn(st.Warned)
	}
	if after.live.Event != before.live.Event || (after.live.Problem != "") != (before.live.Problem != "") {
		s.pending.ledger()
	}
	if s.differs(before, after) {
		s.pending.refresh()
	} else {
		s.pending.wake()
	}
}

// differs reports whether anything shown of an open document has changed.
func (s *Server) differs(before, after snapshot) bool {
	if before.meter != after.meter {
		return true
	}
	asked := before.live.Requests != after.live.Requests && after.live.CarriedDollars != nil
	for _, d := range s.documents.all() {
		if before.live.Files[d.path] != after.live.Files[d.path] || asked && s.agents.loads(d) {
			return true
		}
	}
	return false
}
