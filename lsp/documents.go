package lsp

import (
	"sync"

	"go.lsp.dev/uri"

	"ctxledger.dev/lsp/outline"
	"ctxledger.dev/lsp/text"
)

// maxOutlined is the size in bytes of the largest document that is looked into. Of a larger one there is the
// cost of the whole.
const maxOutlined = 8 << 20

// document is an open document at one moment. It never changes: an edit makes another one.
type document struct {
	uri      uri.URI // as the library spells it
	spelled  uri.URI // as the client does, which compares
	language outline.Language
	version  int32
	text     *text.Text
	sections func() []outline.Section // computed once
}

// with returns the document with another text.
func (d document) with(version int32, t *text.Text) *document {
	d.version, d.text = version, t
	d.sections = sync.OnceValue(func() []outline.Section {
		if t.Len() > maxOutlined {
			return nil
		}
		return outline.Of(d.language, t.Bytes(0, t.Len()))
	})
	return &d
}

// documents are the open documents.
type documents struct {
	mu   sync.Mutex
	open map[uri.URI]*document // guarded by mu
}

// get returns a document as it is now, or nil.
func (d *documents) get(u uri.URI) *document {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.open[u]
}

// put replaces a document, or opens it.
func (d *documents) put(doc *document) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.open == nil {
		d.open = map[uri.URI]*document{}
	}
	d.open[doc.uri] = doc
}

// close forgets a document, and returns it as it was, or nil.
func (d *documents) close(u uri.URI) *document {
	d.mu.Lock()
	defer d.mu.Unlock()
	doc := d.open[u]
	delete(d.open, u)
	return doc
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
