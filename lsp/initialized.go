package lsp

// initializedMethod begins what needs the client to listen. Settings that came with initialize are
// those that count; a client that sent none may have some for the asking.
func initializedMethod() method {
	return notification("initialized", func(s *Server, _ *nothing) error {
		if s.begun {
			return nil
		}
		s.begun = true
		s.tasks.begin(s.notify)
		if !s.given && s.caps.settings {
			s.pending.settings()
		}
		s.pending.wake()
		s.follow()
		return nil
	})
}
