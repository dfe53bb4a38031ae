package lsp

import (
	"context"

	"go.lsp.dev/protocol"
)

// didChangeConfigurationMethod takes in new settings, or asks for them if the client only says that there
// are some.
func didChangeConfigurationMethod() method {
	return notification("workspace/didChangeConfiguration", func(s *Server, p *protocol.DidChangeConfigurationParams) error {
		if s.able.settings && (len(p.Settings) == 0 || string(p.Settings) == "null") {
			s.tasks.Go(s.pullSettings)
			return nil
		}
		settings, err := readSettings(p.Settings)
		if err != nil {
			return err
		}
		s.set(settings)
		return nil
	})
}

// pullSettings asks the client for its settings.
func (s *Server) pullSettings() {
	ctx, cancel := context.WithTimeout(s.life, clientPatience)
	defer cancel()
	name := section
	answer, err := s.client.Configuration(ctx, &protocol.ConfigurationParams{Items: []protocol.ConfigurationItem{{Section: &name}}})
	if err == nil && len(answer) != 1 {
		return
	}
	var settings Settings
	if err == nil {
		settings, err = readSettings(answer[0])
	}
	if err != nil {
		s.o.Log.Warn("settings", "why", err.Error())
		return
	}
	s.set(settings)
}

// set takes in settings, and has shown what they change.
func (s *Server) set(settings Settings) {
	s.know(func(k *known) { k.settings = settings })
	s.follow()
	s.news.ring()
}
