package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"go.lsp.dev/uri"

	"ctxledger.dev/carried"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/testonly/scriptededitor"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
)

// agentWorkspace is a workspace with a file that agents load, and what it imports.
func agentWorkspace(t *testing.T, configure ...func(*Server)) (f *fixture, claude string) {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{
		"CLAUDE.md": "# Shop\nSee @docs/rules.md and @docs/gone.md\n## Tests\nRun them all.\n", "docs/rules.md": "Never push.\n",
		"other.md": "# Other\n", ".mcp.json": `{"mcpServers": {"docs": {"command": "x"}}}`,
	} {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	f = newFixture(t, func(s *Server) {
		s.o.Env = env.System()
		s.o.Env.Home, s.o.Env.Lookup = t.TempDir(), func(string) string { return "" }
		s.o.Find = func([]string) (Workspace, error) { return Workspace{Root: root}, nil }
		for _, by := range configure {
			by(s)
		}
	})
	return f, filepath.Join(root, "CLAUDE.md")
}

// shows opens a file and returns the titles of its lenses.
func (f *fixture) shows(t *testing.T, path, text string) (u string, titles []string) {
	t.Helper()
	u = string(uri.File(path))
	err := f.Notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{"uri": u,
		"languageId": "markdown", "version": 1, "text": text}})
	if err != nil {
		t.Fatal(err)
	}
	return u, f.lenses(t, u)
}

func (f *fixture) lenses(t *testing.T, u string) (titles []string) {
	t.Helper()
	var lenses []struct{ Command struct{ Title string } }
	err := f.Call(f.ctx, "textDocument/codeLens", map[string]any{"textDocument": map[string]any{"uri": u}}, &lenses)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range lenses {
		titles = append(titles, l.Command.Title)
	}
	return titles
}

// TestAgentFilesAreShownByDefault: what they cost, what they import, what is wrong with them, and nothing on others.
func TestAgentFilesAreShownByDefault(t *testing.T) {
	f, claude := agentWorkspace(t)
	if err := f.Call(f.ctx, "initialize", map[string]any{"capabilities": map[string]any{}}, nil); err != nil {
		t.Fatal(err)
	}
	if err := f.Notify("initialized", map[string]any{}); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(claude)
	if err != nil {
		t.Fatal(err)
	}
	u, titles := f.shows(t, claude, string(raw))
	got := strings.Join(titles, "\n")
	// A file costs its path, too, which is as long as that of the temporary directory.
	if want := regexp.MustCompile(`^Claude Code: ≈[1-9]\d+ tokens in every request$`); !want.MatchString(got) {
		t.Errorf("the lenses are %q", titles)
	}
	// The hover explains that one figure, and has all others: of the file, and of the heading in its first line.
	var hover struct{ Contents struct{ Value string } }
	at := scriptededitor.Document(u, map[string]any{"position": map[string]any{"line": 0, "character": 3}})
	if err := f.Call(f.ctx, "textDocument/hover", at, &hover); err != nil {
		t.Fatal(err)
	}
	rest := regexp.MustCompile(`^` + got + ` \(estimated for the agent's usual models\)\n+counted as Claude Code sends it, with what the agent puts around the text\n+` +
		`≈[1-9]\d+ tokens with imports\n+longest section: Tests, \d\d% of the file\n+rough estimate, since no model is known\n+` +
		`the file itself: ≈(\d+) tokens, counted in o200k_base, since no model is known\n+` +
		"`Shop` · [^\n]+\n+100% of the file's ≈(\\d+) tokens, counted on its own$")
	// The file alone has one figure, that of the status bar.
	if m := rest.FindStringSubmatch(hover.Contents.Value); m == nil || m[1] != m[2] {
		t.Errorf("the hover is %q", hover.Contents.Value)
	}
	var links []struct {
		Target, Tooltip string
		Range           struct{ Start, End struct{ Line, Character int } }
	}
	of := map[string]any{"textDocument": map[string]any{"uri": u}}
	if err := f.Call(f.ctx, "textDocument/documentLink", of, &links); err != nil {
		t.Fatal(err)
	}
	if len(links) != 1 || !strings.HasSuffix(links[0].Target, "/docs/rules.md") || links[0].Range.Start.Line != 1 ||
		links[0].Range.Start.Character != 4 || links[0].Range.End.Character != 18 ||
		!strings.Contains(links[0].Tooltip, "tokens in every request of Claude Code") {
		t.Errorf("the links are %+v", links)
	}
	told, err := f.Until(f.ctx, func(told []scriptededitor.Message) bool {
		return count(told, "textDocument/publishDiagnostics") > 0
	})
	if err != nil {
		t.Fatal(err)
	}
	if said := string(told[len(told)-1].Params); !strings.Contains(said, `"missing-import"`) ||
		!strings.Contains(said, "there is no file docs/gone.md") {
		t.Errorf("published: %s", said)
	}
	if _, titles := f.shows(t, filepath.Join(filepath.Dir(claude), "other.md"), "# Other\n"); len(titles) > 0 {
		t.Errorf("a file that no agent loads has the lenses %q", titles)
	}
	_, titles = f.shows(t, filepath.Join(filepath.Dir(claude), ".mcp.json"), "{}")
	if !slices.Equal(titles, []string{"Claude Code: 1 MCP server, 0 once saved"}) {
		t.Errorf("the open text has no server, and the lenses are %q", titles)
	}
}

