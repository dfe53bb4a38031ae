package lsp

import (
	"ctxledger.dev/lsp/anyfile"
	"ctxledger.dev/lsp/live"
	"ctxledger.dev/tokens"
)

// known is what answers depend on beside the document. A value never changes; see Server.update.
type snapshot struct {
	settings Settings
	wrong    error // what is wrong with what the client set; nil: nothing
	sent     int   // how often the client has sent settings unasked
	models   *tokens.Registry
	live     live.State
	meter    anyfile.Meter // follows from the others
}

// measured returns k with the meter that follows from it: of the model in the settings, else of that of the
// live session.
func (k snapshot) measured() snapshot {
	model, window := k.settings.Model, 0
	if model == "" {
		model, window = k.live.Model, k.live.Window
	}
	if model == "" {
		k.meter = anyfile.Meter{Counter: tokens.O200kBase.Counter()}
		return k
	}
	if window == 0 {
		window, _ = k.models.Window(model)
	}
	k.meter = anyfile.Meter{Counter: k.models.For(model), Window: window}
	return k
}

// known returns what is known now.
func (s *Server) snapshot() snapshot {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now
}

// know changes what is known, and counts the open documents anew if they are to be counted otherwise. It
// returns what was known before, and what is now.
func (s *Server) update(change func(*snapshot)) (before, after snapshot) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.updateLocked(change)
}

// learn is know for who holds s.mu.
func (s *Server) updateLocked(by func(*snapshot)) (before, after snapshot) {
	before = s.now
	by(&s.now)
	s.now = s.now.measured()
	if e := s.now.meter.Counter.Encoding(); e != before.meter.Counter.Encoding() {
		s.documents.recount(e)
	}
	return before, s.now
}

// open opens a document that is made for an encoding: the one that the others are counted in, which does not change
// meanwhile.
func (s *Server) open(made func(*tokens.Encoding) *document) *document {
	s.mu.Lock()
	defer s.mu.Unlock()
	d := made(s.now.meter.Counter.Encoding())
	s.documents.put(d)
	return d
}

// file returns a document as its features see it.
func (s *Server) file(d *document) anyfile.File {
	k := s.snapshot()
	t := d.text
	if e := k.meter.Counter.Encoding(); t.Encoding() != e { // the model changed since d was asked about
		t = t.In(e)
	}
	return anyfile.File{
		Text: t, Outline: d.outline, Meter: k.meter,
		Path: d.path, Use: k.live.Files[d.path], Ignored: func() bool { return s.workspace.ignores(d.path) },
	}
}
