package lsp

import (
	"time"

	"ctxledger.dev/internal/env"
)

// quiet is how long nothing comes from an editor that is left alone.
const quiet = 5 * time.Second

// stir notes that the client sent something.
func (s *Server) stir() {
	select {
	case s.stirred <- struct{}{}:
	default: // it is noted
	}
}

// watchRest calls Options.Idle once for each time that the client has been quiet after it sent something.
func (s *Server) watchRest() {
	for {
		select {
		case <-s.life.Done():
			return
		case <-s.stirred:
		}
		for env.Sleep(s.life, quiet); len(s.stirred) > 0; env.Sleep(s.life, quiet) {
			<-s.stirred
		}
		if s.life.Err() == nil {
			s.o.Idle()
		}
	}
}
