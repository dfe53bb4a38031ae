package lsp

import (
	"fmt"
	"strings"
	"testing"

	"ctxledger.dev/internal/testonly/scriptededitor"
	"ctxledger.dev/tokens"
)

const tool = "import os\n\ndef first():\n    return os.name\n\ndef second():\n    return 'some words of a text'\n"

// lines returns the symbol of the lines from first to last, whose name begins at a unit of the first one.
func lines(name string, first, last, at int) map[string]any {
	position := func(line, character int) map[string]any { return map[string]any{"line": line, "character": character} }
	return map[string]any{"name": name, "kind": 12,
		"range":          map[string]any{"start": position(first, 0), "end": position(last, 1000)},
		"selectionRange": map[string]any{"start": position(first, at), "end": position(first, at+len(name))}}
}

// send sends the symbols of a version of a document.
func (f *fixture) send(t *testing.T, uri string, version int, symbols ...map[string]any) {
	t.Helper()
	err := f.Notify("ctxledger/symbols", map[string]any{
		"textDocument": map[string]any{"uri": uri, "version": version}, "symbols": symbols})
	if err != nil {
		t.Fatal(err)
	}
}

// hints returns the hints of a document: line and label.
func (f *fixture) hints(t *testing.T, uri string) (list []string) {
	t.Helper()
	var hints []struct {
		Position scriptededitor.Position
		Label    string
	}
	all := map[string]any{"range": scriptededitor.Range{End: scriptededitor.Position{Line: 1 << 20}}}
	if err := f.Call(f.ctx, "textDocument/inlayHint", scriptededitor.Document(uri, all), &hints); err != nil {
		t.Fatal(err)
	}
	for _, h := range hints {
		list = append(list, fmt.Sprintf("%d %s", h.Position.Line, h.Label))
	}
	return list
}

// TestSectionsAreTheSymbolsOfTheEditor: to add a case, add a row.
func TestSectionsAreTheSymbolsOfTheEditor(t *testing.T) {
	cost := func(line int, text string) string {
		return fmt.Sprintf("%d ≈%d tokens", line, tokens.O200kBase.CountString(text))
	}
	first, second := "def first():\n    return os.name\n\n", "def second():\n    return 'some words of a text'\n"
	both := []map[string]any{lines("first", 2, 3, 4), lines("second", 5, 6, 4)}
	blocks := []string{cost(2, first), cost(5, second)} // by indentation they are the same
	whole := "import os\n\n" + first
	many := make([]map[string]any, 0, maxSymbols+1)
	for range maxSymbols {
		many = append(many, lines("", 9_999_999, 9_999_999, 0))
	}
	for _, c := range []struct {
		name, uri, language string
		version             int
		symbols             []map[string]any
		want                []string
	}{
		{"of this version", "untitled:a.py", "python", 1, both[1:], blocks[1:]},
		{"larger than a block", "untitled:a.py", "python", 1, []map[string]any{lines("import", 0, 3, 0)},
			[]string{cost(0, whole)}},
		{"of an older version", "untitled:a.py", "python", 0, both[1:], blocks},
		{"of a newer version", "untitled:a.py", "python", 2, both[1:], blocks},
		{"of Go", "untitled:a.go", "go", 1, both[1:], nil},
		{"of Markdown", "untitled:a.md", "markdown", 1, both[1:], nil},
		{"none", "untitled:a.py", "python", 1, nil, blocks},
		{"outside the text", "untitled:a.py", "python", 1,
			[]map[string]any{lines("x", 4_000_000_000, 4_000_000_000, 4)}, blocks},
		{"as many as are taken", "untitled:a.py", "python", 1, append(many[1:], both[1]), blocks[1:]},
		{"one more", "untitled:a.py", "python", 1, append(many[:maxSymbols:maxSymbols], both[1]), blocks},
	} {
		f := newFixture(t, nil)
		f.initialize(t)
		if err := f.Open(c.uri, c.language, tool); err != nil {
			t.Fatal(err)
		}
		f.send(t, c.uri, c.version, c.symbols...)
		if got := f.hints(t, c.uri); strings.Join(got, "; ") != strings.Join(c.want, "; ") {
			t.Errorf("%s: hints are %q, not %q", c.name, got, c.want)
		}
	}
}

// TestSymbolsMoveUntilThereAreNewOnes edits a document whose symbols were sent, and wants the client to be told about
// hints only when other sections are sent.
func TestSymbolsMoveUntilThereAreNewOnes(t *testing.T) {
	f := newFixture(t, nil)
	can := map[string]any{"workspace": map[string]any{"inlayHint": map[string]any{"refreshSupport": true}}}
	if _, err := f.Initialize(f.ctx, can, everything, nil); err != nil {
		t.Fatal(err)
	}
	const uri = "untitled:a.py"
	if err := f.Open(uri, "python", tool); err != nil {
		t.Fatal(err)
	}
	const text = "def second():\n    return 'some words of a text'\n"
	second := fmt.Sprintf("≈%d tokens", tokens.O200kBase.CountString(text))
	has := func(line int) {
		t.Helper()
		if got := f.hints(t, uri); len(got) != 1 || got[0] != fmt.Sprintf("%d %s", line, second) {
			t.Fatalf("hints are %q, not of line %d", got, line)
		}
	}
	f.send(t, uri, 1, lines("second", 5, 6, 4))
	has(5)
	refreshed := func(times int) {
		t.Helper()
		for f.ctx.Err() == nil && f.Asked("workspace/inlayHint/refresh") < times {
			f.sync(t)
		}
		if got := f.Asked("workspace/inlayHint/refresh"); got != times {
			t.Errorf("hints are refreshed %d times, not %d", got, times)
		}
	}
	refreshed(1)
	if err := f.Change(uri, 2, scriptededitor.Range{}, "import re\n"); err != nil {
		t.Fatal(err)
	}
	has(6)
	f.send(t, uri, 2, lines("second", 6, 7, 4)) // the same, as it was moved
	has(6)
	f.send(t, uri, 1, lines("first", 2, 3, 4)) // of the text before
	has(6)
	f.send(t, uri, 2)
	refreshed(2) // and not for what was the same
	if got := f.hints(t, uri); len(got) != 2 {
		t.Errorf("without symbols hints are %q", got)
	}
	f.send(t, uri, 2, lines("second", 6, 7, 4))
	err := f.Notify("workspace/didChangeConfiguration", map[string]any{"settings": map[string]any{"model": "gpt-4"}})
	if err != nil {
		t.Fatal(err)
	}
	if got := f.hints(t, uri); len(got) != 1 { // with another encoding they are still there
		t.Errorf("for another model hints are %q", got)
	}
}
