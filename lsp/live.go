package lsp

import (
	"context"

	"ctxledger.dev/lsp/live"
)

// following is how the live session is followed.
type following struct{ live, status bool }

// follow begins to follow the live session, or ends it, as the settings want it.
func (s *Server) follow() {
	s.mu.Lock()
	defer s.mu.Unlock()
	want := following{live: s.now.settings.Live && s.workspace.Open != nil}
	want.status = want.live && s.now.settings.Status
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
	o := live.Options{Open: open, Env: s.o.Env, Status: want.status, Tell: func(st live.State) { s.hear(ctx, st) }}
	s.tasks.begin(func() { live.Follow(ctx, o) })
}

// hear takes in what the live session did, and has shown what that changes.
func (s *Server) hear(ctx context.Context, st live.State) {
	before, after := s.update(func(k *snapshot) {
		if ctx.Err() == nil { // else nobody wants to know any more
			k.live = st
		}
	})
	if p := after.live.Problem; p != "" && p != before.live.Problem {
		s.o.Log.Warn("live session", "problem", p, "hint", after.live.Hint)
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

// differs reports whether anything that is shown of an open document has changed.
func (s *Server) differs(before, after snapshot) bool {
	if before.meter != after.meter {
		return true
	}
	for _, d := range s.documents.all() {
		if before.live.Files[d.path] != after.live.Files[d.path] {
			return true
		}
	}
	return false
}
