package lsp

// initializedMethod starts the notifications. Settings are requested only from a client that sent none with
// initialize.
func initializedMethod() method {
	return notification("initialized", func(s *Server, _ *nothing) error {
		if s.begun {
			return nil
		}
		s.begun = true
		s.tasks.begin(s.notify)
		if s.workspace.Root != "" {
			s.tasks.begin(s.obey)
			s.tasks.begin(s.watchAgentFiles)
		}
		if !s.given && s.caps.settings {
			s.pending.settings()
		}
		s.pending.wake()
		s.follow()
		return nil
	})
}
