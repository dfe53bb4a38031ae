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

	"ctxledger.dev/engine/daemon"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/testonly/scriptededitor"
	"ctxledger.dev/lab/sandbox"
)

// node is a node of the tree.
type node struct {
	ID, Label, Description, Tooltip, Kind, URI, Handle string
	Children, Live                                     bool
}

// nodes asks for the children of a node.
func (s *server) nodes(t *testing.T, parent string) []node {
	t.Helper()
	var r struct{ Nodes []node }
	must(t, s.Call(s.ctx, "ctxledger/tree", map[string]any{"parent": parent}, &r))
	return r.Nodes
}

// content asks for a document.
func (s *server) content(t *testing.T, uri string) string {
	t.Helper()
	var r struct{ Text string }
	must(t, s.Call(s.ctx, "workspace/textDocumentContent", map[string]any{"uri": uri}, &r))
	return r.Text
}

// command runs a command on the ledger.
func (s *server) command(t *testing.T, name string, argument map[string]any) (d struct{ Said, URI string }) {
	t.Helper()
	p := map[string]any{"command": "ctxledger.server." + name, "arguments": []any{argument}, "workDoneToken": "mine"}
	must(t, s.Call(s.ctx, "workspace/executeCommand", p, &d))
	return d
}

// awaitChanged waits for one more notification than that number that the ledger may have changed.
func (s *server) awaitChanged(t *testing.T, times int) int {
	t.Helper()
	n := 0
	_, err := s.Until(s.ctx, func(told []scriptededitor.Message) bool {
		n = 0
		for _, m := range told {
			if m.Method == "ctxledger/changed" {
				n++
			}
		}
		return n > times
	})
	must(t, err)
	return n
}

// awaitSession waits until the tree lists a session: what changed first may be the ledger itself, which had to be made.
func (s *server) awaitSession(t *testing.T) (changed int) {
	t.Helper()
	for {
		changed = s.awaitChanged(t, changed)
		if len(s.nodes(t, "sessions")) > 0 {
			return changed
		}
	}
}

// labelled returns the node of a label.
func labelled(t *testing.T, nodes []node, label string) node {
	t.Helper()
	for _, n := range nodes {
		if n.Label == label {
			return n
		}
	}
	t.Fatalf("no %s in %+v", label, nodes)
	return node{}
}

// TestTheEditorShowsWhatTheLedgerHolds follows an agent at work through the daemon.
func TestTheEditorShowsWhatTheLedgerHolds(t *testing.T) {
	p := newPlace(t)
	p.StopDaemons(t)
	a := newAgent(t, p)
	s := p.start(t, a.variables())
	offered, err := s.Initialize(s.ctx, capable, quiet,
		map[string]any{"workspaceFolders": []any{map[string]any{"uri": p.uri(""), "name": "x"}}})
	must(t, err)
	if !strings.Contains(string(offered), `"textDocumentContent":{"schemes":["ctxledger"]}`) {
		t.Errorf("the server offers %s", offered)
	}
	changed := s.awaitSession(t)
	session := labelled(t, s.nodes(t, "sessions"), "Please read.")
	if session.Kind != "session" || !session.Live || session.Handle == "" ||
		!strings.HasPrefix(session.URI, "ctxledger:/session/"+session.Handle+"/Please%20read.md") {
		t.Errorf("the session is %+v", session)
	}
	// What has to fit a frame of the daemon in its longest form.
	tags := strings.Repeat("<b>&</b>\n", 300_000)
	a.read(t, "page.html", tags)
	a.read(t, "small.txt", "a few words")
	for len(s.nodes(t, "artifacts")) == 0 {
		changed = s.awaitChanged(t, changed)
	}
	page := labelled(t, s.nodes(t, session.ID+"/artifacts"), "page.html")
	text := s.content(t, page.URI)
	if !strings.HasSuffix(page.URI, "/page.html") || !strings.HasPrefix(text, "<b>&</b>\n<b>&</b>\n") ||
		!strings.Contains(text, "`ctxledger artifact read "+page.Handle+"` prints all of it") {
		t.Errorf("the artifact is %+v, shown as %d bytes", page, len(text))
	}
	for !strings.Contains(s.content(t, session.URI), "- `Read` `small.txt`: ") { // at the scale of what was reported
		changed = s.awaitChanged(t, changed)
	}
	if text := s.content(t, session.URI); !strings.Contains(text, "- `Read` `page.html`: ") ||
		!strings.Contains(text, ", kept as `"+page.Handle+"`\n") {
		t.Errorf("the session is shown as %s", text)
	}
	s.leave(t)
}

