package ctxlsp

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ctxledger.dev/internal/testonly/scriptededitor"
	"ctxledger.dev/tokens"
)

// counted is what counting a workspace answers.
type counted struct {
	Said                  string
	Files, Tokens, Failed int
	Directories           []directory
}

type directory struct {
	Path          string
	Files, Tokens int
}

// inWorkspace begins a session in a workspace.
func (s *server) inWorkspace(t *testing.T, p place, settings map[string]any) {
	t.Helper()
	_, err := s.Initialize(s.ctx, capable, settings,
		map[string]any{"workspaceFolders": []any{map[string]any{"uri": p.uri(""), "name": "x"}}})
	must(t, err)
}

// put writes a file of the place.
func (p place) put(t *testing.T, name, content string) {
	t.Helper()
	file := filepath.Join(p.Root, name)
	must(t, os.MkdirAll(filepath.Dir(file), 0o755))
	must(t, os.WriteFile(file, []byte(content), 0o644))
}

func TestAWorkspaceIsCountedOnRequest(t *testing.T) {
	p := newPlace(t)
	p.put(t, "a.md", guide)
	p.put(t, "src/b.go", "package b\n")
	p.put(t, "src/ignored.txt", guide)
	p.put(t, ".gitignore", "ignored.txt\n")
	p.put(t, "image", "\x00\x01")
	s := p.start(t)
	s.inWorkspace(t, p, everything)
	var got counted
	must(t, s.Call(s.ctx, "workspace/executeCommand", map[string]any{"command": "ctxledger.server.countWorkspace"},
		&got))
	want := tokens.O200kBase.CountString(guide) + tokens.O200kBase.CountString("package b\n") +
		tokens.O200kBase.CountString("ignored.txt\n")
	if got.Files != 3 || got.Tokens != want || got.Failed > 0 {
		t.Errorf("counted %+v, not %d tokens in 3 files", got, want)
	}
	src := directory{"src", 1, tokens.O200kBase.CountString("package b\n")}
	rows := []directory{{".", 2, want - src.Tokens}, src}
	if !slices.Equal(got.Directories, rows) {
		t.Errorf("directories %+v, want %+v", got.Directories, rows)
	}
	said := fmt.Sprintf("%s: ≈%d tokens in 3 files", filepath.Base(p.Root), want)
	shown := func(told []scriptededitor.Message) (n int) {
		for _, m := range told {
			if m.Method == "window/showMessage" && strings.Contains(string(m.Params), said) {
				n++
			}
		}
		return n
	}
	told, err := s.Until(s.ctx,
		func(told []scriptededitor.Message) bool { return len(kinds(told)) >= 2 && shown(told) > 0 })
	must(t, err)
	if k := kinds(told); k[0] != "begin" || k[len(k)-1] != "end" {
		t.Errorf("progress was %v", k)
	}
	got = counted{}
	must(t, s.Call(s.ctx, "workspace/executeCommand", map[string]any{"command": "ctxledger.server.countWorkspace",
		"arguments": []any{map[string]any{"quiet": true}}}, &got))
	told, err = s.Until(s.ctx, func([]scriptededitor.Message) bool { return true })
	must(t, err)
	if n := shown(told); got.Said != said || n != 1 {
		t.Errorf("%q was said, and shown %d times, want %q once", got.Said, n, said)
	}
	s.leave(t)
}

// kinds returns the kinds of the progress notifications.
func kinds(told []scriptededitor.Message) (list []string) {
	for _, m := range told {
		var p struct{ Value struct{ Kind string } }
		if m.Method == "$/progress" && json.Unmarshal(m.Params, &p) == nil {
			list = append(list, p.Value.Kind)
		}
	}
	return list
}

func TestCountingAWorkspaceCanBeGivenUp(t *testing.T) {
	p := newPlace(t)
	text := strings.Repeat("Many words that are counted. ", 40_000)
	for i := range 100 {
		p.put(t, fmt.Sprintf("%d.txt", i), text)
	}
	for name, give := range map[string]func(s *server, id int) error{
		"by its request": func(s *server, id int) error {
			return s.Notify("$/cancelRequest", map[string]any{"id": id})
		},
		"by its progress": func(s *server, _ int) error {
			return s.Notify("window/workDoneProgress/cancel", map[string]any{"token": "mine"})
		},
	} {
		s := p.start(t)
		s.inWorkspace(t, p, everything)
		call, err := s.Begin("workspace/executeCommand",
			map[string]any{"command": "ctxledger.server.countWorkspace", "workDoneToken": "mine"})
		must(t, err)
		_, err = s.Until(s.ctx, func(told []scriptededitor.Message) bool { return len(kinds(told)) > 0 })
		must(t, err)
		began := time.Now()
		must(t, give(s, call.ID))
		err = call.Wait(s.ctx, nil)
		if wire, ok := errors.AsType[*scriptededitor.Error](err); !ok || wire.Code != -32800 {
			t.Errorf("%s: %v", name, err)
		}
		t.Logf("%s: given up after %v", name, time.Since(began))
		s.leave(t)
	}
}

