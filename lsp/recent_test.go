package lsp

import (
	"fmt"
	"strings"
	"testing"

	"go.lsp.dev/uri"

	"ctxledger.dev/lsp/outline"
	"ctxledger.dev/lsp/text"
	"ctxledger.dev/tokens"
)

// TestDocumentsThatNobodyAsksAboutRest uses documents one after the other.
func TestDocumentsThatNobodyAsksAboutRest(t *testing.T) {
	var d documents
	open := func(name string, size int) uri.URI {
		raw := []byte("# T\n" + strings.Repeat("Some words.\n", size/12))
		doc := document{uri: uri.URI("untitled:" + name), language: outline.Markdown}
		d.put(doc.with(1, text.New(tokens.O200kBase, raw)))
		return doc.uri
	}
	use := func(u uri.URI) (cost, sections int) {
		doc := d.get(u)
		cost, sections = doc.text.Count(0, doc.text.Len()), doc.outline.Len()
		d.used(u)
		return cost, sections
	}
	var all []uri.URI
	for i := range 10 {
		all = append(all, open(fmt.Sprint(i), keptSize/4))
	}
	cost, _ := use(all[0])
	for range 2 { // those that rest have what they had
		for _, u := range all {
			if c, n := use(u); c != cost || n != 1 {
				t.Fatalf("%s costs %d in %d sections, not %d in one", u, c, n, cost)
			}
		}
	}
	if len(d.recent) != keptDocuments || d.recent[0] != all[9] || d.recent[3] != all[6] {
		t.Errorf("what is kept is of %v", d.recent)
	}
	use(all[7])
	if d.recent[0] != all[7] || len(d.recent) != keptDocuments {
		t.Errorf("what is kept is of %v", d.recent)
	}
	d.close(all[7])
	for i := range 20 { // many small ones have room
		use(open(fmt.Sprint("small", i), 1000))
	}
	if len(d.recent) != 20+3 {
		t.Errorf("what is kept is of %d documents", len(d.recent))
	}
}