// TestWhatIsNotSavedIsInNoRequest: the lens counts what is on disk, and says apart what the open text will make of it,
// whose imports are the links.
func TestWhatIsNotSavedIsInNoRequest(t *testing.T) {
	f, claude := agentWorkspace(t)
	if _, err := f.Initialize(f.ctx, nil, nil, nil); err != nil {
		t.Fatal(err)
	}
	onDisk, err := os.ReadFile(claude)
	if err != nil {
		t.Fatal(err)
	}
	_, saved := f.shows(t, claude, string(onDisk))
	u, titles := f.shows(t, claude, "See @other.md")
	figure := strings.TrimPrefix(strings.Join(saved, ""), "Claude Code: ")
	want := regexp.MustCompile(`^` + figure + `, ≈\d+ once saved$`)
	if len(titles) != 1 || !strings.HasSuffix(figure, "tokens in every request") || !want.MatchString(titles[0]) {
		t.Errorf("the lenses are %q, saved %q", titles, saved)
	}
	var links []struct{ Target string }
	of := map[string]any{"textDocument": map[string]any{"uri": u}}
	if err := f.Call(f.ctx, "textDocument/documentLink", of, &links); err != nil || len(links) != 1 ||
		!strings.HasSuffix(links[0].Target, "/other.md") {
		t.Errorf("the links are %+v, %v", links, err)
	}
	var raw json.RawMessage
	if err := f.Call(f.ctx, "ctxledger/carried", map[string]any{}, &raw); err != nil {
		t.Fatal(err)
	}
	var r carried.Report
	if err := json.Unmarshal(raw, &r); err != nil || len(r.Hosts) != 1 {
		t.Fatalf("%v: %s", err, raw)
	}
	var names []string
	r.Hosts[0].Each(func(p *carried.Part) { names = append(names, p.Name) })
	if got := strings.Join(names, " "); got != "CLAUDE.md docs/rules.md docs" {
		t.Errorf("what is carried is %s", got)
	}
}

// TestAnImportThatChangesOnDiskIsCountedAnew: another program wrote it, and no document of it is open. So does one that was
// missing and appears.
func TestAnImportThatChangesOnDiskIsCountedAnew(t *testing.T) {
	f, claude := agentWorkspace(t)
	refreshes := map[string]any{"workspace": map[string]any{"codeLens": map[string]any{"refreshSupport": true}}}
	if _, err := f.Initialize(f.ctx, refreshes, nil, nil); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(claude)
	if err != nil {
		t.Fatal(err)
	}
	u, _ := f.shows(t, claude, string(raw))
	hovered := func() string {
		var h struct{ Contents struct{ Value string } }
		at := map[string]any{"position": map[string]any{"line": 0, "character": 3}}
		if err := f.Call(f.ctx, "textDocument/hover", scriptededitor.Document(u, at), &h); err != nil {
			t.Fatal(err)
		}
		imports := regexp.MustCompile(`\d+ tokens with imports`).FindString(h.Contents.Value)
		if imports == "" {
			t.Fatalf("the hover is %q", h.Contents.Value)
		}
		return imports
	}
	seen := []string{hovered()}
	for name, text := range map[string]string{
		"docs/rules.md": "Never push to main.\n", "docs/gone.md": "It is back.\n",
	} {
		asked := f.Asked("workspace/codeLens/refresh")
		path := filepath.Join(filepath.Dir(claude), filepath.FromSlash(name))
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := f.Until(f.ctx, func([]scriptededitor.Message) bool {
			return f.Asked("workspace/codeLens/refresh") > asked
		}); err != nil {
			t.Fatal(err)
		}
		if now := hovered(); slices.Contains(seen, now) {
			t.Errorf("after %s was written the hover still says %s", name, now)
		} else {
			seen = append(seen, now)
		}
	}
}

// TestAgentFilesCanBeSwitchedOff with one setting.
func TestAgentFilesCanBeSwitchedOff(t *testing.T) {
	f, claude := agentWorkspace(t)
	if _, err := f.Initialize(f.ctx, nil, map[string]any{"agentFiles": false}, nil); err != nil {
		t.Fatal(err)
	}
	if _, titles := f.shows(t, claude, "# Shop\n"); len(titles) > 0 {
		t.Errorf("the lenses are %q", titles)
	}
}