func TestFindingsAreReportedWhereTheyAreChosen(t *testing.T) {
	p := newPlace(t)
	p.put(t, ".gitignore", "gen/\n")
	long := "# T\n" + strings.Repeat("y", 2001) + "\n"
	large, larger := strings.Repeat("These are words.\n", 7_000), strings.Repeat("These are words.\n", 16_000)
	for _, c := range []struct {
		name, file, text, code string // "": nothing is found
		want                   string
	}{
		{"a long line", "a.md", long, "long-lines", "2,001 characters"},
		{"a large file", "b.txt", large, "large-read", "28,000 tokens, the limit is 25,000"},
		{"a larger file", "b.txt", larger, "large-read", "refuses to read all of this file"},
		{"a generated file", "c.go", "// Code generated by x. DO NOT EDIT.\n\npackage c\n", "generated", ".gitignore"},
		{"vendored", "vendor/d.go", "package d\n", "generated", "Vendored code"},
		{"generated and ignored", "gen/c.go", "// Code generated by x. DO NOT EDIT.\n\npackage c\n", "", ""},
		{"nothing", "e.md", guide, "", ""},
	} {
		for _, pull := range []bool{false, true} {
			s := p.start(t)
			can := map[string]any{}
			if pull {
				can["textDocument"] = map[string]any{"diagnostic": map[string]any{}}
			}
			_, err := s.Initialize(s.ctx, can,
				map[string]any{"diagnostics": []string{"generated", "large-read", "long-lines", "stale-read"}, "lens": "always",
					"live": false},
				map[string]any{"rootUri": p.uri("")})
			must(t, err)
			uri := p.uri(c.file)
			must(t, s.Open(uri, "go", c.text))
			found := s.findings(t, uri, pull, c.code != "")
			if (c.code == "") != (found == "[]") || !strings.Contains(found, c.want) ||
				!strings.Contains(found, c.code) {
				t.Errorf("%s, pull %v: %s", c.name, pull, found)
			}
			if c.code != "" && c.name != "vendored" && !pull { // an edit that fixes it
				end := scriptededitor.Position{Line: 99_999}
				must(t, s.Change(uri, 2, scriptededitor.Range{End: end}, "fine\n"))
				_, err := s.Until(s.ctx, func(told []scriptededitor.Message) bool {
					return strings.Contains(published(told, uri), `"diagnostics":[]`)
				})
				must(t, err)
			}
			s.leave(t)
		}
	}
}

// findings returns what is reported of a document, as JSON.
func (s *server) findings(t *testing.T, uri string, pull, some bool) string {
	t.Helper()
	if pull {
		return string(ask[struct{ Items json.RawMessage }](t, s, "textDocument/diagnostic", uri, nil).Items)
	}
	if !some { // a notification would arrive before the answer to a request after a pause
		must(t, s.Open("untitled:long", "x", strings.Repeat("z", 2001)))
		_, err := s.Until(s.ctx,
			func(told []scriptededitor.Message) bool { return published(told, "untitled:long") != "" })
		must(t, err)
		told, err := s.Until(s.ctx, func([]scriptededitor.Message) bool { return true })
		must(t, err)
		if p := published(told, uri); p != "" {
			return p
		}
		return "[]"
	}
	told, err := s.Until(s.ctx, func(told []scriptededitor.Message) bool { return published(told, uri) != "" })
	must(t, err)
	return published(told, uri)
}

// published returns what was published last for a document.
func published(told []scriptededitor.Message, uri string) (last string) {
	for _, m := range told {
		if m.Method == "textDocument/publishDiagnostics" && strings.Contains(string(m.Params), uri) {
			last = string(m.Params)
		}
	}
	return last
}

// TestADirectoryIsIgnoredOnRequest: the editor gets an edit of .gitignore, in its own words for unusual names, and nothing
// else is taken for a directory.
func TestADirectoryIsIgnoredOnRequest(t *testing.T) {
	p := newPlace(t)
	p.put(t, "gen #1/deep/b.go", "package b\n")
	p.put(t, ".gitignore", "*.log")
	s := p.start(t)
	s.inWorkspace(t, p, everything)
	s.Answer("workspace/applyEdit", map[string]any{"applied": true})
	ignore := func(path any) error {
		return s.Call(s.ctx, "workspace/executeCommand", map[string]any{"command": "ctxledger.server.ignore",
			"arguments": []any{map[string]any{"path": path}}}, nil)
	}
	must(t, ignore("gen #1/deep"))
	named := func(m scriptededitor.Message) bool {
		return m.Method == "workspace/applyEdit" && strings.Contains(string(m.Params), `"newText":"\n/gen #1/deep/\n"`)
	}
	if calls := s.Calls(); !slices.ContainsFunc(calls, named) {
		t.Errorf("the editor was asked for %s", calls)
	}
	for _, wrong := range []any{"", ".", "..", "../other", "/etc", 7, "a\nb"} {
		if ignore(wrong) == nil {
			t.Errorf("%v is taken", wrong)
		}
	}
	s.Answer("workspace/applyEdit", map[string]any{"applied": false})
	if ignore("gen #1") == nil {
		t.Error("an edit that was not made is reported as made")
	}
	s.leave(t)
}
