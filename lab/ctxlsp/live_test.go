package ctxlsp

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"ctxledger.dev/internal/testonly/scriptededitor"
	"ctxledger.dev/lab/sandbox"
)

// agent is a coding agent at work.
type agent struct {
	*sandbox.Agent
	home string
}

// newAgent begins a session in the place.
func newAgent(t *testing.T, p place) *agent {
	t.Helper()
	home := t.TempDir()
	a, err := sandbox.NewAgent(home, p.Root, "gpt-5", "Please read.")
	must(t, err)
	return &agent{a, home}
}

// variables is the environment variable with the directory of the agent's sessions.
func (a *agent) variables() string { return "CLAUDE_CONFIG_DIR=" + a.home }

// write appends a record.
func (a *agent) write(t *testing.T, kind string, message map[string]any) {
	t.Helper()
	must(t, a.Write(kind, message))
}

// read reads a file.
func (a *agent) read(t *testing.T, name, content string) {
	t.Helper()
	must(t, a.Read(name, content, 10))
}

// quiet are the default settings, with the status.
var quiet = map[string]any{"status": true}

// TestWhatTheAgentDoesReachesTheEditor follows a session that is written while an editor is open.
func TestWhatTheAgentDoesReachesTheEditor(t *testing.T) {
	p := newPlace(t)
	p.StopDaemons(t)
	must(t, os.WriteFile(filepath.Join(p.Root, "guide (1).md"), []byte(guide), 0o644))
	a := newAgent(t, p)
	s := p.start(t, a.variables())
	_, err := s.Initialize(s.ctx, capable, quiet,
		map[string]any{"workspaceFolders": []any{map[string]any{"uri": p.uri(""), "name": "x"}}})
	must(t, err)
	uri := p.uri("guide%20(1).md")
	must(t, s.Open(uri, "markdown", guide))
	lenses := func() string { return string(ask[json.RawMessage](t, s, "textDocument/codeLens", uri, nil)) }
	if got := lenses(); got != "[]" {
		t.Errorf("a file that nobody read has a lens: %s", got)
	}
	s.awaitStatus(t, func(st status) bool { return st.Session != "" })
	a.read(t, "guide (1).md", guide)
	a.read(t, "guide (1).md", guide)
	began := time.Now()
	asked := s.Asked("workspace/codeLens/refresh")
	_, err = s.Until(s.ctx, func([]scriptededitor.Message) bool {
		return s.Asked("workspace/codeLens/refresh") > asked && strings.Contains(lensesNow(s, uri), "read twice, ") &&
			strings.Contains(lensesNow(s, uri), " in window · unchanged since")
	})
	must(t, err)
	t.Logf("two reads were shown after %v", time.Since(began))
	s.awaitStatus(t, func(st status) bool { return st.Model == "gpt-5" && st.Held.N > 0 && st.Window > 0 })
	type lens struct {
		Command struct {
			Command, Title string
			Arguments      []any
		}
	}
	clicked := ask[[]lens](t, s, "textDocument/codeLens", uri, nil)[0].Command
	var said string
	must(t, s.Call(s.ctx, "workspace/executeCommand",
		map[string]any{"command": clicked.Command, "arguments": clicked.Arguments}, &said))
	if !strings.HasPrefix(said, clicked.Title+". guide (1).md: "+strings.TrimPrefix(count(guide), "≈")) || !strings.Contains(said, "Reading the file adds") {
		t.Errorf("a click on the lens says %q", said)
	}
	// What the agent loads with every request and has read, too, has both figures.
	must(t, os.WriteFile(filepath.Join(p.Root, "CLAUDE.md"), []byte(guide), 0o644))
	a.read(t, "CLAUDE.md", guide)
	must(t, s.Open(p.uri("CLAUDE.md"), "markdown", guide))
	loaded := regexp.MustCompile(`"Claude Code: [\d,]+ tokens in every request".*"read once, ≈?[\d,]+ (?:tokens )?in window · unchanged since"`)
	shown := ""
	_, err = s.Until(s.ctx, func([]scriptededitor.Message) bool {
		shown = cmp.Or(lensesNow(s, p.uri("CLAUDE.md")), shown)
		return loaded.MatchString(shown)
	})
	if err != nil {
		t.Fatalf("%v: the lenses are %s", err, shown)
	}
	at := map[string]any{"position": map[string]any{"line": 0, "character": 0}}
	hover := string(ask[json.RawMessage](t, s, "textDocument/hover", p.uri("CLAUDE.md"), at))
	if !regexp.MustCompile(`in every request.*read once by the followed session, ≈?[\d,]+ tokens in its window.*unchanged since`).MatchString(hover) {
		t.Errorf("the hover is %s", hover)
	}

	must(t, os.WriteFile(filepath.Join(p.Root, "guide (1).md"), []byte(guide+"\nMore.\n"), 0o644))
	_, err = s.Until(s.ctx, func([]scriptededitor.Message) bool {
		return strings.Contains(lensesNow(s, uri), "changed since, outside the session")
	})
	must(t, err)
	const information = `"severity":3`
	_, err = s.Until(s.ctx, func(told []scriptededitor.Message) bool {
		found := published(told, uri)
		return strings.Contains(found, "stale-read") && strings.Contains(found, information)
	})
	must(t, err)

	must(t, os.WriteFile(filepath.Join(p.Root, "guide (1).md"), []byte(guide), 0o644)) // as it was read
	_, err = s.Until(s.ctx, func(told []scriptededitor.Message) bool {
		return strings.Contains(lensesNow(s, uri), "unchanged since") &&
			strings.Contains(published(told, uri), `"diagnostics":[]`)
	})
	must(t, err)
	s.leave(t)
}

