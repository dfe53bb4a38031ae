package lsp

import (
	"ctxledger.dev/lsp/anyfile"
	"ctxledger.dev/tokens"
)

// set takes in settings.
func (s *Server) set(settings Settings) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.settings = settings
	s.meter = meterOf(settings.Model)
}

// meterOf returns how texts are counted for a model.
func meterOf(model string) anyfile.Meter {
	if model == "" {
		return anyfile.Meter{Counter: tokens.O200kBase.Counter()}
	}
	window, _ := tokens.Builtin().Window(model)
	return anyfile.Meter{Counter: tokens.Builtin().For(model), Window: window}
}

// encoding is what documents are counted in.
func (s *Server) encoding() *tokens.Encoding {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.meter.Counter.Encoding()
}

// file returns a document as its features see it.
func (s *Server) file(d *document) anyfile.File {
	s.mu.Lock()
	defer s.mu.Unlock()
	return anyfile.File{Text: d.text, Sections: d.sections, Meter: s.meter}
}
