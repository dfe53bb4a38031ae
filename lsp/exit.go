package lsp

// exit ends Serve.
func exitMethod() method {
	m := notification(func(s *Server, _ *nothing) error {
		s.exit()
		return nil
	})
	m.early, m.late = true, true
	return m
}