// TestAPersonTidiesUpInTheEditor compacts, takes back and forgets, and ends the daemon in between.
func TestAPersonTidiesUpInTheEditor(t *testing.T) {
	p := newPlace(t)
	p.StopDaemons(t)
	a := newAgent(t, p)
	for i := range 20 {
		a.read(t, fmt.Sprintf("file%d.txt", i), strings.Repeat("many words ", 500))
		a.write(t, "user", map[string]any{"role": "user", "content": fmt.Sprintf("And now number %d.", i)})
	}
	s := p.start(t, a.variables())
	s.inWorkspace(t, p, quiet)
	changed := s.awaitSession(t)
	d := s.command(t, "compact", map[string]any{"session": ""})
	if !strings.Contains(d.Said, " tokens, summary ") || !strings.HasPrefix(d.URI, "ctxledger:/summary/") {
		t.Fatalf("compacted: %+v", d)
	}
	told, err := s.Until(s.ctx, func(told []scriptededitor.Message) bool { return len(kinds(told)) == 2 })
	must(t, err)
	if k := kinds(told); k[0] != "begin" || k[1] != "end" {
		t.Errorf("progress was %v", k)
	}
	if text := s.content(t, d.URI); !strings.Contains(text, "And now number 1.") {
		t.Errorf("the summary is shown as %s", text)
	}
	p.killDaemon(t)
	summary, _, _ := strings.Cut(strings.TrimPrefix(d.URI, "ctxledger:/summary/"), "/")
	if r := s.command(t, "restore", map[string]any{"summary": summary}); !strings.HasPrefix(r.Said,
		"Undid summary "+summary) {
		t.Errorf("restored: %+v", r)
	}
	session := s.nodes(t, "sessions")[0]
	if f := s.command(t, "forget", map[string]any{"handle": session.Handle, "dryRun": true}); !strings.HasPrefix(f.Said,
		"Would forget ") {
		t.Errorf("to be forgotten: %+v", f)
	}
	s.awaitChanged(t, changed)
	if f := s.command(t, "forget", map[string]any{"handle": session.Handle}); !strings.HasPrefix(f.Said, "Forgot ") ||
		strings.Contains(s.content(t, session.URI), "number 1.") {
		t.Errorf("forgotten: %+v", f)
	}
	s.leave(t)
}

// killDaemon kills the owner of the place's ledger.
func (p place) killDaemon(t *testing.T) {
	t.Helper()
	var owner struct{ PID int }
	raw, err := os.ReadFile(filepath.Join(p.Workspace(t).State, "owner.json"))
	must(t, err)
	must(t, json.Unmarshal(raw, &owner))
	process, err := os.FindProcess(owner.PID)
	must(t, err)
	must(t, process.Kill())
}

// TestALedgerInTroubleIsExplained asks for what a ledger holds that cannot be opened: each call gets one answer
// that says what to do.
func TestALedgerInTroubleIsExplained(t *testing.T) {
	for name, spoil := range map[string]func(t *testing.T, p *place){
		"the state is a file": func(t *testing.T, p *place) {
			p.State = filepath.Join(t.TempDir(), "file")
			must(t, os.WriteFile(p.State, nil, 0o644))
		},
		"the ledger is none": func(t *testing.T, p *place) {
			ws := p.Workspace(t)
			must(t, os.MkdirAll(ws.State, 0o700))
			must(t, os.WriteFile(filepath.Join(ws.State, "ledger.db"),
				[]byte(strings.Repeat("no ledger ", 1000)), 0o600))
		},
		"there is no workspace": func(_ *testing.T, p *place) { p.Root = p.Home },
	} {
		p := newPlace(t)
		spoil(t, &p)
		s := p.start(t)
		s.inWorkspace(t, p, map[string]any{"status": true, "lens": "always"})
		for method, params := range map[string]map[string]any{
			"ctxledger/tree":                {"parent": ""},
			"ctxledger/diff":                {"uri": "ctxledger:/change/1/x"},
			"workspace/textDocumentContent": {"uri": "ctxledger:/session/ab03de2c/x.md"},
			"workspace/executeCommand": {"command": "ctxledger.server.compact",
				"arguments": []any{map[string]any{}}},
		} {
			began := time.Now()
			wire, ok := errors.AsType[*scriptededitor.Error](s.Call(s.ctx, method, params, nil))
			if !ok || wire.Code != -32803 {
				t.Errorf("%s: %s: %v", name, method, wire)
				continue
			}
			var data struct{ Message, Hint string }
			if err := json.Unmarshal(wire.Data, &data); err != nil || data.Hint == "" ||
				wire.Message != data.Message+"; "+data.Hint {
				t.Errorf("%s: %s: %v, %s", name, method, wire, wire.Data)
			}
			t.Logf("%s: %s after %v: %s", name, method, time.Since(began), wire.Message)
		}
		must(t, s.Open("untitled:x", "markdown", guide))
		if got := s.cost(t, "untitled:x"); got != count(guide) {
			t.Errorf("%s: the lens says %q", name, got)
		}
		s.leave(t)
	}
}