// TestFirstFiguresStay: an editor that asked as soon as it had a document was told 608 tokens, and ≈991 when the daemon had
// read the session file a second later.
func TestFirstFiguresStay(t *testing.T) {
	p := newPlace(t)
	p.StopDaemons(t)
	home := t.TempDir()
	a, err := sandbox.NewAgent(home, p.Root, "claude-opus-5", "Please read.")
	must(t, err)
	must(t, a.Read("guide.md", guide, 10_000))
	began := time.Now()
	s := p.start(t, "CLAUDE_CONFIG_DIR="+home)
	_, err = s.Initialize(s.ctx, capable, map[string]any{"status": true, "lens": "always", "hints": 1, "symbols": true},
		map[string]any{"workspaceFolders": []any{map[string]any{"uri": p.uri(""), "name": "x"}}})
	must(t, err)
	uri := p.uri("other.md")
	must(t, s.Open(uri, "markdown", guide))
	at := map[string]any{"line": 0, "character": 3}
	all := map[string]any{"range": map[string]any{"start": at, "end": map[string]any{"line": 1000, "character": 0}}}
	said := func() (list []string) {
		for _, r := range []struct {
			method string
			more   map[string]any
		}{
			{"textDocument/codeLens", nil}, {"textDocument/inlayHint", all}, {"textDocument/documentSymbol", nil},
			{"textDocument/hover", map[string]any{"position": at}}, {"ctxledger/cost", map[string]any{"ranges": []any{}}},
		} {
			list = append(list, string(ask[json.RawMessage](t, s, r.method, uri, r.more)))
		}
		return list
	}
	first := said()
	const waits, soon = 3 * time.Second, "while session files are being read"
	if time.Since(began) > waits && strings.Contains(strings.Join(first, "\n"), soon) {
		return // the machine is so busy that the server no longer waited, and it says so
	}
	told := s.statuses(t)
	if len(told) > 0 && told[0].Session == "" {
		t.Errorf("the first status is %+v", told[0])
	}
	s.awaitStatus(t, func(st status) bool { return st.Session != "" && st.Held.N > 0 })
	for i, then := range said() {
		if first[i] != then {
			t.Errorf("first it said %s\nand then %s", first[i], then)
		}
	}
	// One with the registration, and none for figures that waited: there were two.
	if n := s.Asked("workspace/codeLens/refresh"); n > 1 {
		t.Errorf("lenses were asked for again %d times", n)
	}
	s.leave(t)
}

