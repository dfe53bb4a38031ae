package lsp

import (
	"reflect"
	"testing"

	"ctxledger.dev/internal/testonly/scriptededitor"
)

// TestAFoldLeavesTheLineOfTheDeclaration folds a function with a comment before it.
func TestAFoldLeavesTheLineOfTheDeclaration(t *testing.T) {
	f := newFixture(t, nil)
	f.initialize(t)
	const uri = "untitled:f"
	err := f.Open(uri, "go",
		"package p\n\n// F does.\n// Much.\nfunc F() {\n\tx()\n}\n\n// Two lines about\n// one.\nvar x int\n")
	if err != nil {
		t.Fatal(err)
	}
	type fold struct{ StartLine, EndLine int }
	var got []fold
	if err := f.Call(f.ctx, "textDocument/foldingRange", scriptededitor.Document(uri, nil), &got); err != nil {
		t.Fatal(err)
	}
	if want := []fold{{4, 6}}; !reflect.DeepEqual(got, want) {
		t.Errorf("folds are %v, not %v", got, want)
	}
}
