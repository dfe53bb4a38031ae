package ctxlsp

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"ctxledger.dev/internal/testonly/scriptededitor"
	"ctxledger.dev/tokens"
)

const guide = "# Guide\nA text.\n\n## Install\nRun `make`, then 😀 wait.\n\n## Use\nRead it.\n"

// count is what is said of a text alone.
func count(text string) string {
	return tokens.Count{N: tokens.O200kBase.CountString(text)}.String() + " tokens"
}

// unread is the lens of a file that no session has read.
func unread(text string) string {
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = fmt.Sprintf("%d\t%s", i+1, lines[i])
	}
	read, _, _ := strings.Cut(count(strings.Join(lines, "\n")), " ")
	return count(text) + " in file · " + read + " when read"
}

func TestEveryFeatureCountsWhatItShows(t *testing.T) {
	s := newPlace(t).start(t)
	s.initialize(t)
	const uri = "untitled:guide"
	must(t, s.Open(uri, "markdown", guide))
	if got := s.cost(t, uri); got != count(guide) {
		t.Errorf("the lens says %q, not %q", got, count(guide))
	}
	install := "## Install\nRun `make`, then 😀 wait."
	for name, c := range map[string]struct {
		method string
		more   map[string]any
		want   []string
	}{
		"hover on a heading": {"textDocument/hover",
			map[string]any{"position": map[string]int{"line": 3, "character": 4}},
			[]string{"markdown", " · " + count(install), "tokens, counted on its own",
				`"start":{"line":3,"character":3},"end":{"line":3,"character":10}`}},
		"hover on a word": {"textDocument/hover",
			map[string]any{"position": map[string]int{"line": 4, "character": 23}}, []string{count(install)}},
		"symbols": {"textDocument/documentSymbol", nil,
			[]string{`"name":"Guide"`, `"children":[{"name":"Install"`,
				`"detail":"` + strings.Fields(count(install))[0] + `"`}},
		"hints": {"textDocument/inlayHint",
			map[string]any{"range": scriptededitor.Range{End: scriptededitor.Position{Line: 5}}},
			[]string{`{"position":{"line":3,"character":10},"label":"` + count(install) + `"`}},
		"folding": {"textDocument/foldingRange", nil,
			[]string{`"startLine":0,"endLine":7`, `"startLine":3,"endLine":4`}},
		"action": {"textDocument/codeAction",
			map[string]any{"context": map[string]any{"diagnostics": []any{}},
				"range": scriptededitor.Range{Start: scriptededitor.Position{Line: 3},
					End: scriptededitor.Position{Line: 4, Character: 25}}},
			[]string{"selection: " + count(install), `"kind":"source.ctxledger.count"`,
				"ctxledger.server.countSelection"}},
	} {
		raw := string(ask[json.RawMessage](t, s, c.method, uri, c.more))
		for _, want := range c.want {
			if !strings.Contains(raw, want) {
				t.Errorf("%s: %s lacks %s", name, raw, want)
			}
		}
	}
	s.leave(t)
}
