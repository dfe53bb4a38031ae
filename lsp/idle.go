package lsp

import (
	"time"

	"ctxledger.dev/internal/env"
)

// idleAfter is the time without messages after which the client counts as idle.
const idleAfter = 5 * time.Second

// touch records that the client sent something.
func (s *Server) touch() {
	select {
	case s.touched <- struct{}{}:
	default: // already recorded
	}
}

// watchIdle calls Options.Idle once for each time that the client becomes idle.
func (s *Server) watchIdle() {
	for {
		select {
		case <-s.life.Done():
			return
		case <-s.touched:
		}
		for env.Sleep(s.life, idleAfter); len(s.touched) > 0; env.Sleep(s.life, idleAfter) {
			<-s.touched
		}
		if s.life.Err() == nil {
			s.o.Idle()
		}
	}
}