// TestNothingIsStartedWhileSessionsAreNotFollowed opens the view and the panel with live off: no ledger is made and no
// daemon started, and a session that begins later is not recorded. What is recorded, by a person's command, can be read.
func TestNothingIsStartedWhileSessionsAreNotFollowed(t *testing.T) {
	p := newPlace(t)
	p.StopDaemons(t)
	ws := p.Workspace(t)
	a := newAgent(t, p)
	a.read(t, "a.md", guide)
	s := p.start(t, a.variables())
	s.inWorkspace(t, p, map[string]any{"live": false, "status": true})
	owned := func() {
		t.Helper()
		for _, state := range []string{ws.State, ws.UserState} {
			if st, err := daemon.Status(s.ctx, state); err != nil || st.Running {
				t.Errorf("%s: %+v, %v", state, st, err)
			}
		}
	}
	unknown := func() string {
		t.Helper()
		var c struct{ Session, Unknown string }
		must(t, s.Call(s.ctx, "ctxledger/context", map[string]any{}, &c))
		return c.Session + c.Unknown
	}
	if nodes := s.nodes(t, ""); len(nodes) > 0 || unknown() != "the setting ctxledger.live is off" {
		t.Errorf("the view has %+v, the panel says %q", nodes, unknown())
	}
	err := s.Call(s.ctx, "workspace/executeCommand", map[string]any{"command": "ctxledger.server.compact"}, nil)
	if err == nil || !strings.Contains(err.Error(), "nothing is recorded here: the setting ctxledger.live is off") {
		t.Errorf("a command: %v", err)
	}
	if _, err := os.Stat(filepath.Dir(ws.State)); !os.IsNotExist(err) {
		t.Errorf("%s was made: %v", filepath.Dir(ws.State), err)
	}
	if d := s.command(t, "readPast", map[string]any{}); d.Said != "1 past session read." {
		t.Errorf("%+v", d)
	}
	first := labelled(t, s.nodes(t, "sessions"), "Please read.")
	if panel := unknown(); !strings.HasPrefix(panel, first.Handle) {
		t.Errorf("the panel is about %q, not %+v", panel, first)
	}
	_, err = sandbox.NewAgent(a.home, p.Root, "gpt-5", "A second session.")
	must(t, err)
	owned()
	if nodes := s.nodes(t, "sessions"); len(nodes) != 1 {
		t.Errorf("followed: %+v", nodes)
	}
	api, err := daemon.Open(s.ctx, daemon.Options{State: ws.State, Workspace: p.Root, Env: env.System(), InProcess: true})
	must(t, err) // nobody holds it: an agent's own server could start
	must(t, api.Close())
}

