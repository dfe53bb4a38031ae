package proxy

import "time"

// WaitAtMost has requests wait for decisions about them for so long.
func (s *Server) WaitAtMost(d time.Duration) { s.reducer.patience, s.reducer.resuming = d, d }
