package ctxlsp

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ctxledger.dev/internal/testonly/scriptededitor"
	"ctxledger.dev/tokens"
)

// TestDocumentsOfAnyKindAreCounted opens what editors rarely do.
func TestDocumentsOfAnyKindAreCounted(t *testing.T) {
	s := serve(t, newPlace(t).Forever(binary, "--stdio"))
	s.ctx = t.Context() // 64 megabytes are counted here and there, slowly on a busy machine
	s.initialize(t)
	for name, text := range map[string]string{
		"empty": "", "one character": "x", "only line ends": strings.Repeat("\r\n", 1000),
		"one long line": strings.Repeat("word ", 200_000),
		"binary":        "\x00\x01\x02PNG\ufffd\ufffd", "combining marks": strings.Repeat("e\u0301", 10_000),
		"right to left": "שלום עולם\n", "separators": "a\u2028b\u2029c\u0085",
		"ten megabytes": strings.Repeat("All work and no play. ", 500_000),
		"conflict":      "<<<<<<< a\n=======\n>>>>>>> b\n",
		"no line end":   "# A\ntext", "mixed line ends": "# A\r\nb\rc\n\r\n# D", "astral": "😀𝔘𝔫𝔦\n# 𐐷\n",
		"nothing but zeros": strings.Repeat("\x00", 5000),
		"a diff of a diff":  "--- a\n+++ b\n@@ -1,2 +1,2 @@\n---- c\n-+++ d\n+--- e\n",
		"64 megabytes":      strings.Repeat("0123456 ", 8<<20),
	} {
		uri := "untitled:" + strings.ReplaceAll(name, " ", "-")
		must(t, s.Open(uri, "markdown", text))
		got := s.cost(t, uri)
		want := tokens.Count{N: tokens.O200kBase.CountString(text)}.String()
		if !strings.HasPrefix(got, want+" token") {
			t.Errorf("%s: %q, not %s tokens", name, got, want)
		}
		if strings.HasSuffix(name, "megabytes") && !strings.Contains(got, "too large to show more") {
			t.Errorf("%s: %q does not say that there is no more", name, got)
		}
		for _, method := range []string{"documentSymbol", "foldingRange"} {
			ask[json.RawMessage](t, s, "textDocument/"+method, uri, nil)
		}
	}
	s.leave(t)
}

// TestChangesThatNoEditorShouldMakeHurtNobody sends ranges and versions that make no sense: positions are taken to the
// nearest one that there is, half an astral character becomes what editors show of it, versions are as they come.
func TestChangesThatNoEditorShouldMakeHurtNobody(t *testing.T) {
	s := newPlace(t).start(t)
	s.initialize(t)
	const before = "a😀b\nsecond\n"
	at := func(line, character uint32) scriptededitor.Position {
		return scriptededitor.Position{Line: line, Character: character}
	}
	for i, c := range []struct {
		name    string
		from    scriptededitor.Position
		to      scriptededitor.Position
		version int
		want    string
	}{
		{"past the end", at(99, 0), at(99, 9), 2, before + "X"},
		{"past the end of a line", at(0, 99), at(0, 99), 2, "a😀bX\nsecond\n"},
		{"the end first", at(1, 6), at(1, 0), 2, "a😀b\nX\n"},
		{"inside of a surrogate pair", at(0, 2), at(0, 2), 2, "a\ufffdX\ufffdb\nsecond\n"},
		{"the version again", at(0, 0), at(0, 1), 1, "X😀b\nsecond\n"},
		{"an earlier version", at(0, 0), at(0, 1), -7, "X😀b\nsecond\n"},
		{"a version far ahead", at(0, 0), at(0, 1), 1 << 30, "X😀b\nsecond\n"},
	} {
		uri := fmt.Sprintf("untitled:change-%d", i)
		must(t, s.Open(uri, "markdown", before))
		must(t, s.Change(uri, c.version, scriptededitor.Range{Start: c.from, End: c.to}, "X"))
		if got := s.cost(t, uri); got != count(c.want) {
			t.Errorf("%s: %q, not %q", c.name, got, count(c.want))
		}
	}
	must(t, s.Change("untitled:never", 2, scriptededitor.Range{}, "X")) // before it is opened
	must(t, s.Open("untitled:twice", "markdown", "old"))
	must(t, s.Open("untitled:twice", "markdown", before)) // the later one counts
	if got := s.cost(t, "untitled:twice"); got != count(before) {
		t.Errorf("opened twice: %q", got)
	}
	for range 2 {
		must(t, s.Notify("textDocument/didClose", scriptededitor.Document("untitled:twice", nil)))
	}
	if got := ask[json.RawMessage](t, s, "textDocument/codeLens", "untitled:twice", nil); string(got) != "null" {
		t.Errorf("closed twice: %s", got)
	}
	s.leave(t)
}

