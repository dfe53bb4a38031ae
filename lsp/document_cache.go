package lsp

import (
	"slices"

	"go.lsp.dev/uri"
)

// Data derived from a document, such as its token index, takes half as much memory as its text and is quickly rebuilt.
// It is cached for the most recently used documents: for the keptDocuments newest in any case, for others while the
// cached documents have at most keptSize bytes together.
const (
	keptDocuments = 4
	keptSize      = 8 << 20
)

// used marks a document as the most recently used, after a request or an edit, and evicts others.
func (d *documents) used(u uri.URI) {
	for _, doc := range d.evicted(u) {
		doc.release()
	}
}

// looked marks a document as read without a request. It stays cached only if it fits without evicting others.
func (d *documents) looked(u uri.URI) {
	if doc := d.uncached(u); doc != nil {
		doc.release()
	}
}

// release drops everything but the text.
func (d *document) release() {
	d.text.Release()
	d.outline.Release()
	d.graphed.release()
}

// uncached makes a document the least recently used one. It returns the document if it does not fit.
func (d *documents) uncached(u uri.URI) *document {
	d.mu.Lock()
	defer d.mu.Unlock()
	doc := d.open[u]
	if doc == nil || slices.Contains(d.recent, u) {
		return nil
	}
	size := doc.text.Len()
	for _, other := range d.recent {
		if o := d.open[other]; o != nil {
			size += o.text.Len()
		}
	}
	if size > keptSize && len(d.recent) >= keptDocuments {
		return doc
	}
	d.recent = append(d.recent, u)
	return nil
}

// evicted makes a document the most recently used one and returns those to evict.
func (d *documents) evicted(u uri.URI) (evict []*document) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.recent) > 0 && d.recent[0] == u {
		return nil
	}
	before := d.recent
	d.recent = []uri.URI{u}
	size := 0
	if doc := d.open[u]; doc != nil {
		size = doc.text.Len()
	}
	for _, other := range before {
		doc := d.open[other]
		if other == u || doc == nil {
			continue
		}
		if size += doc.text.Len(); size > keptSize && len(d.recent) >= keptDocuments {
			evict = append(evict, doc)
			continue
		}
		d.recent = append(d.recent, other)
	}
	return evict
}
