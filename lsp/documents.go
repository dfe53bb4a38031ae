package lsp

import (
	"path/filepath"
	"sync"

	"go.lsp.dev/uri"

	"ctxledger.dev/lsp/anyfile"
	"ctxledger.dev/lsp/outline"
	"ctxledger.dev/lsp/text"
	"ctxledger.dev/tokens"
)

// document is one version of an open document. It is immutable: an edit makes another one.
type document struct {
	uri      uri.URI // as the library normalizes it
	spelled  uri.URI // as the client sent it, which compares strings
	folder   *folder
	path     string // of the file in the ledger; "": none
	language outline.Language
	version  int32    // as the client says: it can repeat, and restarts when a document is reopened
	edition  *edition // of the text, whatever it is counted in
	text     *text.Text
	outline  *outline.Outline // empty if the text is too long
	graphed  *graphed         // as a context graph
}

// with returns the document with another text.
func (d document) with(version int32, t *text.Text) *document {
	d.version, d.text, d.outline, d.graphed = version, t, outlineOf(d.language, t), &graphed{}
	d.edition = new(edition)
	return &d
}

// edition is a text of a document: each edit makes another one.
type edition struct{ _ byte }

// of returns the document in another folder, which counts in an encoding.
func (d document) of(f *folder, e *tokens.Encoding) *document {
	d.folder, d.path, d.graphed = f, f.workspace.inside(d.uri), &graphed{}
	return d.in(e)
}

// file returns the path of the document's file without links; "": it has none.
func (d document) file() string {
	if ws := d.folder.workspace; d.path != "" && !ws.outside(d.path) { // also a file that is not there
		return withoutLinks(filepath.Join(ws.Root, filepath.FromSlash(d.path)))
	}
	return withoutLinks(pathOf(d.uri))
}

// in returns the document in another encoding. It is counted on the next use.
func (d document) in(e *tokens.Encoding) *document {
	d.text = d.text.In(e)
	d.outline = d.outline.In(d.text)
	if d.text.Len() > anyfile.MaxOutlined {
		d.outline = outlineOf(d.language, d.text)
	}
	return &d
}

// outlineOf returns the outline of a text, an empty one if it is too long.
func outlineOf(l outline.Language, t *text.Text) *outline.Outline {
	if t.Len() > anyfile.MaxOutlined {
		t = text.New(t.Encoding(), nil)
	}
	return outline.Of(l, t)
}

// edited returns the document after an edit.
func (d document) edited(r text.Range, with string) *document {
	c := d.text.Change(r, with)
	t := d.text.Replace(c.From, c.To, c.With)
	if max(t.Len(), d.text.Len()) > anyfile.MaxOutlined {
		d.outline = outlineOf(d.language, t)
	} else {
		d.outline = d.outline.Edit(c, t)
	}
	d.text, d.graphed, d.edition = t, d.graphed.edited(c, t), new(edition)
	return &d
}

// documents are the open documents.
type documents struct {
	mu     sync.Mutex
	open   map[uri.URI]*document // guarded by mu
	recent []uri.URI             // guarded by mu; those with cached data, most recently used first
}

// get returns the current version of a document, or nil.
func (d *documents) get(u uri.URI) *document {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.open[u]
}

// put opens a document, or replaces it.
func (d *documents) put(doc *document) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.open == nil {
		d.open = map[uri.URI]*document{}
	}
	d.open[doc.uri] = doc
}

// edit replaces a document by the result of change and returns it; nil if it is not open.
func (d *documents) edit(u uri.URI, change func(*document) *document) *document {
	d.mu.Lock()
	defer d.mu.Unlock()
	doc := d.open[u]
	if doc != nil {
		doc = change(doc)
		d.open[u] = doc
	}
	return doc
}

// each replaces all documents by the results of change.
func (d *documents) each(change func(*document) *document) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for u, doc := range d.open {
		d.open[u] = change(doc)
	}
}

// close removes a document and returns its last version, or nil.
func (d *documents) close(u uri.URI) *document {
	d.mu.Lock()
	defer d.mu.Unlock()
	doc := d.open[u]
	delete(d.open, u)
	return doc
}

// count returns how many documents are open.
func (d *documents) count() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.open)
}

// all returns the open documents, in no order.
func (d *documents) all() []*document {
	d.mu.Lock()
	defer d.mu.Unlock()
	list := make([]*document, 0, len(d.open))
	for _, doc := range d.open {
		list = append(list, doc)
	}
	return list
}
