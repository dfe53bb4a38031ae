package lsp

import (
	"testing"

	"go.lsp.dev/uri"

	"ctxledger.dev/memory"
	"ctxledger.dev/records"
)

// FuzzAddressesAreSpelledAsEditorsDo: what we call a document an editor calls it too, so that it knows it again, and we
// know what it asks for.
func FuzzAddressesAreSpelledAsEditorsDo(f *testing.F) {
	for _, s := range []string{"a title.md", "100% <b>?#", "C:\\x", "汉字 👩‍👩", "a/b", "..", "\u202e\x00"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, a := range []records.Address{
			{Kind: records.KindArtifact, ID: "9ca5eced9ac7", Title: s},
			{Kind: records.KindMemory, Scope: memory.User, ID: s},
		} {
			ours := a.String()
			if _, err := records.Parse(ours); err != nil {
				continue // no text that a ledger has
			}
			theirs, err := uri.Parse(ours)
			if err != nil || string(theirs) != ours {
				t.Fatalf("%s is %s to an editor, %v", ours, theirs, err)
			}
			if got, err := records.Parse(string(theirs)); err != nil || got != a {
				t.Fatalf("%+v came back as %+v, %v", a, got, err)
			}
		}
	})
}
