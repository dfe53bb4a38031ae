package lsp

import (
	"bytes"
	"path"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"go.lsp.dev/uri"

	"ctxledger.dev/graph"
	"ctxledger.dev/graph/files"
	"ctxledger.dev/lsp/graphfile"
	"ctxledger.dev/lsp/outline"
	"ctxledger.dev/lsp/text"
	"ctxledger.dev/tokens"
)

// graphed is a version of a document as a context graph, which is read when it is first asked for.
type graphed struct {
	from atomic.Pointer[graphFrom] // nil: the text is parsed
	done atomic.Pointer[graphRead] // nil: it was not read
	mu   sync.Mutex                // held while it is read or counted
	sent atomic.Pointer[graphSent] // nil: it was not counted
}

// graphFrom is the newest version of a document that was read, and the edits since then.
type graphFrom struct {
	graphRead
	edits []text.Change
}

// graphRead is what a document was read as, and by which settings: nil where no line begins as an operation does.
type graphRead struct {
	*graph.Document
	by *graph.Settings
}

// graphSent is what the operations of a document send, and by which meters.
type graphSent struct {
	*graph.Costs
	of *graph.Document
	by *meters
}

// mostEdits is how many edits of a document are remembered that nothing was asked about meanwhile.
const mostEdits = 64

// marked reports whether a line begins as an operation does: without one there is nothing to parse.
func marked(raw []byte) bool {
	return bytes.HasPrefix(raw, []byte("@")) || bytes.Contains(raw, []byte("\n@"))
}

// graph returns a document as a context graph; nil: it has no operation, and means to have none.
func (d *document) graph() *graph.Document {
	if g := d.parsed(); g != nil && g.IsGraph() {
		return g
	}
	return nil
}