// TestHostileNamesCostOneAnswer asks the ledger for invalid names, each followed by a good call.
func TestHostileNamesCostOneAnswer(t *testing.T) {
	p := newPlace(t)
	p.StopDaemons(t)
	s := p.start(t)
	s.inWorkspace(t, p, map[string]any{"status": true})
	type refused struct {
		method, params string
		code           int
	}
	var cases []refused
	for _, id := range []string{"x", "..", "sessions/..", "sessions/@-1", "sessions/\\u0000", "sessions/ab03/../..",
		"__proto__", strings.Repeat("sessions/", 100_000)} {
		cases = append(cases, refused{"ctxledger/tree", `{"parent":"` + id + `"}`, invalidParams})
	}
	for _, raw := range []string{"null", "[]", `"x"`, `{"parent":7}`, `{"parent":{}}`} {
		cases = append(cases, refused{"ctxledger/tree", raw, invalidParams})
	}
	for _, uri := range []string{
		"", "x", "file:///etc/passwd", "ctxledger:/artifact/../../etc/passwd", "ctxledger:/session/%00",
		"ctxledger:/summary/", "ctxledger:/x/ab/y",
		"ctxledger://evil/artifact/ab/x", "ctxledger:/artifact/ab/x?y=1", "command:workbench.action.quit",
		"ctxledger:/memory/user/" + strings.Repeat("a", 1<<20) + ".md",
	} {
		cases = append(cases, refused{"workspace/textDocumentContent", `{"uri":"` + uri + `"}`, invalidParams},
			refused{"ctxledger/diff", `{"uri":"` + uri + `"}`, invalidParams})
	}
	for _, uri := range []string{"ctxledger:/artifact/000000000000/x", "ctxledger:/session/00000000/../x",
		"ctxledger:/change/99999999999999999999/x", "ctxledger:/memory/project/%2e%2e%2f%2e%2e.md",
		"ctxledger:/memory/project/%ff.md", "ctxledger:/before/1/x", "ctxledger:/after/99999999999999999999/x"} {
		cases = append(cases, refused{"workspace/textDocumentContent", `{"uri":"` + uri + `"}`, requestFailed})
	}
	for _, c := range []struct {
		name, args string
		code       int
	}{
		{"compact", `[{"session":7}]`, invalidParams}, {"compact", `["x"]`, invalidParams},
		{"compact", `[{},{}]`, invalidParams}, {"compact", `[{"session":"zz"}]`, requestFailed},
		{"restore", `[{"summary":""}]`, requestFailed},
		{"restore", `[{"summary":"` + strings.Repeat("a", 1<<16) + `"}]`, requestFailed},
		{"restore", `[7]`, invalidParams},
		{"forget", `[{}]`, invalidParams}, {"forget", `[{"handle":"../../x"}]`, requestFailed},
		{"forget", `[{"handle":7}]`, invalidParams},
		{"forget", `[{"handle":"x","dryRun":"no"}]`, invalidParams},
	} {
		cases = append(cases, refused{"workspace/executeCommand",
			`{"command":"ctxledger.server.` + c.name + `","arguments":` + c.args + `}`, c.code})
	}
	for _, c := range cases {
		wire, ok := errors.AsType[*scriptededitor.Error](s.Call(s.ctx, c.method, json.RawMessage(c.params), nil))
		if !ok || wire.Code != c.code || len(wire.Message) > 1200 {
			t.Errorf("%s %.100s: %.300v", c.method, c.params, wire)
		}
		if roots := s.nodes(t, ""); len(roots) != 4 {
			t.Fatalf("after %s %.100s the roots are %+v", c.method, c.params, roots)
		}
	}
	s.leave(t)
}

// TestPastSessionsAreReadWhenSomebodyAsks: the files of an agent from before there was a ledger. Only that of a session of
// today is read unasked.
func TestPastSessionsAreReadWhenSomebodyAsks(t *testing.T) {
	p := newPlace(t)
	p.StopDaemons(t)
	a := newAgent(t, p)
	a.read(t, "a.md", guide)
	written, err := os.ReadFile(a.File)
	must(t, err)
	const before = "99999999-0000-4000-8000-000000000000"
	past := strings.NewReplacer(sandbox.HostSession, before, "Please read.", "Read it first.", `"uuid":"0000`, `"uuid":"9999`,
		"toolu_", "toolu_9").Replace(string(written))
	file := filepath.Join(filepath.Dir(a.File), before+".jsonl")
	must(t, os.WriteFile(file, []byte(past), 0o600))
	lastMonth := time.Now().AddDate(0, 0, -30)
	must(t, os.Chtimes(file, lastMonth, lastMonth))
	s := p.start(t, a.variables())
	s.inWorkspace(t, p, map[string]any{"status": true})
	s.awaitStatus(t, func(st status) bool { return st.Session != "" })
	if nodes := s.nodes(t, "sessions"); len(nodes) != 1 || nodes[0].Label != "Please read." {
		t.Errorf("read unasked: %+v", nodes)
	}
	if d := s.command(t, "readPast", map[string]any{}); d.Said != "1 past session read." {
		t.Errorf("%+v", d)
	}
	nodes := s.nodes(t, "sessions")
	i := slices.IndexFunc(nodes, func(n node) bool { return n.Label == "Read it first." })
	if len(nodes) != 2 || i < 0 || !strings.HasPrefix(nodes[i].Description, "less than $0.01 · ") ||
		!strings.HasSuffix(nodes[i].Description, " · 1 turn · gpt-5") ||
		!strings.Contains(nodes[i].Tooltip, "\nless than $0.01 at the list prices of gpt-5\n") {
		t.Fatalf("%+v", nodes)
	}
	if text := s.content(t, nodes[i].URI); !strings.Contains(text, "Read it first.") {
		t.Errorf("the session is shown as %s", text)
	}
	if d := s.command(t, "readPast", map[string]any{}); !strings.HasPrefix(d.Said, "There are no past sessions left") {
		t.Errorf("again: %+v", d)
	}
}
