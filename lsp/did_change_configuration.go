package lsp

import "go.lsp.dev/protocol"

// didChangeConfigurationMethod takes in new settings.
func didChangeConfigurationMethod() method {
	return notification("workspace/didChangeConfiguration", func(s *Server, p *protocol.DidChangeConfigurationParams) error {
		settings, err := readSettings(p.Settings)
		if err != nil {
			return err
		}
		s.set(settings)
		return nil
	})
}
