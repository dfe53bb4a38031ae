package lsp

import (
	"time"

	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/process"
)

// clientPoll is the interval of checks whether the editor's process is alive. Only memory depends on it.
const clientPoll = 2 * time.Second

// watchClient ends Serve when the client's process has ended. Usually the server's input ends then, but other programs
// that the client started may hold it open. A process that cannot be seen at first is ignored: the client may run
// outside this container.
func (s *Server) watchClient(pid int) {
	if !process.Alive(pid) {
		s.o.Log.Warn("the editor's process cannot be seen", "pid", pid)
		return
	}
	for process.Alive(pid) {
		env.Sleep(s.life, clientPoll)
		if s.life.Err() != nil {
			return
		}
	}
	s.o.Log.Warn("the editor's process has exited", "pid", pid)
	close(s.orphaned)
}
