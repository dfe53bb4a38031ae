package proxy

import "time"

// WaitAtMost has requests wait for decisions about them for so long.
func (s *Server) WaitAtMost(d time.Duration) { s.reducer.patience, s.reducer.resuming = d, d }

// Recorded waits until all that has passed is recorded, however long that takes.
func (s *Server) Recorded() {
	for done := make(chan struct{}); ; {
		if s.recorder.queue(func() { close(done) }) {
			<-done
			return
		}
		select { // too much waits, or it has ended
		case <-s.recorder.done:
			return
		case <-time.After(time.Millisecond):
		}
	}
}
