package lsp

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"go.lsp.dev/jsonrpc2"

	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/testonly/scriptededitor"
	"ctxledger.dev/lsp/live"
	"ctxledger.dev/lsp/text"
	"ctxledger.dev/tokens"
)

// TestCountsAreThoseOfTheModel changes the model of an open document: by the settings, and by the live session.
func TestCountsAreThoseOfTheModel(t *testing.T) {
	const text = "Grüße aus Köln, 你好世界 and some words.\n"
	o200k, cl100k := tokens.O200kBase.CountString(text), tokens.CL100kBase.CountString(text)
	if o200k == cl100k {
		t.Fatal("the text shows no difference")
	}
	f := newFixture(t, nil)
	f.initialize(t)
	if err := f.Open("untitled:x", "markdown", text); err != nil {
		t.Fatal(err)
	}
	said := func() string {
		var lenses []struct{ Command struct{ Title string } }
		err := f.Call(f.ctx, "textDocument/codeLens", scriptededitor.Document("untitled:x", nil), &lenses)
		if err != nil {
			t.Fatal(err)
		}
		return lenses[0].Command.Title
	}
	exact := func(n int) string { return tokens.Count{N: n, Exact: true}.String() + " tokens" }
	for _, c := range []struct {
		name, settings, session, want string
	}{
		{"no model", "", "", "≈" + exact(o200k)},
		{"that of the live session", "", "gpt-4", exact(cl100k)},
		{"another one", "", "gpt-5", exact(o200k)},
		{"one that is estimated", "", "claude-opus-4-6", "≈"},
		{"the settings go first", "gpt-4", "gpt-5", exact(cl100k)},
	} {
		f.update(func(k *snapshot) {
			k.settings.Model = c.settings
			k.live = live.State{Session: "s", Model: c.session}
		})
		if got := said(); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %q, not %q", c.name, got, c.want)
		}
		if err := f.Change("untitled:x", 2, scriptededitor.Range{}, ""); err != nil { // later edits have that encoding
			t.Fatal(err)
		}
		if got := said(); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s, after an edit: %q, not %q", c.name, got, c.want)
		}
	}
}

// TestAFileOfASessionCountsAsItsModelDoes: what is said of the copy that a session has counted as the model of the settings
// does.
func TestAFileOfASessionCountsAsItsModelDoes(t *testing.T) {
	f := newFixture(t, nil)
	f.initialize(t)
	f.update(func(k *snapshot) {
		k.settings.Model = "gpt-4"
		k.live = live.State{Session: "s", Host: "claude-code", Model: "claude-opus-4-6",
			Files: map[string]live.File{"a.md": {Reads: 1}}}
	})
	for path, want := range map[string]string{"a.md": "claude-opus-4-6", "b.md": "gpt-4"} {
		d := &document{path: path, text: text.New(tokens.O200kBase, []byte("some words"))}
		if got := f.first().file(d).Meter.Counter.Model(); got != want {
			t.Errorf("%s counts for %q, not %q", path, got, want)
		}
	}
}

// TestADocumentThatIsOpenedWhileTheModelChanges is counted as all others are.
func TestADocumentThatIsOpenedWhileTheModelChanges(t *testing.T) {
	s := New(Options{Env: env.System()})
	open := methods()["textDocument/didOpen"]
	for round := range 3000 {
		model := []string{"gpt-4", "gpt-5"}[round%2]
		var changed sync.WaitGroup
		changed.Go(func() { s.update(func(k *snapshot) { k.settings.Model = model }) })
		_, err := open.accept(s,
			jsonrpc2.RawMessage(`{"textDocument":{"uri":"untitled:x","languageId":"plaintext","version":1,"text":"x"}}`))
		if err != nil {
			t.Fatal(err)
		}
		changed.Wait()
		got, want := s.documents.get("untitled:x").text.Encoding(), s.snapshot().meter.Counter.Encoding()
		if got != want {
			t.Fatalf("round %d: it is counted as for the model before", round)
		}
	}
}

