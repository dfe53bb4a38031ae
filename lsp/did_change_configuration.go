package lsp

import (
	"context"

	"go.lsp.dev/protocol"
)

// didChangeConfiguration applies new settings, or requests them if the client only announces a change.
func (s *Server) didChangeConfiguration(p *protocol.DidChangeConfigurationParams) error {
	if s.caps.settings && (len(p.Settings) == 0 || string(p.Settings) == "null") {
		s.pending.settings()
		return nil
	}
	settings, wrong := s.initial.read(p.Settings)
	s.update(func(k *snapshot) { k.settings, k.wrong, k.sent = settings, wrong, k.sent+1 })
	s.apply()
	return nil
}

// pullSettings requests the settings. Settings that the client sends meanwhile are newer.
func (n *notifier) pullSettings() {
	name, sent := section, n.snapshot().sent
	n.request("settings", func(ctx context.Context) error {
		answer, err := n.client.Configuration(ctx,
			&protocol.ConfigurationParams{Items: []protocol.ConfigurationItem{{Section: &name}}})
		if err != nil || len(answer) != 1 {
			return err
		}
		settings, wrong := n.initial.read(answer[0])
		n.update(func(k *snapshot) {
			if k.sent == sent {
				k.settings, k.wrong = settings, wrong
			}
		})
		n.apply()
		return nil
	})
}

// apply applies new settings.
func (s *Server) apply() {
	s.complain()
	for _, f := range s.all() {
		f.follow()
	}
	s.pending.refresh()
}

// complain logs an error in the settings.
func (s *Server) complain() {
	if wrong := s.snapshot().wrong; wrong != nil {
		s.o.Log.Warn("settings", "why", wrong.Error())
	}
}
