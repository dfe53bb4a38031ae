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
			s.news.settings()
			return nil
		}
		settings, err := s.initial.read(p.Settings)
		if err != nil {
			return err
		}
		s.know(func(k *known) { k.settings, k.sent = settings, k.sent+1 })
		s.apply()
		return nil
	})
}

// pullSettings asks the client for its settings. What it sends unasked meanwhile is newer.
func (t *teller) pullSettings() {
	name, sent := section, t.known().sent
	t.ask("settings", func(ctx context.Context) error {
		answer, err := t.client.Configuration(ctx, &protocol.ConfigurationParams{Items: []protocol.ConfigurationItem{{Section: &name}}})
		if err != nil || len(answer) != 1 {
			return err
		}
		settings, err := t.initial.read(answer[0])
		if err != nil {
			return err
		}
		t.know(func(k *known) {
			if k.sent == sent {
				k.settings = settings
			}
		})
		t.apply()
		return nil
	})
}

// apply has shown what new settings change.
func (s *Server) apply() {
	s.follow()
	s.news.all()
}