// TestWithoutASessionFilesAreCountedForTheNewest: the lens and the view have the figure of the command line, whose model
// is that of the newest recorded session, though it is too old to be followed, or none is by a setting. Where that
// setting leaves nothing to ask, the hover names what is counted for.
func TestWithoutASessionFilesAreCountedForTheNewest(t *testing.T) {
	for _, c := range []struct{ live, recorded bool }{{true, false}, {false, true}, {false, false}} {
		asked := c.live || c.recorded
		k := newKept(t)
		f, claude := agentWorkspace(t, func(s *Server) {
			find := s.o.Find
			s.o.Find = func(roots []string) (Workspace, error) {
				ws, err := find(roots)
				ws.Open, ws.Read, ws.Recorded = k.dial, k.dial, func() bool { return c.recorded }
				return ws, err
			}
		})
		_, err := k.AppendEntries(t.Context(), ledger.AppendEntriesRequest{Import: "i", Done: true, Next: 1,
			Session: sessions.Session{Host: "claude-code", HostID: "i"}, Entries: []sessions.NewEntry{{
				Kind: sessions.KindMessage, Time: time.Now().AddDate(0, 0, -5), Format: transcript.Anthropic,
				Model: "claude-sonnet-4-5", Original: []byte(`{"role":"assistant","content":"Yes."}`)}}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Initialize(f.ctx, nil, map[string]any{"live": c.live, "status": true}, nil); err != nil {
			t.Fatal(err)
		}
		if _, err := f.Until(f.ctx, func([]scriptededitor.Message) bool {
			return !asked || f.snapshot().live.Event > 0
		}); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(claude)
		if err != nil {
			t.Fatal(err)
		}
		u, titles := f.shows(t, claude, string(text))
		var r Carried
		if err := f.Call(f.ctx, "ctxledger/carried", map[string]any{}, &r); err != nil || len(r.Hosts) != 1 {
			t.Fatal(r, err)
		}
		var hover struct{ Contents struct{ Value string } }
		at := map[string]any{"position": map[string]any{"line": 0, "character": 3}}
		if err := f.Call(f.ctx, "textDocument/hover", scriptededitor.Document(u, at), &hover); err != nil {
			t.Fatal(err)
		}
		if err := f.first().early.Err(); !errors.Is(err, context.Canceled) {
			t.Errorf("%+v: first figures waited until %v", c, err)
		}
		want := "rough estimate, since no model is known"
		model := ""
		if asked {
			model, want = "claude-sonnet-4-5", "rough estimate for claude-sonnet-4-5, not calibrated yet"
		}
		figure := "Claude Code: " + r.Hosts[0].Parts[0].Carried.String() + " tokens in every request"
		if len(titles) != 1 || titles[0] != figure || !strings.Contains(figure, "≈") || r.Hosts[0].Model != model ||
			!r.Rough || !strings.Contains(hover.Contents.Value, want) {
			t.Errorf("%+v: the lenses are %q, the view has %s for %q, the hover is %q", c, titles, figure,
				r.Hosts[0].Model, hover.Contents.Value)
		}
	}
}

// TestAgentFilesAreCountedForTheModelOfNow: not for that of a moment ago, whose counts are used again for a second. A lens
// had the exact count of no model beside what it cost in the live session.
func TestAgentFilesAreCountedForTheModelOfNow(t *testing.T) {
	at := time.Now()
	f, claude := agentWorkspace(t, func(s *Server) { s.o.Env.Now = func() time.Time { return at } })
	if _, err := f.Initialize(f.ctx, nil, map[string]any{"model": "gpt-5"}, nil); err != nil {
		t.Fatal(err)
	}
	u, titles := f.shows(t, claude, "# Shop\nRun them all.\n")
	if len(titles) != 1 || strings.Contains(titles[0], "≈") {
		t.Errorf("the lenses are %q", titles)
	}
	other := map[string]any{"ctxledger": map[string]any{"model": "claude-sonnet-4-5"}}
	if err := f.Notify("workspace/didChangeConfiguration", map[string]any{"settings": other}); err != nil {
		t.Fatal(err)
	}
	if titles := f.lenses(t, u); len(titles) != 1 || !strings.HasPrefix(titles[0], "≈") {
		t.Errorf("for another model the lenses are %q", titles)
	}
}

// TestAHoverOfTheFirstLineSaysTheCountOnce: where hovers are always shown and the lens, too, it was there twice.
func TestAHoverOfTheFirstLineSaysTheCountOnce(t *testing.T) {
	f := newFixture(t, nil)
	f.initialize(t)
	const u = "file:///notes.txt"
	if err := f.Open(u, "plaintext", "some words\n"); err != nil {
		t.Fatal(err)
	}
	var h struct{ Contents struct{ Value string } }
	at := map[string]any{"position": map[string]any{"line": 0, "character": 1}}
	if err := f.Call(f.ctx, "textDocument/hover", scriptededitor.Document(u, at), &h); err != nil {
		t.Fatal(err)
	}
	if strings.Count(h.Contents.Value, " tokens") != 1 {
		t.Errorf("the hover is %q", h.Contents.Value)
	}
}