// TestFilesThatVanishHurtNobody takes the file of an open document away: the document is what the editor has.
func TestFilesThatVanishHurtNobody(t *testing.T) {
	for name, vanish := range map[string]func(t *testing.T, p place, file string){
		"nothing happens": func(*testing.T, place, string) {},
		"deleted":         func(t *testing.T, _ place, file string) { must(t, os.Remove(file)) },
		"renamed":         func(t *testing.T, _ place, file string) { must(t, os.Rename(file, file+".new")) },
		"a directory in its place": func(t *testing.T, _ place, file string) {
			must(t, os.Remove(file))
			must(t, os.MkdirAll(filepath.Join(file, "more"), 0o755))
		},
		"a link that leads to itself": func(t *testing.T, _ place, file string) {
			must(t, os.Remove(file))
			must(t, os.Symlink(file, file))
		},
		"binary now": func(t *testing.T, _ place, file string) {
			must(t, os.WriteFile(file, []byte("\x00\x01"), 0o644))
		},
		"the workspace removed": func(t *testing.T, p place, _ string) { must(t, os.RemoveAll(p.Root)) },
		"a file as the workspace": func(t *testing.T, p place, _ string) {
			must(t, os.RemoveAll(p.Root))
			must(t, os.WriteFile(p.Root, nil, 0o644))
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			p.put(t, "gen/a.go", "// Code generated by x. DO NOT EDIT.\npackage a\n\nfunc F() {\n}\n")
			p.StopDaemons(t)
			s := p.start(t)
			s.inWorkspace(t, p, map[string]any{"lens": "always", "hover": "always", "symbols": true, "status": true,
				"diagnostics": []string{"generated", "long-lines"}})
			file := filepath.Join(p.Root, "gen", "a.go")
			raw, err := os.ReadFile(file)
			must(t, err)
			uri := p.uri("gen/a.go")
			must(t, s.Open(uri, "go", string(raw)))
			works := func(text string) {
				t.Helper()
				if got := s.cost(t, uri); got != count(text) {
					t.Errorf("the lens says %q, not %q", got, count(text))
				}
				if got := ask[json.RawMessage](t, s, "textDocument/documentSymbol", uri,
					nil); !strings.Contains(string(got), `"F"`) {
					t.Errorf("the symbols are %s", got)
				}
			}
			works(string(raw))
			vanish(t, p, file)
			works(string(raw))
			must(t, s.Change(uri, 2, scriptededitor.Range{}, "// "+strings.Repeat("z", 2500)+"\n"))
			works("// " + strings.Repeat("z", 2500) + "\n" + string(raw))
			_, err = s.Until(s.ctx, func(told []scriptededitor.Message) bool {
				return strings.Contains(published(told, uri), "long-lines")
			})
			must(t, err)
			must(t, s.Open(uri+".new", "go", string(raw))) // what a renamed one becomes
			must(t, s.Notify("textDocument/didClose", scriptededitor.Document(uri, nil)))
			uri += ".new"
			works(string(raw))
			var sum json.RawMessage
			if err := s.Call(s.ctx, "workspace/executeCommand",
				map[string]any{"command": "ctxledger.server.countWorkspace"}, &sum); err != nil &&
				!strings.HasPrefix(err.Error(), "-328") {
				t.Errorf("counting the workspace: %s, %v", sum, err)
			}
			works(string(raw))
			s.leave(t)
		})
	}
}
