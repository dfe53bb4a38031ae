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
		settings, wrong := s.initial.read(p.Settings)
		s.know(func(k *known) { k.settings, k.wrong, k.sent = settings, wrong, k.sent+1 })
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
		settings, wrong := t.initial.read(answer[0])
		t.know(func(k *known) {
			if k.sent == sent {
				k.settings, k.wrong = settings, wrong
			}
		})
		t.apply()
		return nil
	})
}

// apply has shown what new settings change.
func (s *Server) apply() {
	s.complain()
	s.follow()
	s.news.all()
}

// complain writes what is wrong with the settings to the log.
func (s *Server) complain() {
	if wrong := s.known().wrong; wrong != nil {
		s.o.Log.Warn("settings", "why", wrong.Error())
	}
}
