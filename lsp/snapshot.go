package lsp

import (
	"context"
	"maps"
	"slices"

	"ctxledger.dev/carried"
	"ctxledger.dev/internal/safefs"
	"ctxledger.dev/ledger"
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
	pinned   string // the session that the user chose; "": none
	*meters         // derived from the others: another one where any figure may be another one

	configured Configured
}

// meters say how texts are counted.
type meters struct {
	meter   anyfile.Meter                           // of documents
	own     anyfile.Meter                           // of those that the followed session knows: that of its own model
	of      func(agent string) (ledger.Meter, bool) // of what agents load: see carried.Options
	from    metered
	session ledger.HostModel // the model of the followed session
	hosts   map[string]ledger.HostModel
}

// metered is what a meter is derived from.
type metered struct {
	models *tokens.Registry
	ledger.HostModel
	set     bool // in the settings
	reading bool // session files: a model may become known
}

// measured returns k with the meter of the model in the settings, else of that which the live state names. What agents load
// is counted for the former, else for the models of their own sessions.
func (k snapshot) measured() snapshot {
	from := metered{models: k.configured.Models, HostModel: ledger.HostModel{Model: k.settings.Model},
		set: k.settings.Model != "", reading: k.live.Reading}
	if !from.set {
		from.Model, from.Window = k.live.Model, k.live.Window
	}
	if from.Model != "" && from.Window == 0 {
		from.Window, _ = from.models.Window(from.Model)
	}
	if k.live.Learnt.Model == from.Model {
		from.Learnt = k.live.Learnt.State
	}
	hosts := map[string]ledger.HostModel{}
	maps.Copy(hosts, k.live.Hosts)
	if k.live.Host != "" && k.live.Model != "" {
		hosts[k.live.Host] = from.HostModel
	}
	session := ledger.HostModel{Model: k.live.Model, Window: k.live.Window}
	if known := k.live.Hosts[k.live.Host]; known.Model == session.Model {
		session.Learnt = known.Learnt
	}
	if k.meters != nil && from == k.from && session == k.session && maps.Equal(hosts, k.hosts) {
		return k
	}
	m := from.Meter(from.models)
	m.Reading = from.reading
	k.meters = &meters{meter: anyfile.Meter(m), of: carried.Each(from.models, hosts), from: from,
		session: session, hosts: hosts}
	k.own = k.meter
	if from.set {
		k.of = carried.For(m)
		if session.Model != "" {
			k.own = anyfile.Meter(session.Meter(from.models))
		}
	}
	return k
}

// counter returns how texts are counted for a model: with what was learnt of it, as far as that is known here.
func (m *meters) counter(model string) tokens.Counter {
	if model == "" || tokens.SameModel(model, m.meter.Counter.Model()) {
		return m.meter.Counter
	}
	known := ledger.HostModel{Model: model}
	for _, h := range append(slices.Collect(maps.Values(m.hosts)), m.session) {
		if tokens.SameModel(model, h.Model) && h.Learnt != "" {
			known = h
		}
	}
	return known.Meter(m.from.models).Counter
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
	if s.now.meters != before.meters { // everything that was counted is out of date, also what views of the ledger show
		if s.early.Err() != nil { // else all that shows figures waits for it
			s.pending.refresh()
		}
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
	use, meter := s.fileUse(k, d), k.meter
	if use.Known() { // what is said of the session's copy counts as its model does
		meter = k.own
	}
	return anyfile.File{
		Text: d.text, Outline: d.outline,
		Path: d.path, Use: use, Ignored: func() bool { return s.workspace.ignores(d.path) },
		Everywhere: k.settings.Lens == showAlways,
		Disk:       func() anyfile.Disk { return s.disk(d.path, meter.Counter.Encoding()) },
	}.By(meter) // the model may have changed since d was asked about
}

// beside is file, with whether what is on disk is known to be something else: that takes reading it.
func (s *folder) beside(ctx context.Context, d *document) anyfile.File {
	f := s.file(d)
	uses := s.usesOf(ctx, d)
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