// status is what the server says of the live session.
type status struct {
	Session, Title, Model, Problem, Hint, WindowFrom string
	Held                                             struct{ N int }
	Window                                           int
}

// awaitStatus waits for a status.
func (s *server) awaitStatus(t *testing.T, ok func(status) bool) (st status) {
	t.Helper()
	told, err := s.Until(s.ctx, func(told []scriptededitor.Message) bool {
		for _, m := range told {
			st = status{}
			if m.Method == "ctxledger/status" && json.Unmarshal(m.Params, &st) == nil && ok(st) {
				return true
			}
		}
		return false
	})
	if err != nil {
		t.Fatalf("%v; told %s; standard error: %s", err, told, s.stderr)
	}
	return st
}

// lensesNow returns the lenses of a document, "" when the call fails.
func lensesNow(s *server, uri string) string {
	var raw json.RawMessage
	if s.Call(s.ctx, "textDocument/codeLens", scriptededitor.Document(uri, nil), &raw) != nil {
		return ""
	}
	return string(raw)
}

// TestTheDaemonMayDie kills the owner of the ledger: the editor keeps working, and is notified of what comes next.
func TestTheDaemonMayDie(t *testing.T) {
	p := newPlace(t)
	p.StopDaemons(t)
	p.put(t, "a.md", guide)
	a := newAgent(t, p)
	s := p.start(t, a.variables())
	s.inWorkspace(t, p, map[string]any{"status": true, "lens": "always"})
	uri := p.uri("a.md")
	must(t, s.Open(uri, "markdown", guide))
	a.read(t, "a.md", guide)
	_, err := s.Until(s.ctx,
		func([]scriptededitor.Message) bool { return strings.Contains(lensesNow(s, uri), "read once") })
	must(t, err)
	var owner struct{ PID int }
	raw, err := os.ReadFile(filepath.Join(p.Workspace(t).State, "owner.json"))
	must(t, err)
	must(t, json.Unmarshal(raw, &owner))
	process, err := os.FindProcess(owner.PID)
	must(t, err)
	must(t, process.Kill())
	a.read(t, "a.md", guide)
	for !strings.Contains(lensesNow(s, uri), "read twice") {
		if s.ctx.Err() != nil {
			t.Fatalf("the lens says %s; standard error: %s", lensesNow(s, uri), s.stderr)
		}
	}
	s.leave(t)
}

// TestWhatChangedBeforeAnybodyWatchedIsTold: an agent read two files, one of them was changed, and only then an editor starts
// the ledger. What the transcript holds says which.
func TestWhatChangedBeforeAnybodyWatchedIsTold(t *testing.T) {
	p := newPlace(t)
	p.StopDaemons(t)
	put := func(name, text string) { must(t, os.WriteFile(filepath.Join(p.Root, name), []byte(text), 0o644)) }
	put("same.md", guide)
	a := newAgent(t, p)
	printed := ""
	for i, line := range strings.Split(guide, "\n") {
		printed += fmt.Sprintf("%d\t%s\n", i+1, line)
	}
	a.read(t, "same.md", printed)
	a.read(t, "other.md", printed)
	put("same.md", guide) // again
	put("other.md", guide+"More.\n")
	s := p.start(t, a.variables())
	s.inWorkspace(t, p, quiet)
	for name, text := range map[string]string{"same.md": guide, "other.md": guide + "More.\n"} {
		must(t, s.Open(p.uri(name), "markdown", text))
	}
	last, seen := "", 0
	_, err := s.Until(s.ctx, func(told []scriptededitor.Message) bool {
		if len(told) == seen {
			return false // an answer came
		}
		seen = len(told)
		last = lensesNow(s, p.uri("same.md")) + lensesNow(s, p.uri("other.md"))
		return strings.Contains(last, "unchanged since") && strings.Contains(last, " changed since") &&
			slices.ContainsFunc(told, func(m scriptededitor.Message) bool {
				return m.Method == "textDocument/publishDiagnostics" && strings.Contains(string(m.Params), "/other.md") &&
					strings.Contains(string(m.Params), `"stale-read"`)
			})
	})
	if err != nil {
		t.Fatalf("%v: %s", err, last)
	}
	s.leave(t)
}
