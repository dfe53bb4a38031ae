package lsp

import (
	"time"

	"ctxledger.dev/internal/env"
)

// quiet is how long nothing comes from an editor that is left alone.
const quiet = 5 * time.Second

// stir notes that the client sent something.
func (s *Server) touch() {
	select {
	case s.touched <- struct{}{}:
	default: // it is noted
	}
}

// watchIdle calls Options.Idle once for each time that the client has been quiet after it sent something.
func (s *Server) watchIdle() {
	for {
		select {
		case <-s.life.Done():
			return
		case <-s.touched:
		}
		for env.Sleep(s.life, quiet); len(s.touched) > 0; env.Sleep(s.life, quiet) {
			<-s.touched
		}
		if s.life.Err() == nil {
			s.o.Idle()
		}
	}
}