// parsed is graph also for a document whose operations are not written yet.
func (d *document) parsed() *graph.Document {
	if d.language != outline.Markdown || d.text.Len() > files.Max {
		return nil
	}
	g, settings := d.graphed, d.folder.snapshot().configured.Graph
	if done := g.done.Load(); done != nil && done.by == settings {
		return done.Document
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if done := g.done.Load(); done != nil && done.by == settings {
		return done.Document
	}
	var doc *graph.Document
	if from := g.from.Load(); from != nil && from.by == settings {
		doc = from.Document
		for _, c := range from.edits {
			doc = doc.Edit(graph.Span{From: c.From, To: c.To}, c.With)
		}
	} else if raw := d.text.Raw(); marked(raw) {
		doc = d.folder.parseGraph(d, settings, string(raw))
	}
	g.done.Store(&graphRead{doc, settings})
	g.from.Store(nil)
	return doc
}

// edited returns what is known of a document after an edit. It does not wait for what is being read.
func (g *graphed) edited(c text.Change, after *text.Text) *graphed {
	next := &graphed{}
	from := g.from.Load()
	switch done := g.done.Load(); {
	case done != nil && done.Document != nil:
		next.from.Store(&graphFrom{*done, []text.Change{c}})
	case done != nil:
		first, last := after.LineAt(c.From), after.LineAt(c.From+len(c.With))
		if _, end := after.Line(last + 1); !marked(after.Bytes(after.Start(first), end)) {
			next.done.Store(done)
		}
	case from != nil && len(from.edits) < mostEdits:
		next.from.Store(&graphFrom{from.graphRead, append(slices.Clone(from.edits), c)})
	}
	return next
}

// release drops what was read and counted.
func (g *graphed) release() {
	g.from.Store(nil)
	g.done.Store(nil)
	g.sent.Store(nil)
}

// costs returns what the operations of a document send.
func (g *graphed) costs(doc *graph.Document, k snapshot, around graph.Options) *graph.Costs {
	if sent := g.sent.Load(); sent != nil && sent.of == doc && sent.by == k.meters {
		return sent.Costs
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if sent := g.sent.Load(); sent != nil && sent.of == doc && sent.by == k.meters {
		return sent.Costs
	}
	around.Kept = k.meters
	sent := &graphSent{doc.Costs(around), doc, k.meters}
	g.sent.Store(sent)
	return sent.Costs
}

// treeOf returns the directory in which a document names other ones, "" for none, and the document's path below it.
func (s *folder) treeOf(d *document) (root, name string) {
	switch file := pathOf(d.uri); {
	case !s.workspace.outside(d.path):
		return s.workspace.Root, d.path
	case file != "":
		return filepath.Dir(file), filepath.Base(file)
	}
	return "", path.Base(d.uri.Path())
}

// graphFile returns the input of what is said of a context graph; ok is false for other documents.
func (s *folder) graphFile(d *document) (f graphfile.File, ok bool) {
	k, doc := s.snapshot(), d.graph()
	if doc == nil || !k.settings.Graphs {
		return f, false
	}
	return s.graphFileOf(d, doc, k), true
}

// graphFileOf is graphFile for a document that was read.
func (s *folder) graphFileOf(d *document, doc *graph.Document, k snapshot) graphfile.File {
	root, name := s.treeOf(d)
	around := s.graphs.around(s, root, name, k)
	around.Read, around.Exists = s.graphReader(root), s.graphExists(root)
	f := graphfile.File{Document: doc, Meter: k.meter, Counter: k.counter, Models: k.configured.Models, Around: around}
	f.Around.Count = func(named string) graph.Counting { return files.Counting(f.CounterOf(named)) }
	f.Around.Costs = d.graphed.costs(doc, k, f.Around)
	return f
}

// parseGraph reads a document, by what the directory of its file says, too.
func (s *folder) parseGraph(d *document, settings *graph.Settings, text string) *graph.Document {
	root, name := s.treeOf(d)
	if root != "" {
		if reader, err := files.Open(root, *settings); err == nil {
			defer reader.Close() // only read
			return reader.Parse(name, text)
		}
	}
	return settings.Parse(name, text)
}

// graphReads are documents that context graphs name, as they were read last: a check after each key reads none again.
type graphReads struct {
	mu   sync.Mutex
	at   time.Time            // guarded by mu; when the oldest was read
	docs map[string]graphSeen // guarded by mu
	// Guarded by mu; what is known around the documents of a directory, by that, for models.
	options map[string]graph.Options
	models  *tokens.Registry
}

// around returns what is known around a document: models and their windows.
func (r *graphReads) around(s *folder, root, name string, k snapshot) graph.Options {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.forgetLocked(s)
	if r.models != k.configured.Models {
		r.options, r.models = map[string]graph.Options{}, k.configured.Models
	}
	key := root + "\x00" + path.Dir(name)
	o, known := r.options[key]
	if !known {
		o.Window = func(named string) int {
			window, _ := k.configured.Models.Window(named)
			return window
		}
		if root != "" {
			if reader, err := files.Open(root, *k.configured.Graph); err == nil {
				o = reader.Options(&graph.Document{Path: name}, k.configured.Models, "", k.counter)
				_ = reader.Close() // only read
			}
		}
		r.options[key] = o
	}
	ours := o.Window
	o.Window = func(named string) int {
		if named == "" {
			return k.meter.Window
		}
		return ours(named)
	}
	return o
}

// forgetLocked forgets what was read some time ago. r.mu is held.
func (r *graphReads) forgetLocked(s *folder) {
	if now := s.o.Env.Now(); now.Sub(r.at) > freshness || now.Before(r.at) || r.docs == nil {
		r.docs, r.options, r.at = map[string]graphSeen{}, map[string]graph.Options{}, now
	}
}

// graphSeen is a document that was read, or why not.
type graphSeen struct {
	doc *graph.Document
	err error
}

// graphReader returns what reads documents below a directory, as editors have them open; nil: there is no directory.
func (s *folder) graphReader(root string) func(from, path string) (*graph.Document, error) {
	if root == "" {
		return nil
	}
	return func(from, path string) (*graph.Document, error) {
		return s.seen(root+"\x00"+filepath.Dir(from)+"\x00"+path, func() (*graph.Document, error) {
			return s.readGraph(root, from, path)
		})
	}
}

// graphExists returns what says of a file below a directory why it cannot be read; nil: there is no directory.
func (s *folder) graphExists(root string) func(from, path string) error {
	if root == "" {
		return nil
	}
	return func(from, path string) error {
		_, err := s.seen(root+"\x00"+filepath.Dir(from)+"\x00"+path+"\x00", func() (*graph.Document, error) {
			reader, err := files.Open(root, *s.snapshot().configured.Graph)
			if err != nil {
				return nil, err
			}
			defer reader.Close() // only read
			return nil, reader.Exists(from, path)
		})
		return err
	}
}

// seen returns what was read under a key, which read reads when that was some time ago.
func (s *folder) seen(key string, read func() (*graph.Document, error)) (*graph.Document, error) {
	r := &s.graphs
	r.mu.Lock()
	defer r.mu.Unlock()
	r.forgetLocked(s)
	seen, known := r.docs[key]
	if !known {
		seen.doc, seen.err = read()
		r.docs[key] = seen
	}
	return seen.doc, seen.err
}

// readGraph reads a document that another one names. Errors: those of files.Reader.Read.
func (s *folder) readGraph(root, from, path string) (*graph.Document, error) {
	reader, err := files.Open(root, *s.snapshot().configured.Graph)
	if err != nil {
		return nil, err
	}
	defer reader.Close() // only read
	reader.Prefer(func(name string) (string, bool) {
		d := s.documents.get(uri.File(filepath.Join(root, filepath.FromSlash(name))))
		if d == nil {
			return "", false
		}
		return string(d.text.Raw()), true
	})
	return reader.Read(from, path)
}
