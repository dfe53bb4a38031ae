package lsp

import (
	"time"

	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/process"
)

// clientPoll is how long the server waits before it looks again whether the editor's process is there. Nothing
// but memory hangs on it.
const clientPoll = 2 * time.Second

// watchClient ends Serve when the process that a client says it is has ended. As a rule the server's input ends then; but
// other programs that this process started may hold it open. Of a process that is not there at first nothing can be
// known: the client may count them otherwise, from outside of a container.
func (s *Server) watchClient(pid int) {
	if !process.Alive(pid) {
		s.o.Log.Warn("the process of the editor cannot be seen", "pid", pid)
		return
	}
	for process.Alive(pid) {
		env.Sleep(s.life, clientPoll)
		if s.life.Err() != nil {
			return
		}
	}
	s.o.Log.Warn("the process of the editor has ended", "pid", pid)
	close(s.orphaned)
}
