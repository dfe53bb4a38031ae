package lsp

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"go.lsp.dev/uri"

	"ctxledger.dev/agents/registry"
	"ctxledger.dev/carried"
	"ctxledger.dev/engine"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/testonly/scriptededitor"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
)

// configuration is .mcp.json of the workspace of recordedWorkspace, with a secret.
const configuration = `{"mcpServers": {
  "docs": {"command": "x", "env": {"TOKEN": "hunter2hunter2"}},
  "idle": {"command": "y"}
}}
`

// recordedWorkspace is a workspace with two MCP servers, of which recorded sessions called one, the newest a minute ago.
func recordedWorkspace(t *testing.T, n int, configure ...func(*Server)) (f *fixture, root string, k *kept) {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{".mcp.json": configuration, "CLAUDE.md": "Prices are in cents.\n"} {
		if err := os.WriteFile(filepath.Join(root, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	k = newKept(t)
	for i := range n {
		k.callsDocs(t, fmt.Sprint(i), 0)
	}
	f = newFixture(t, func(s *Server) {
		s.o.Env = env.System()
		s.o.Env.Home, s.o.Env.Lookup = t.TempDir(), func(string) string { return "" }
		s.o.Find = func([]string) (Workspace, error) {
			return k.workspace(root), nil
		}
		for _, by := range configure {
			by(s)
		}
	})
	return f, root, k
}

// callsDocs records that a session calls the server docs, after so many calls.
func (k *kept) callsDocs(t *testing.T, session string, after int64) {
	t.Helper()
	text := fmt.Sprintf(
		`{"role":"assistant","content":[{"type":"tool_use","id":"t%d","name":"mcp__docs__find","input":{}}]}`, after)
	_, err := k.AppendEntries(t.Context(), ledger.AppendEntriesRequest{Import: session, Done: true, Offset: after,
		Next: after + 1, Session: sessions.Session{Host: "claude-code", HostID: session},
		Entries: []sessions.NewEntry{{
			Kind: sessions.KindMessage, Time: time.Now(), Format: transcript.Anthropic,
			Model: "claude-sonnet-4-5", Usage: &sessions.Usage{CacheWrite: 9_000},
			Original: []byte(text), Message: transcript.Span{To: len(text)}}}})
	if err != nil {
		t.Fatal(err)
	}
}

// TestCallsAreCountedWhenTheyAreMade: the first session is recorded after the editor began, and what it calls is shown
// without a pause; so is each further call. The clock stands still, so that no age has anything counted again.
func TestCallsAreCountedWhenTheyAreMade(t *testing.T) {
	at := time.Now()
	f, root, k := recordedWorkspace(t, 0, func(s *Server) { s.o.Env.Now = func() time.Time { return at } })
	refreshes := map[string]any{"workspace": map[string]any{"codeLens": map[string]any{"refreshSupport": true}}}
	if _, err := f.Initialize(f.ctx, refreshes, nil, nil); err != nil {
		t.Fatal(err)
	}
	u, titles := f.shows(t, filepath.Join(root, ".mcp.json"), configuration)
	if len(titles) != 3 || !strings.HasPrefix(titles[1], "calls unknown") {
		t.Fatalf("without a session the lenses are %q", titles)
	}
	for n, want := range []string{"1 call in the last session", "2 calls in the last session"} {
		asked := 0
		k.callsDocs(t, "0", int64(n))
		for got := ""; !strings.HasPrefix(got, want); got = f.lenses(t, u)[1] {
			if _, err := f.Until(f.ctx, func([]scriptededitor.Message) bool {
				return f.Asked("workspace/codeLens/refresh") > asked
			}); err != nil {
				t.Fatalf("%v; the lens is %q, want %q", err, got, want)
			}
			asked = f.Asked("workspace/codeLens/refresh")
		}
	}
}

// TestTheAgentsSettingsAreShownWhenTheyChange: where it compacts follows them, though the session is idle.
func TestTheAgentsSettingsAreShownWhenTheyChange(t *testing.T) {
	home := t.TempDir()
	e := env.System()
	e.Home, e.Lookup = home, func(string) string { return "" }
	f, root, k := recordedWorkspace(t, 0, func(s *Server) { s.o.Env = e })
	local, err := engine.Open(t.Context(), engine.Options{State: t.TempDir(), Workspace: root, Env: e,
		Settings: engine.Settings{CompactsAt: registry.AutoCompact(e, root)}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := local.Close(); err != nil {
			t.Error(err)
		}
	})
	k.Local = local
	k.callsDocs(t, "0", 0)
	if _, err := f.Initialize(f.ctx, nil, map[string]any{"status": true}, nil); err != nil {
		t.Fatal(err)
	}
	session, err := k.Session(t.Context(), ledger.SessionRequest{Latest: true})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(home, ".claude", "settings.json")
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		settings string // "": none
		at       int
		why      string
	}{
		{"", 0, "not known"}, // nor is its version
		{`{"autoCompactWindow":150000}`, 117_000, "autoCompactWindow in ~/.claude/settings.json"},
		{`{"autoCompactWindow":140000}`, 107_000, "autoCompactWindow in ~/.claude/settings.json"},
		{`{"autoCompactEnabled":false}`, 0, "off (autoCompactEnabled is false)"},
		{"", 0, "not known"}, // nor is its version
	} {
		if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		if c.settings != "" {
			if err := os.WriteFile(file, []byte(c.settings), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		f.follows(t, session.ID, func(st Status) bool {
			return st.CompactsAt == c.at && strings.Contains(st.CompactsFrom, c.why)
		})
	}
}

// published waits until findings of a document are published that fit.
func (f *fixture) published(t *testing.T, u string, fits func(findings []finding) bool) []finding {
	t.Helper()
	var found []finding
	_, err := f.Until(f.ctx, func(told []scriptededitor.Message) bool {
		for _, m := range told {
			var p struct {
				URI         string
				Diagnostics []finding
			}
			if m.Method == "textDocument/publishDiagnostics" && json.Unmarshal(m.Params, &p) == nil && p.URI == u {
				found = p.Diagnostics
			}
		}
		return fits(found)
	})
	if err != nil {
		t.Fatalf("%v; the findings are %+v", err, found)
	}
	return found
}

// finding is a diagnostic as the editor gets it.
type finding struct {
	Code, Message string
	Raw           json.RawMessage `json:"-"`
}

func (d *finding) UnmarshalJSON(raw []byte) error {
	type plain finding
	d.Raw = slices.Clone(raw)
	return json.Unmarshal(raw, (*plain)(d))
}

// TestUnusedServersAreToldAndSwitchedOff: calls of recorded sessions are shown with the servers, and those without one
// can be switched off. Secrets of the configuration are not shown.
func TestUnusedServersAreToldAndSwitchedOff(t *testing.T) {
	f, root, _ := recordedWorkspace(t, 6)
	caps := map[string]any{
		"textDocument": map[string]any{"codeAction": map[string]any{"codeActionLiteralSupport": map[string]any{
			"codeActionKind": map[string]any{"valueSet": []string{"quickfix"}}}}},
		"workspace": map[string]any{"workspaceEdit": map[string]any{"documentChanges": true,
			"resourceOperations": []string{"create"}}},
	}
	err := f.Call(f.ctx, "initialize", map[string]any{"capabilities": caps,
		"initializationOptions": map[string]any{"status": true}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Notify("initialized", map[string]any{}); err != nil {
		t.Fatal(err)
	}
	u, _ := f.shows(t, filepath.Join(root, ".mcp.json"), configuration)
	unused := f.published(t, u, func(found []finding) bool { return len(found) > 0 })
	if len(unused) != 1 || unused[0].Code != carried.UnusedServer ||
		!strings.HasPrefix(unused[0].Message, "none of its tools was called in the last 6 sessions of Claude Code") {
		t.Errorf("found: %+v", unused)
	}
	want := "Claude Code: 2 MCP servers\n" +
		"6 calls in the last 6 sessions · cost unknown: ask it…\n" +
		"not used in the last 6 sessions · cost unknown: ask it…"
	if got := strings.Join(f.lenses(t, u), "\n"); got != want {
		t.Errorf("the lenses are\n%s\nnot\n%s", got, want)
	}
	var hover struct{ Contents struct{ Value string } }
	at := map[string]any{"textDocument": map[string]any{"uri": u},
		"position": map[string]any{"line": 1, "character": 4}}
	if err := f.Call(f.ctx, "textDocument/hover", at, &hover); err != nil {
		t.Fatal(err)
	}
	if got := hover.Contents.Value; !strings.Contains(got, "docs: 6 calls in the last 6 sessions") ||
		strings.Contains(got, "hunter2") {
		t.Errorf("the hover is %q", got)
	}
	var actions []struct {
		Title string
		Edit  struct{ DocumentChanges []json.RawMessage }
	}
	err = f.Call(f.ctx, "textDocument/codeAction", map[string]any{"textDocument": map[string]any{"uri": u},
		"range": map[string]any{"start": map[string]any{"line": 2, "character": 4}, "end": map[string]any{"line": 2,
			"character": 4}}, "context": map[string]any{"diagnostics": []json.RawMessage{unused[0].Raw}}}, &actions)
	if err != nil || len(actions) != 2 || actions[0].Title != "Disable idle for you, in .claude/settings.local.json" ||
		actions[1].Title != "Remove idle from .mcp.json" {
		t.Fatalf("the actions are %+v, %v", actions, err)
	}
	create, edit := string(actions[0].Edit.DocumentChanges[0]), string(actions[0].Edit.DocumentChanges[1])
	if !strings.Contains(create, `"kind":"create"`) || !strings.Contains(create, "/.claude/settings.local.json") ||
		!strings.Contains(edit, `{\n  \"disabledMcpjsonServers\": [\"idle\"]\n}\n`) {
		t.Errorf("disabling is %s, %s", create, edit)
	}
	const removed = `{"range":{"start":{"line":1,"character":62},"end":{"line":2,"character":26}},"newText":""}`
	if got := string(actions[1].Edit.DocumentChanges[0]); !strings.Contains(got, removed) {
		t.Errorf("removing is %s", got)
	}
}

// TestAgentFilesHaveAPrice: what the session that is followed has paid for them, as long as they are those that it began
// with, whatever their time of modification says.
func TestAgentFilesHaveAPrice(t *testing.T) {
	f, root, k := recordedWorkspace(t, 0)
	path, text := filepath.Join(root, "CLAUDE.md"), strings.Repeat("Prices are in cents.\n", 99)
	write := func(path string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(path)
	k.callsDocs(t, "0", 0)
	refreshes := map[string]any{"workspace": map[string]any{"codeLens": map[string]any{"refreshSupport": true}}}
	if _, err := f.Initialize(f.ctx, refreshes, map[string]any{"status": true}, nil); err != nil {
		t.Fatal(err)
	}
	u, _ := f.shows(t, path, text)
	if _, err := f.Until(f.ctx, func([]scriptededitor.Message) bool {
		return f.snapshot().live.Use.CarriedDollars != nil
	}); err != nil {
		t.Fatal(err)
	}
	hover := func() string {
		var h struct{ Contents struct{ Value string } }
		at := map[string]any{"position": map[string]any{"line": 0, "character": 0}}
		if err := f.Call(f.ctx, "textDocument/hover", scriptededitor.Document(u, at), &h); err != nil {
			t.Fatal(err)
		}
		return h.Contents.Value
	}
	if got, cost := hover(), regexp.MustCompile(`less than \$0\.01 so far in this session`); !cost.MatchString(got) {
		t.Errorf("the hover is %q", got)
	}
	var r carried.Report
	if err := f.Call(f.ctx, "ctxledger/carried", map[string]any{}, &r); err != nil {
		t.Fatal(err)
	}
	h := r.Hosts[0]
	if h.Dollars == nil || h.Parts[0].Dollars == nil || h.Parts[1].Use == nil || h.Parts[1].Use.Calls != 1 {
		t.Errorf("the view has %+v", h)
	}
	count := func(model string) { f.update(func(k *snapshot) { k.settings.Model = model }) }
	count("gpt-4")
	if got := hover(); strings.Contains(got, "so far") { // its tokens are none of the session's
		t.Errorf("counted for another model, the hover is %q", got)
	}
	count("")
	other := filepath.Join(root, "other.md")
	for began := f.snapshot().live.Use.Session.Created; ; { // the clock of a file system ticks in milliseconds
		write(other)
		if info, err := os.Stat(other); err != nil || info.ModTime().Sub(began) > time.Millisecond {
			break
		}
	}
	long := time.Now().AddDate(-1, 0, 0)
	if err := errors.Join(os.Chtimes(other, long, long), os.Rename(other, path)); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Until(f.ctx, func([]scriptededitor.Message) bool {
		return !strings.Contains(hover(), "so far")
	}); err != nil {
		t.Errorf("what the session did not carry has a price: %v", err)
	}
}

// TestNothingIsCountedUnasked: where the live session is not followed, no ledger is opened for it.
func TestNothingIsCountedUnasked(t *testing.T) {
	f, root, k := recordedWorkspace(t, 6, func(s *Server) {
		find := s.o.Find
		s.o.Find = func(roots []string) (Workspace, error) {
			ws, err := find(roots)
			ws.Recorded = func() bool { return false }
			return ws, err
		}
	})
	if _, err := f.Initialize(f.ctx, nil, map[string]any{"live": false}, nil); err != nil {
		t.Fatal(err)
	}
	u, titles := f.shows(t, filepath.Join(root, ".mcp.json"), configuration)
	if len(titles) != 3 || !strings.HasSuffix(titles[1], "calls unknown · cost unknown") {
		t.Errorf("the lenses are %q", titles)
	}
	b := &buffer{fixture: f, u: u}
	var lenses []struct{ Command struct{ Tooltip string } }
	if err := f.Call(f.ctx, "textDocument/codeLens", b.of(nil), &lenses); err != nil ||
		!strings.Contains(lenses[1].Command.Tooltip, "\ncalls are unknown: the setting ctxledger.live is off\n") {
		t.Errorf("the lenses explain %+v, %v", lenses, err)
	}
	if err := f.Call(f.ctx, "ctxledger/carried", map[string]any{}, nil); err != nil {
		t.Fatal(err)
	}
	if n := k.dials.Load(); n > 0 {
		t.Errorf("the ledger was opened %d times", n)
	}
}

// askable is recordedWorkspace with a server in .mcp.json that notes in a file that it ran, and answers.
func askable(t *testing.T) (f *fixture, root, ran string) {
	t.Helper()
	f, root, _ = recordedWorkspace(t, 0)
	ran = filepath.Join(t.TempDir(), "ran")
	script := "echo x >> '" + ran + `'
while read -r line; do
  case $line in
  *'"initialize"'*) printf '%s\n' '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18",` +
		`"capabilities":{"tools":{}},"serverInfo":{"name":"x","version":"1"}}}' ;;
  *tools/list*) printf '%s\n' '{"jsonrpc":"2.0","id":1000,"result":{"tools":[{"name":"find","inputSchema":{}}]}}' ;;
  esac
done
`
	put := func(name, text string, mode os.FileMode) {
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	put("server.sh", script, 0o700)
	put(".mcp.json", `{"mcpServers": {"docs": {"command": "/bin/sh", "args": ["server.sh"], "env": {"TOKEN": "hunter2"}}}}`,
		0o600)
	return f, root, ran
}

// askCommand has the server carry out the command.
func (f *fixture) askCommand(root string, more map[string]any, out any) error {
	argument := map[string]any{"agent": "claude-code", "server": "docs", "path": filepath.Join(root, ".mcp.json")}
	maps.Copy(argument, more)
	return f.Call(f.ctx, "workspace/executeCommand", map[string]any{"command": "ctxledger.server.askServer",
		"arguments": []any{argument}}, out)
}

// TestAServerIsAskedOnceItIsConfirmed: the editor shows what would run and sends back its digest. Nothing else starts it.
func TestAServerIsAskedOnceItIsConfirmed(t *testing.T) {
	f, root, ran := askable(t)
	f.initialize(t)
	path := filepath.Join(root, ".mcp.json")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	u, titles := f.shows(t, path, string(text))
	if !strings.Contains(strings.Join(titles, "\n"), "calls unknown · cost unknown: ask it…") {
		t.Errorf("the lenses are %q", titles)
	}
	var p struct{ Question, Approved string }
	if err := f.askCommand(root, map[string]any{"preview": true}, &p); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(p.Question, "/bin/sh server.sh\n") || strings.Contains(p.Question, "hunter2") ||
		p.Approved == "" {
		t.Errorf("the question is %s", p.Question)
	}
	if err := f.askCommand(root, map[string]any{"approved": "another"}, nil); err == nil ||
		!strings.Contains(err.Error(), "has changed since it was confirmed") {
		t.Errorf("another digest: %v", err)
	}
	if err := f.askCommand(root, map[string]any{"server": "gone", "preview": true}, nil); err == nil {
		t.Error("a server that is not configured")
	}
	if _, err := os.Stat(ran); err == nil {
		t.Fatal("it ran before it was confirmed")
	}
	var d struct{ Said string }
	err = f.askCommand(root, map[string]any{"approved": p.Approved}, &d)
	if err != nil || d.Said != "docs has 1 tool." {
		t.Fatalf("%+v, %v", d, err)
	}
	var report carried.Report
	if err := f.Call(f.ctx, "ctxledger/carried", map[string]any{}, &report); err != nil {
		t.Fatal(err)
	}
	part := report.Hosts[0].Parts[len(report.Hosts[0].Parts)-1]
	if len(part.Tools) != 1 || part.Tools[0].Name != "find" || part.Unknown || report.Hosts[0].Unknown != 0 {
		t.Errorf("%+v", part)
	}
	var shown json.RawMessage
	if err := f.Call(f.ctx, "textDocument/codeLens", scriptededitor.Document(u, nil), &shown); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`calls unknown · ≈11 tokens a request"`, "(1 tool, asked on "} {
		if !strings.Contains(string(shown), want) {
			t.Errorf("the lenses are %s without %q", shown, want)
		}
	}
	if raw, err := os.ReadFile(ran); err != nil || string(raw) != "x\n" {
		t.Errorf("it ran %q, %v", raw, err)
	}
}

// TestOtherEditorsAreAskedByTheServer: without a confirmation the server has the editor show what would run.
func TestOtherEditorsAreAskedByTheServer(t *testing.T) {
	for answer, runs := range map[string]bool{"Ask It": true, "": false, "Something": false} {
		t.Run(answer, func(t *testing.T) {
			f, root, ran := askable(t)
			var chosen any
			if answer != "" {
				chosen = map[string]any{"title": answer}
			}
			f.Answer("window/showMessageRequest", chosen)
			f.initialize(t)
			if err := f.askCommand(root, nil, nil); err != nil {
				t.Fatal(err)
			}
			shown := 0
			for _, m := range f.Calls() {
				if m.Method == "window/showMessageRequest" && strings.Contains(string(m.Params), "/bin/sh server.sh") &&
					!strings.Contains(string(m.Params), "hunter2") {
					shown++
				}
			}
			if shown != 1 {
				t.Errorf("%d questions; the calls are %+v", shown, f.Calls())
			}
			if _, err := os.Stat(ran); (err == nil) != runs {
				t.Errorf("it ran: %v", err == nil)
			}
		})
	}
}

// TestNoAnswerWaitsForCountedCalls has counting take until what is there without it was answered: the first time it reads
// all recorded sessions.
func TestNoAnswerWaitsForCountedCalls(t *testing.T) {
	f, root, k := recordedWorkspace(t, 6)
	k.counting = make(chan struct{})
	if _, err := f.Initialize(f.ctx, nil, map[string]any{"live": true, "status": true}, nil); err != nil {
		t.Fatal(err)
	}
	u := string(uri.File(filepath.Join(root, ".mcp.json")))
	if err := f.Open(u, "json", configuration); err != nil {
		t.Fatal(err)
	}
	lenses := func() string {
		var lenses json.RawMessage
		if err := f.Call(f.ctx, "textDocument/codeLens", scriptededitor.Document(u, nil), &lenses); err != nil {
			t.Fatal(err)
		}
		return string(lenses)
	}
	for range 3 {
		var r Carried
		err := f.Call(f.ctx, "ctxledger/carried", map[string]any{}, &r)
		if err != nil || len(r.Hosts) == 0 || !r.Counting {
			t.Fatal(r, err)
		}
		if got := lenses(); !strings.Contains(got, "calls are unknown: they have not been counted yet") {
			t.Errorf("before they are counted: %s", got)
		}
	}
	changes := func(told []scriptededitor.Message) (n int) {
		for _, m := range told {
			if m.Method == changedMethod {
				n++
			}
		}
		return n
	}
	told, err := f.Until(f.ctx, func([]scriptededitor.Message) bool { return true })
	if err != nil {
		t.Fatal(err)
	}
	before := changes(told)
	close(k.counting)
	more := func(told []scriptededitor.Message) bool { return changes(told) > before }
	if _, err := f.Until(f.ctx, more); err != nil {
		t.Fatal(err)
	}
	for got := ""; !strings.Contains(got, "6 calls in the last 6"); got = lenses() { // it may have been another change
		if f.ctx.Err() != nil {
			t.Fatal(got)
		}
	}
	var r Carried
	if err := f.Call(f.ctx, "ctxledger/carried", map[string]any{}, &r); err != nil || len(r.Hosts) == 0 {
		t.Error(r, err)
	}
}
