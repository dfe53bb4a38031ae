package lsp

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
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
		cost, sections = doc.text.Count(tokens.O200kBase.Counter(), 0, doc.text.Len()).N, doc.outline.Len()
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
	for i := range 20 { // many small ones fit
		use(open(fmt.Sprint("small", i), 1000))
	}
	if len(d.recent) != 20+3 {
		t.Errorf("what is kept is of %d documents", len(d.recent))
	}
}

// TestDocumentsRestWhileTheyAreReadAndEdited reads and edits documents, and lets them rest, all at once. Packages text
// and outline start no goroutine: the race detector watches them here.
func TestDocumentsRestWhileTheyAreReadAndEdited(t *testing.T) {
	const line, rounds = "Some words.\n", 500
	var d documents
	var all []uri.URI
	for i := range keptDocuments {
		doc := document{uri: uri.URI(fmt.Sprint("untitled:", i)), language: outline.Markdown}
		d.put(doc.with(1, text.New(tokens.O200kBase, []byte("# T\n"+strings.Repeat(line, 50)))))
		all = append(all, doc.uri)
	}
	var over atomic.Bool
	var working sync.WaitGroup
	meanwhile := func(do func(doc *document)) {
		working.Go(func() {
			for i := 0; !over.Load(); i++ {
				do(d.get(all[i%len(all)]))
			}
		})
	}
	read := func(doc *document) {
		raw := doc.text.Bytes(0, doc.text.Len())
		n, lines := doc.text.Count(tokens.O200kBase.Counter(), 0, len(raw)).N, doc.text.Lines()
		if n != tokens.O200kBase.Count(raw) || doc.outline.Len() != 1 || lines != strings.Count(string(raw), "\n")+1 {
			t.Errorf("%d bytes have %d tokens, %d sections and %d lines", len(raw), n, doc.outline.Len(), lines)
		}
	}
	meanwhile(read)
	meanwhile(read)
	meanwhile((*document).release)
	meanwhile((*document).release)
	meanwhile(func(doc *document) { d.used(doc.uri) })
	meanwhile(func(doc *document) { d.looked(doc.uri) })
	second := text.Position{Line: 1}
	for i := range rounds {
		read(d.edit(all[i%len(all)], func(doc *document) *document {
			return doc.edited(text.Range{Start: second, End: second}, line)
		}))
	}
	over.Store(true)
	working.Wait()
}
