package lsp

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.lsp.dev/uri"

	"ctxledger.dev/internal/testonly/scriptededitor"
	"ctxledger.dev/ledger"
)

// buffer is a document that is open in a scripted editor.
type buffer struct {
	*fixture
	path, u string
	version int
}

func (f *fixture) buffer(t *testing.T, path string) *buffer {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	u, _ := f.shows(t, path, string(text))
	return &buffer{f, path, u, 1}
}

// types replaces the text in the editor.
func (b *buffer) types(t *testing.T, text string) {
	t.Helper()
	b.version++
	b.notify(t, "textDocument/didChange", map[string]any{
		"textDocument":   map[string]any{"uri": b.u, "version": b.version},
		"contentChanges": []map[string]any{{"text": text}}})
}

// saves writes a text to the file, and says that it was saved.
func (b *buffer) saves(t *testing.T, text string) {
	t.Helper()
	if err := os.WriteFile(b.path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	b.notify(t, "textDocument/didSave", b.of(nil))
}

func (b *buffer) notify(t *testing.T, method string, params any) {
	t.Helper()
	if err := b.Notify(method, params); err != nil {
		t.Fatal(err)
	}
}

func (b *buffer) of(more map[string]any) map[string]any { return scriptededitor.Document(b.u, more) }

// hover returns the lines that are shown in the first line.
func (b *buffer) hover(t *testing.T) string {
	t.Helper()
	var h struct{ Contents struct{ Value string } }
	at := b.of(map[string]any{"position": map[string]any{"line": 0, "character": 3}})
	if err := b.Call(b.ctx, "textDocument/hover", at, &h); err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(h.Contents.Value, "\n\n", "\n")
}

// refreshing is what an editor can do that shows lenses anew when it is asked to.
func refreshing() map[string]any {
	return map[string]any{"workspace": map[string]any{"codeLens": map[string]any{"refreshSupport": true}}}
}

// refreshed waits until the editor is asked to show lenses anew after something that do does.
func (f *fixture) refreshed(t *testing.T, do func()) {
	t.Helper()
	asked := f.Asked("workspace/codeLens/refresh")
	do()
	f.refreshedAfter(t, asked)
}

// refreshedAfter waits for a refresh of the lenses after the first asked ones.
func (f *fixture) refreshedAfter(t *testing.T, asked int) {
	t.Helper()
	if _, err := f.Until(f.ctx, func([]scriptededitor.Message) bool {
		return f.Asked("workspace/codeLens/refresh") > asked
	}); err != nil {
		t.Fatal(err)
	}
}

// TestWhatOnlyABufferImportsIsInNoRequest: the lens of the imported file said "0 tokens in every request" while the import
// was not saved, nothing while its removal was not, and was asked for again only when CLAUDE.md was saved.
func TestWhatOnlyABufferImportsIsInNoRequest(t *testing.T) {
	const without, with = "# Shop\nRun them all.\n", "# Shop\nSee @other.md\n"
	const none, later = ``, `^in no request, ≈\d+ tokens once its import is saved$`
	const now = `^Claude Code: ≈\d+ tokens in every request$`
	const until = `^≈\d+ tokens in every request, none once saved$`
	for _, order := range [][]string{{"CLAUDE.md", "other.md"}, {"other.md", "CLAUDE.md"}} {
		f, claude := agentWorkspace(t)
		if err := os.WriteFile(claude, []byte(without), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := f.Initialize(f.ctx, refreshing(), nil, nil); err != nil {
			t.Fatal(err)
		}
		open := map[string]*buffer{}
		for _, name := range order {
			open[name] = f.buffer(t, filepath.Join(filepath.Dir(claude), name))
		}
		memory, imported := open["CLAUDE.md"], open["other.md"]
		for _, c := range []struct {
			event string
			do    func()
			want  string // the lens of the imported file
			hover string
		}{
			{"the import is written", func() { memory.types(t, with) }, later,
				`^Claude Code: in no request; the saved version of CLAUDE.md does not load it\n` +
					`once open files are saved, in every request: ≈\d+ tokens\n`},
			{"that is reverted", func() { memory.types(t, without) }, none, ``},
			{"the import is written again", func() { memory.types(t, with) }, later, ``},
			{"it is saved", func() { memory.saves(t, with) }, now, `^Claude Code: ≈\d+ tokens in every request \(estimated for [^\n]*\n(?s:.*)the file itself: ≈3 tokens,`},
			{"the line is deleted", func() { memory.types(t, without) }, until,
				`^Claude Code, on disk, in every request: ≈\d+ tokens\nonce open files are saved, in no request\n`},
			{"it is closed without saving", func() {
				memory.notify(t, "textDocument/didClose", memory.of(nil))
			}, now, ``},
			{"it is opened with what was not saved", func() { f.shows(t, memory.path, without) }, until, ``},
			{"it is saved without", func() { memory.saves(t, without) }, none, ``},
		} {
			asked := f.Asked("workspace/codeLens/refresh")
			c.do()
			for got := "?"; (got == "") != (c.want == "") || !regexp.MustCompile(c.want).MatchString(got); {
				f.refreshedAfter(t, asked) // one may still be of the event before
				asked = f.Asked("workspace/codeLens/refresh")
				got = strings.Join(f.lenses(t, imported.u), "\n")
				t.Logf("%v, %s: the lens is %q, want %s", order, c.event, got, c.want)
			}
			if got := imported.hover(t); !regexp.MustCompile(c.hover).MatchString(got) {
				t.Errorf("%v, %s: the hover is %q, want %s", order, c.event, got, c.hover)
			}
		}
	}
}

// TestTheHoverOfABufferLabelsBothFigures: it had the share of the file on disk beside that of the buffer, and nothing said
// which was which. The costs for a status bar, and on a click, say what they count.
func TestTheHoverOfABufferLabelsBothFigures(t *testing.T) {
	f, claude := agentWorkspace(t)
	settings := map[string]any{"model": "claude-sonnet-4-5"}
	if _, err := f.Initialize(f.ctx, refreshing(), settings, nil); err != nil {
		t.Fatal(err)
	}
	b := f.buffer(t, claude)
	says := func(unsaved bool, hover, explained string) {
		t.Helper()
		got, want := b.hover(t), regexp.MustCompile(hover)
		for !want.MatchString(got) && f.ctx.Err() == nil { // asked because of something earlier
			f.sync(t)
			got = b.hover(t)
		}
		if !want.MatchString(got) {
			t.Errorf("the hover is %q, not %s", got, hover)
		}
		var c Cost
		err := f.Call(f.ctx, "ctxledger/cost", b.of(nil), &c)
		if err != nil || c.Unsaved == nil || *c.Unsaved != unsaved {
			t.Errorf("unsaved %v: the cost is %+v, %v", unsaved, c, err)
		}
		var said string
		err = f.Call(f.ctx, "workspace/executeCommand", map[string]any{"command": commandExplain,
			"arguments": []any{map[string]any{"uri": b.u}}}, &said)
		if err != nil || !regexp.MustCompile(explained).MatchString(said) {
			t.Errorf("a click says %q, %v, not %s", said, err, explained)
		}
	}
	says(false, `^Claude Code: ≈\d+ tokens in every request \(≈\d+ in the file\)\ncounted as [^\n]*\n< 0.1% of the window of 200,000 tokens\n`+
		`(?s:.*)% of the file's ≈\d+ tokens, counted on its own; rough estimates, not calibrated yet$`, `^Claude Code: ≈\d+ tokens in every request \(≈\d+ in the file\)\. CLAUDE.md: ≈\d+ tokens`)
	f.refreshed(t, func() { b.types(t, "# Shop\nSee @other.md\n## More\nRun.\n") })
	says(true, `^Claude Code, on disk, in every request: ≈\d+ tokens\nthis buffer, once saved, in every request: ≈\d+ tokens\n`+
		`counted as [^\n]*\nrough estimate for [^\n]*\n.Shop. · ≈[^\n]*\n`+
		`100% of this buffer's ≈\d+ tokens, counted on its own; rough [^\n]*$`,
		`^≈\d+ tokens in every request, ≈\d+ once saved\. CLAUDE.md, open and not saved: ≈\d+ tokens .*\. On disk: ≈\d+\. The rest is about the open text\. Reading`)
	var links []struct{ Tooltip string }
	if err := f.Call(f.ctx, "textDocument/documentLink", b.of(nil), &links); err != nil || len(links) != 1 ||
		!strings.HasSuffix(links[0].Tooltip, "once open files are saved") {
		t.Errorf("the links are %+v, %v", links, err)
	}
}

// TestTheAgentsSettingsAreReadOnlyAfterTheyChanged: they were read twice a second while a session was followed. Each change
// of an import takes a look at all files.
func TestTheAgentsSettingsAreReadOnlyAfterTheyChanged(t *testing.T) {
	reads := make(chan struct{}, 1000)
	f, root, k := recordedWorkspace(t, 1, func(s *Server) {
		s.o.Env.Lookup = func(name string) string {
			if name == "CLAUDE_CODE_AUTO_COMPACT_WINDOW" {
				reads <- struct{}{}
			}
			return ""
		}
	})
	if _, err := f.Initialize(f.ctx, refreshing(), map[string]any{"status": true}, nil); err != nil {
		t.Fatal(err)
	}
	session, err := k.Session(t.Context(), ledger.SessionRequest{Latest: true})
	if err != nil {
		t.Fatal(err)
	}
	f.follows(t, session.ID, func(Status) bool { return true })
	b := f.buffer(t, filepath.Join(root, "CLAUDE.md"))
	const looks = 5
	for i := range looks {
		f.refreshed(t, func() {
			if err := os.WriteFile(b.path, slices.Repeat([]byte("Prices are in cents.\n"), i+2), 0o600); err != nil {
				t.Fatal(err)
			}
		})
	}
	if n := len(reads); n > 1 { // the first look reads them
		t.Errorf("in %d looks they were read %d times", looks, n)
	}
}

// TestALinkIsTheFileThatItLeadsTo: through a link to the workspace files had no lens, and that of AGENTS.md said nothing of
// Claude Code, whose CLAUDE.md is a link to it.
func TestALinkIsTheFileThatItLeadsTo(t *testing.T) {
	f, claude := agentWorkspace(t)
	root := filepath.Dir(claude)
	link := filepath.Join(t.TempDir(), "link")
	agents := filepath.Join(root, "AGENTS.md")
	for _, err := range []error{os.Remove(claude), os.WriteFile(agents, []byte("# Shop\nRun.\n"), 0o600),
		os.Symlink("AGENTS.md", claude), os.Symlink(root, link)} {
		if err != nil {
			t.Skip("no links: ", err)
		}
	}
	if _, err := f.Initialize(f.ctx, refreshing(), nil, nil); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{claude, agents, filepath.Join(link, "AGENTS.md")} {
		b := f.buffer(t, path)
		want := regexp.MustCompile(`^≈\d+–\d+ tokens in every request of 2 agents$`)
		if got := f.lenses(t, b.u); len(got) != 1 || !want.MatchString(got[0]) {
			t.Errorf("the lenses of %s are %q", path, got)
		}
		f.refreshed(t, func() { b.types(t, "# Shop\nRun, and test.\n") })
		if got := b.hover(t); strings.Count(got, "this buffer, once saved, in every request: ") != 2 {
			t.Errorf("the hover of %s is %q", path, got)
		}
		f.refreshed(t, func() { b.notify(t, "textDocument/didClose", b.of(nil)) })
	}
}

// TestWhatIsNotOnDiskIsLabelled: a server that is only in the buffer had the words and the cost of one that requests carry,
// and a document that has no file, or one that is not read, was told to be one.
func TestWhatIsNotOnDiskIsLabelled(t *testing.T) {
	f, claude := agentWorkspace(t)
	if _, err := f.Initialize(f.ctx, refreshing(), nil, nil); err != nil {
		t.Fatal(err)
	}
	servers := f.buffer(t, filepath.Join(filepath.Dir(claude), ".mcp.json"))
	f.refreshed(t, func() {
		servers.types(t, `{"mcpServers": {"ctxledger": {"command": "ctxmcp"}, "docs": {"command": "x"}}}`)
	})
	want := []string{"Claude Code: 1 MCP server, 2 once saved", "in no request until it is saved",
		"calls unknown · cost unknown"}
	if got := f.lenses(t, servers.u); !slices.Equal(got, want) {
		t.Errorf("the lenses are %q, want %q", got, want)
	}
	f.refreshed(t, func() {
		if err := os.Remove(claude); err != nil {
			t.Fatal(err)
		}
		f.shows(t, claude, "# Shop\n")
	})
	deleted := &buffer{fixture: f, u: string(uri.File(claude))}
	outside := filepath.Join(t.TempDir(), "notes.md")
	for _, c := range []struct{ u, want, unsaved string }{
		{deleted.u, `^Claude Code: in no request, it is not saved\nthis buffer, once saved, in every request: ≈\d+ tokens\n` +
			`(?s:.*)100% of this buffer's ≈3 tokens, counted on its own\ncounted in o200k_base, since no model is known$`, "true"},
		{"untitled:Untitled-1", `100% of this buffer's ≈\d+ tokens, counted on its own$`, "null"},
		{string(uri.File(outside)), `100% of this buffer's ≈\d+ tokens, counted on its own$`, "null"},
	} {
		b := &buffer{fixture: f, u: c.u}
		if c.u != deleted.u {
			if err := f.Open(c.u, "markdown", "# Notes\n"); err != nil {
				t.Fatal(err)
			}
		}
		var cost struct{ Unsaved json.RawMessage }
		if err := f.Call(f.ctx, "ctxledger/cost", b.of(nil), &cost); err != nil || string(cost.Unsaved) != c.unsaved {
			t.Errorf("%s: unsaved is %s, %v, want %s", c.u, cost.Unsaved, err, c.unsaved)
		}
		if got := b.hover(t); !regexp.MustCompile(c.want).MatchString(got) {
			t.Errorf("%s: the hover is %q, want %s", c.u, got, c.want)
		}
	}
}