// TestAFileOnDiskIsToldFromItsOpenText: of a file that cannot be read, or is not in the workspace, nothing is known.
func TestAFileOnDiskIsToldFromItsOpenText(t *testing.T) {
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "a.md"), []byte("on disk"), 0o600); err != nil {
		t.Fatal(err)
	}
	f := &folder{workspace: Workspace{Root: root}}
	for name, want := range map[string]string{"a.md": "on disk", "gone.md": "gone", "/elsewhere/a.md": "", "": ""} {
		d := f.disk(name, tokens.O200kBase)
		got := map[bool]string{true: "gone"}[d.Gone]
		if d.Text != nil {
			got += string(d.Text.Bytes(0, d.Text.Len()))
		}
		if got != want {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// TestALinkHasWhatTheSessionDidWithItsFile: a file that the session read through a link had no lens, and neither had a link to
// one that it read.
func TestALinkHasWhatTheSessionDidWithItsFile(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a.md", "b.md"} {
		if err := os.WriteFile(filepath.Join(root, name), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(name, filepath.Join(root, "to-"+name)); err != nil {
			t.Skip("no links: ", err)
		}
	}
	if err := os.Symlink("/etc/hosts", filepath.Join(root, "out.md")); err != nil {
		t.Fatal(err)
	}
	f := newFixture(t, nil)
	f.initialize(t)
	s := f.first()
	s.workspace.Root = root
	s.takeLive(f.ctx, live.State{Session: "s", Files: map[string]live.File{
		"to-a.md": {Reads: 1}, "b.md": {Reads: 2}, "gone.md": {Reads: 4}, "out.md": {Reads: 5}}})
	x := text.New(tokens.O200kBase, []byte("x"))
	for path, want := range map[string]int{"to-a.md": 1, "a.md": 1, "b.md": 2, "to-b.md": 2, "gone.md": 4, "c.md": 0} {
		if got := s.file(&document{path: path, text: x}).Use.Reads; got != want {
			t.Errorf("%s was read %d times, want %d", path, got, want)
		}
	}
}

// TestWithoutAModelNoFigureIsExact: hovers said ≈23 tokens, and the lens above them, hints and the status bar said 23.
func TestWithoutAModelNoFigureIsExact(t *testing.T) {
	f := newFixture(t, nil)
	f.initialize(t)
	const uri = "untitled:x"
	if err := f.Open(uri, "markdown", "# A\n\nSome words.\n\n## B\n\nMore.\n"); err != nil {
		t.Fatal(err)
	}
	place := map[string]any{"line": 0, "character": 2}
	all := map[string]any{"start": place, "end": map[string]any{"line": 9, "character": 0}}
	unmarked := regexp.MustCompile(`(^|[^≈\d,])[1-9][\d,]* tokens|"detail":"[1-9]|"exact":true`)
	for method, more := range map[string]map[string]any{
		"textDocument/codeLens": nil, "textDocument/documentSymbol": nil, "textDocument/inlayHint": {"range": all},
		"textDocument/hover": {"position": place}, "ctxledger/cost": {"ranges": []any{}},
		"textDocument/codeAction": {"range": all, "context": map[string]any{"diagnostics": []any{}}},
	} {
		var said json.RawMessage
		if err := f.Call(f.ctx, method, scriptededitor.Document(uri, more), &said); err != nil {
			t.Fatal(err)
		}
		if unmarked.Match(said) || len(said) < 10 {
			t.Errorf("%s: %s", method, said)
		}
	}
}

// TestNoModelIsSaidToBeUnknownWhileSessionFilesAreRead: hovers did.
func TestNoModelIsSaidToBeUnknownWhileSessionFilesAreRead(t *testing.T) {
	f := newFixture(t, nil)
	f.initialize(t)
	const uri = "untitled:x"
	if err := f.Open(uri, "markdown", "# A\n\nSome words.\n"); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		now  live.State
		want string
	}{
		{live.State{Reading: true}, "counted in o200k_base while session files are being read"},
		{live.State{}, "counted in o200k_base, since no model is known"},
		{live.State{Reading: true, Model: "gpt-5"}, "counted for gpt-5, exactly"},
	} {
		f.first().takeLive(f.ctx, c.now)
		var said json.RawMessage
		err := f.Call(f.ctx, "textDocument/hover",
			scriptededitor.Document(uri, map[string]any{"position": map[string]any{"line": 0, "character": 2}}), &said)
		if err != nil || !strings.Contains(string(said), c.want) {
			t.Errorf("%s, %v, want %s", said, err, c.want)
		}
	}
}
