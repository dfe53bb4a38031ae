package lsp

import (
	"context"
	"slices"

	"ctxledger.dev/internal/safefs"
	"ctxledger.dev/lsp/agentfile"
	"ctxledger.dev/lsp/anyfile"
	"ctxledger.dev/lsp/live"
	"ctxledger.dev/lsp/text"
	"ctxledger.dev/tokens"
)

// snapshot is the state that answers depend on in addition to the document. A value never changes: see Server.update.
type snapshot struct {
	settings Settings
	wrong    error // error in the settings; nil: none
	sent     int   // number of didChangeConfiguration with settings
	live     live.State
	pinned   string        // the session that the user chose; "": none
	meter    anyfile.Meter // derived from the others: another one where any figure may be another one
	of       metered       // what it was derived from

	configured Configured
}

// metered is what a meter is derived from.
type metered struct {
	models        *tokens.Registry
	model, learnt string
	window        int
}

// measured returns k with the meter of the model in the settings, else of that which the live state names.
func (k snapshot) measured() snapshot {
	of := metered{models: k.configured.Models, model: k.settings.Model}
	if of.model == "" {
		of.model, of.window = k.live.Model, k.live.Window
	}
	if of.model != "" && of.window == 0 {
		of.window, _ = of.models.Window(of.model)
	}
	if k.live.Learnt.Model == of.model {
		of.learnt = k.live.Learnt.State
	}
	if of == k.of {
		return k
	}
	counter, _ := of.models.Counter(of.model, []byte(of.learnt)) // else without what cannot be read
	k.of, k.meter = of, anyfile.Meter{Counter: counter, Window: of.window}
	return k
}

// snapshot returns the current state of the first folder: what all folders have in common.
func (s *Server) snapshot() snapshot { return s.first().snapshot() }

// update changes the state of all folders.
func (s *Server) update(change func(*snapshot)) {
	for _, f := range s.all() {
		f.update(change)
	}
}

// snapshot returns the current state.
func (s *folder) snapshot() snapshot {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now
}

// update changes the state, recounts the folder's open documents if their encoding changes, and has the client ask for
// every figure again if they are counted in another way. It returns the states before and after.
func (s *folder) update(change func(*snapshot)) (before, after snapshot) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.updateLocked(change)
}

// updateLocked is update for callers that hold s.mu.
func (s *folder) updateLocked(by func(*snapshot)) (before, after snapshot) {
	before = s.now
	by(&s.now)
	s.now = s.now.measured()
	if e := s.now.meter.Counter.Encoding(); e != before.meter.Counter.Encoding() {
		s.documents.each(func(d *document) *document {
			if d.folder == s {
				return d.in(e)
			}
			return d
		})
	}
	if s.now.meter != before.meter { // everything that was counted is out of date, also what views of the ledger show
		s.pending.refresh()
		s.pending.ledger()
		s.pending.contents()
	}
	return before, s.now
}

// open opens the document that made returns for the current encoding, which does not change meanwhile.
func (s *folder) open(made func(*tokens.Encoding) *document) *document {
	s.mu.Lock()
	defer s.mu.Unlock()
	d := made(s.now.meter.Counter.Encoding())
	s.documents.put(d)
	return d
}

// file returns the input of the features for a document.
func (s *folder) file(d *document) anyfile.File {
	k := s.snapshot()
	t := d.text
	if e := k.meter.Counter.Encoding(); t.Encoding() != e { // the model changed since d was asked about
		t = t.In(e)
	}
	return anyfile.File{
		Text: t, Outline: d.outline, Meter: k.meter,
		Path: d.path, Use: k.live.Files[d.path], Ignored: func() bool { return s.workspace.ignores(d.path) },
		Everywhere: k.settings.Lens == showAlways, Disk: func() anyfile.Disk { return s.disk(d.path, t.Encoding()) },
	}
}

// beside is file, with whether what is on disk is known to be something else: that takes reading it.
func (s *folder) beside(ctx context.Context, d *document) anyfile.File {
	f := s.file(d)
	uses, _ := s.usesOf(ctx, d)
	disk := f.OnDisk()
	unsaved := disk.Gone || disk.Text != nil ||
		slices.ContainsFunc(uses, func(u agentfile.Use) bool { return u.Unsaved })
	if unsaved || disk.Same || len(uses) > 0 {
		f.Unsaved = &unsaved
	}
	return f
}

// disk returns what a file of the workspace is on disk, by its path in the ledger.
func (s *folder) disk(name string, e *tokens.Encoding) (d anyfile.Disk) {
	if s.workspace.outside(name) {
		return d
	}
	_ = s.workspace.read(func(tree *safefs.Tree) error { // of what cannot be read nothing is known
		info, err := tree.Stat(name)
		if err != nil {
			return err
		}
		d.Gone = info.Kind == safefs.Absent
		if raw := tree.Read(name, anyfile.MaxOutlined); raw != nil {
			d.Text = text.New(e, raw)
		}
		return nil
	})
	return d
}
