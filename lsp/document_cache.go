package lsp

import (
	"slices"

	"go.lsp.dev/uri"
)

// What was made of a document for answers, such as its token index, takes as much as half of its text again, and
// is made anew within what opening it takes. It is kept of the documents that were asked about last: of the
// keptDocuments newest in any case, of others as long as all of them together have keptSize bytes.
const (
	keptDocuments = 4
	keptSize      = 8 << 20
)

// used notes that a document was asked about or edited, and lets others rest for it.
func (d *documents) used(u uri.URI) {
	for _, doc := range d.crowdedOut(u) {
		doc.rest()
	}
}

// looked notes that a document was looked at though nobody asked about it: it is kept where there is room beside
// those that were.
func (d *documents) looked(u uri.URI) {
	if doc := d.withoutRoom(u); doc != nil {
		doc.rest()
	}
}

// rest lets go of all but the text.
func (d *document) rest() {
	d.text.Rest()
	d.outline.Rest()
}

// withoutRoom puts a document behind those that were used. It returns the document if there is no room.
func (d *documents) withoutRoom(u uri.URI) *document {
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

// crowdedOut puts a document before those that were used earlier, and returns those that rest for it.
func (d *documents) crowdedOut(u uri.URI) (resting []*document) {
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
			resting = append(resting, doc)
			continue
		}
		d.recent = append(d.recent, other)
	}
	return resting
}
