package lsp

// initialized starts the notifications. Settings are requested only from a client that sent none with
// initialize.
func (s *Server) initialized(_ *nothing) error {
	if s.begun {
		return nil
	}
	s.begun = true
	s.tasks.begin(s.notify)
	if !s.given && s.caps.settings {
		s.pending.settings()
	}
	s.pending.wake()
	for _, f := range s.all() {
		f.begin()
	}
	return nil
}
