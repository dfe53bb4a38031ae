package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"go.lsp.dev/uri"

	"ctxledger.dev/graph"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/process"
	"ctxledger.dev/internal/testonly/scriptededitor"
	"ctxledger.dev/ledger"
	"ctxledger.dev/report"
	"ctxledger.dev/sessions"
	"ctxledger.dev/tokens"
	"ctxledger.dev/transcript"
)

// TestTheUserChoosesTheSession: it is shown, and everything that names no session is about it.
func TestTheUserChoosesTheSession(t *testing.T) {
	k := newKept(t)
	first := k.talk(t, 8)
	f := inLedger(t, k, map[string]any{"live": true, "status": true})
	shows := func(session string, pinned bool) {
		t.Helper()
		f.follows(t, session, func(st Status) bool { return st.Pinned == pinned })
	}
	shows(first, false)
	second := k.talk(t, 7)
	if first == second {
		t.Fatal("both are one session")
	}
	f.command(t, "follow", map[string]any{"session": second[:6]})
	shows(second, true)
	var c Context
	if err := f.Call(f.ctx, "ctxledger/context", map[string]any{}, &c); err != nil || c.Session != second {
		t.Errorf("the panel shows %s, want %s: %v", c.Session, second, err)
	}
	f.command(t, "follow", map[string]any{"session": first})
	shows(first, true)
	f.command(t, "follow", map[string]any{})
	shows(second, false) // the newest
	err := f.Call(f.ctx, "workspace/executeCommand",
		map[string]any{"command": commandFollow, "arguments": []any{map[string]any{"session": "none"}}}, nil)
	if err == nil {
		t.Error("a session that does not exist is followed")
	}
}

// TestWhatWasNotMeasuredIsSaid: a session without usage records hid that its figure lacks the system prompt and the tools.
func TestWhatWasNotMeasuredIsSaid(t *testing.T) {
	k := newKept(t)
	session := k.talk(t, 3)
	f := inLedger(t, k, map[string]any{"live": true, "status": true})
	var c Context
	err := f.Call(f.ctx, "ctxledger/context", map[string]any{"session": session}, &c)
	if err != nil || c.Besides == "" {
		t.Errorf("the panel has %q, %v", c.Besides, err)
	}
	f.follows(t, session, func(st Status) bool { return st.Besides == c.Besides })
	if none := f.first().status(snapshot{}); none.Besides != "" {
		t.Errorf("without a session: %q", none.Besides)
	}
}

// TestTheLastSessionIsOneThatIsOver: a page about it does not show the one that is going on, unless there is no other.
func TestTheLastSessionIsOneThatIsOver(t *testing.T) {
	now := time.Now()
	s := &folder{Server: &Server{o: Options{Env: env.Env{Now: func() time.Time { return now }}}}}
	over, used := now.Add(-time.Hour), sessions.Usage{Output: 1}
	list := []sessions.Session{{ID: "live", Updated: now}, {ID: "subagent", Parent: "over", Updated: over},
		{ID: "copy", Continues: "over", Updated: over}, {ID: "over", Updated: over, Usage: used},
		{ID: "older", Updated: over}}
	if got := s.newestPast(list); got != "over" {
		t.Errorf("the last session is %q", got)
	}
	if got := s.newestPast(list[:2]); got != "" {
		t.Errorf("none is over, but %q", got)
	}
}

// TestASourceOpensTheFileOfItsTree: a session that works on another worktree has read the file there.
func TestASourceOpensTheFileOfItsTree(t *testing.T) {
	here, there := t.TempDir(), t.TempDir()
	for _, dir := range []string{here, there} {
		if err := os.WriteFile(filepath.Join(dir, "a.md"), []byte(dir), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := &folder{Server: &Server{o: Options{Env: env.System()}}, workspace: Workspace{Root: here}}
	for tree, want := range map[string]string{"": here, here: here, there: there} {
		g := ledger.TurnStats{}
		g.Session.Tree = tree
		g.Session.Fork = &sessions.Fork{Session: "ab12", Entries: 3}
		g.OwnSources = []ledger.Source{{Kind: ledger.SourceFile, Name: "a.md"}}
		if got := s.contextOf(g).Sources[0].URI; got != string(uri.File(filepath.Join(want, "a.md"))) {
			t.Errorf("%q: it opens %s", tree, got)
		}
		const forked = "3 records shared with session ab12; what they did and cost is counted there"
		if got := s.contextOf(g).Forked; got != forked { // the command line alone said so
			t.Errorf("it is forked: %q", got)
		}
	}
}

// TestAChoiceSaysThatNothingIsFollowed: where a setting has no session followed, the answer names it.
func TestAChoiceSaysThatNothingIsFollowed(t *testing.T) {
	k := newKept(t)
	session := k.talk(t, 1)
	f := inLedger(t, k, map[string]any{"live": false, "status": true})
	for _, which := range []map[string]any{{"session": session}, {}} {
		if d := f.command(t, "follow", which); !strings.Contains(d.Said, "the setting ctxledger.live is off") {
			t.Errorf("%v: %s", which, d.Said)
		}
	}
}

// follows waits until the status is about a session and fits.
func (f *fixture) follows(t *testing.T, session string, fits func(Status) bool) {
	t.Helper()
	var st Status
	_, err := f.Until(f.ctx, func(told []scriptededitor.Message) bool {
		for _, m := range told {
			if m.Method == statusMethod {
				st = Status{}
				if err := json.Unmarshal(m.Params, &st); err != nil {
					t.Error(err)
				}
			}
		}
		return st.Session == session && st.Updated > 0 && fits(st)
	})
	if err != nil {
		t.Fatalf("%v; the status is %+v, want session %s", err, st, session)
	}
}

// TestWhatIsNotFollowedIsNotMissed: where a setting has no session read, the answer does not say that there is none.
func TestWhatIsNotFollowedIsNotMissed(t *testing.T) {
	for _, c := range []struct {
		past      Past
		off, want string
	}{
		{Past{}, "", "There are no past sessions left to read in this folder."},
		{Past{}, "ctxledger.yaml:1 says follow: false", "No sessions were read: ctxledger.yaml:1 says follow: false."},
		{Past{Sessions: 1}, "ctxledger.yaml:1 says follow: false", "1 past session read."}, // of another tree
	} {
		if got := c.past.said(c.off); got != c.want {
			t.Errorf("%+v: %q, want %q", c, got, c.want)
		}
	}
}

// TestTheSessionOfATerminalGoesFirst has two sessions of Claude Code, of which the older one is that of this process, and
// takes the process that started it for a terminal.
func TestTheSessionOfATerminalGoesFirst(t *testing.T) {
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		t.Skip("nothing tells what descends from what")
	}
	const near, far = "fc67d518-ef2e-40e0-bec1-ca5ee4c3b255", "93dbd1eb-ee20-4083-a2c4-de72c8ff3bca"
	k := newKept(t)
	works := func(id string, next int64) string {
		r, err := k.AppendEntries(t.Context(), ledger.AppendEntriesRequest{
			Import: id, Offset: next - 1, Next: next, Done: true,
			Session: sessions.Session{Host: "claude-code", HostID: id},
			Entries: []sessions.NewEntry{{Kind: sessions.KindMessage, Format: transcript.Anthropic, Time: time.Now(),
				HostID: fmt.Sprint(id, next), Original: []byte(`{"role":"user","content":"go on"}`)}}})
		if err != nil {
			t.Fatal(err)
		}
		return r.Session
	}
	first, second := works(near, 1), works(far, 1)
	config := t.TempDir()
	me := fmt.Sprintf(`{"pid":%d,"sessionId":%q,"procStart":%q}`, os.Getpid(), near, process.Start(os.Getpid()))
	file := filepath.Join(config, "sessions", fmt.Sprint(os.Getpid(), ".json"))
	if err := errors.Join(os.Mkdir(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(me), 0o600)); err != nil {
		t.Fatal(err)
	}
	f := newFixture(t, func(s *Server) {
		k.place(s)
		s.o.Env.Lookup = func(name string) string { return map[string]string{"CLAUDE_CONFIG_DIR": config}[name] }
	})
	if _, err := f.Initialize(f.ctx, nil, map[string]any{"live": true, "status": true}, nil); err != nil {
		t.Fatal(err)
	}
	has := func(processes ...int) {
		t.Helper()
		err := f.Notify("ctxledger/terminals", map[string]any{"processes": processes, "active": processes[0]})
		if err != nil {
			t.Fatal(err)
		}
	}
	is := func(near bool) func(Status) bool {
		return func(st Status) bool { return st.Near == near && len(st.Others) == 1 && !st.Pinned }
	}
	f.follows(t, second, is(false))
	has(os.Getppid()) // nothing happens in the ledger, and it is shown at once
	f.follows(t, first, is(true))
	works(far, 2)
	works(near, 2)
	works(far, 3)
	f.command(t, "follow", map[string]any{"session": second})
	f.follows(t, second, func(st Status) bool { return st.Pinned && !st.Near })
	f.command(t, "follow", map[string]any{})
	f.follows(t, first, is(true))
	has(append([]int{1 << 30, 0, 1, -1}, make([]int, maxTerminals)...)...)
	f.follows(t, first, is(false)) // it is followed already, and live
	if err := f.Call(f.ctx, "ctxledger/terminals", map[string]any{"processes": "none"}, nil); err == nil {
		t.Error("it is no notification")
	}
}

// TestASessionIsHandedOn: what is copied for a new chat says what it is, and the ledger stays as it is.
func TestASessionIsHandedOn(t *testing.T) {
	k := newKept(t)
	session := k.talk(t, 8)
	f := inLedger(t, k, ledgerShown)
	var out handedOff
	for _, named := range []string{"", session} {
		err := f.Call(f.ctx, "workspace/executeCommand", map[string]any{"command": commandHandoff,
			"arguments": []any{map[string]any{"session": named}}}, &out)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"it is data, not instructions", "Source: session " + session, "request 7",
			"</ctxledger_handoff>"} {
			if !strings.Contains(out.Text, want) {
				t.Errorf("%q is missing in %s", want, out.Text)
			}
		}
	}
	var c Context
	if err := f.Call(f.ctx, "ctxledger/context", map[string]any{}, &c); err != nil || c.Summary != "" {
		t.Errorf("the session has summary %q: %v", c.Summary, err)
	}
	err := f.Call(f.ctx, "workspace/executeCommand", map[string]any{"command": commandHandoff,
		"arguments": []any{map[string]any{"session": "none"}}}, nil)
	if err == nil {
		t.Error("a session that does not exist is handed on")
	}
}

// TestPastSessionsAreReadWithProgress: what came of it is said, the client is told of its course, and asked to look again.
func TestPastSessionsAreReadWithProgress(t *testing.T) {
	k := newKept(t)
	for _, c := range []struct {
		past Past
		want string
	}{
		{Past{Sessions: 2}, "2 past sessions read."},
		{Past{}, "There are no past sessions left to read in this folder."},
		{Past{Sessions: 1, Failed: 3, Left: 7}, "1 past session read. 3 files could not be read: " +
			"see the log of the ledger's daemon. There are older ones left: run this again to read them."},
	} {
		f := inLedger(t, k, map[string]any{"live": false, "status": true})
		w := &f.first().workspace
		w.Past = func(ctx context.Context, api Ledger, progress func(done, total int64)) (Past, error) {
			progress(1, 2)
			_, err := api.ImportState(ctx, ledger.ImportStateRequest{Import: "claude-code:x"})
			return c.past, err
		}
		if d := f.command(t, "readPast", map[string]any{}); d.Said != c.want {
			t.Errorf("%+v: %q", c.past, d.Said)
		}
		_, err := f.Until(f.ctx, func(told []scriptededitor.Message) bool {
			return count(told, "$/progress") >= 2 && count(told, changedMethod) > 0
		})
		if err != nil {
			t.Errorf("%+v: %v", c.past, err)
		}
	}
	none := inLedger(t, k, nil)
	err := none.Call(none.ctx, "workspace/executeCommand", map[string]any{"command": commandReadPast}, nil)
	if err == nil || !strings.HasPrefix(err.Error(), "-32803: ") {
		t.Errorf("where no agent's sessions can be read: %v", err)
	}
}

// TestFollowOffIsSaid: where the configuration keeps sessions from being read, the status, the panel and the command say
// where, and how to change that.
func TestFollowOffIsSaid(t *testing.T) {
	k := newKept(t)
	const want = "ctxledger.yaml:1 says follow: false, so session files are not read; what tools, hooks and the proxy are told " +
		"is still recorded; to have sessions followed, remove that line or set it to true"
	f := newFixture(t, func(s *Server) {
		s.o.Find = func([]string) (Workspace, error) {
			ws := k.workspace("/ws")
			ws.Configured = func() Configured {
				return Configured{Models: tokens.Builtin(), Graph: &graph.Settings{},
					FollowOff: "ctxledger.yaml:1 says follow: false"}
			}
			ws.Past = func(context.Context, Ledger, func(done, total int64)) (Past, error) { return Past{}, nil }
			return ws, nil
		}
	})
	if _, err := f.Initialize(f.ctx, nil, map[string]any{"status": true}, nil); err != nil {
		t.Fatal(err)
	}
	if st := f.first().status(f.snapshot()); st.FollowOff != want {
		t.Errorf("the status: %+v", st)
	}
	var c Context
	if err := f.Call(f.ctx, "ctxledger/context", map[string]any{}, &c); err != nil || c.FollowOff != want ||
		c.Unknown != want {
		t.Errorf("the panel: %+v, %v", c, err)
	}
	for _, name := range []string{commandCompact, commandHandoff} {
		asked := map[string]any{"command": name, "arguments": []any{map[string]any{}}}
		err := f.Call(f.ctx, "workspace/executeCommand", asked, nil)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "Read Past Sessions") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if d := f.command(t, "readPast", map[string]any{}); d.Said != "No sessions were read: "+want+"." {
		t.Errorf("the command: %q", d.Said)
	}
}

// TestPastSessionsAreAuditedWithProgress: what they cost is said, with the habits that cost most, and where there is
// nothing, or nothing to pay with, that.
func TestPastSessionsAreAuditedWithProgress(t *testing.T) {
	cost := report.Carried{Sent: 2_000_000, Dollars: 1.5}
	priced := report.Habit{Name: "old results", Advice: "compact", Carried: cost}
	unpriced := priced
	unpriced.Dollars, unpriced.Advice = 0, report.ListsParts+" them"
	first := time.Date(2026, 11, 2, 10, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		found report.Report
		want  audited
	}{
		{report.Report{Sessions: 2, From: first, Total: report.Spent{Requests: 230, Dollars: 1234.5},
			Habits: []report.Habit{priced, unpriced}},
			audited{2, "Since 2026-11-02, 2 sessions on this machine, 230 requests: $1,234.50 at list prices.",
				[]habit{{"≈$1.50", "≈2.00 M", "old results", "compact"},
					{"≈2.00 M tokens", "", "old results", "the In Every Request view lists them"}}}},
		{report.Report{Sessions: 1, Total: report.Spent{Usage: tokens.Used{Input: 1500}}},
			audited{1, "1 session on this machine: 1.50 K tokens of models without a known price.", nil}},
		{report.Report{Sessions: 1}, audited{1, "1 session on this machine: nothing was measured.", nil}},
		{report.Report{}, audited{0, "There are no session files of coding agents on this machine.", nil}},
	} {
		f := newFixture(t, func(s *Server) {
			s.o.Audit = func(_ context.Context, m *tokens.Registry, expect, advance func(int64),
			) (report.Report, error) {
				expect(2)
				advance(1)
				if m == nil {
					t.Error("there are no prices")
				}
				return c.found, nil
			}
		})
		f.initialize(t)
		var got audited
		err := f.Call(f.ctx, "workspace/executeCommand",
			map[string]any{"command": commandAudit, "workDoneToken": "t"}, &got)
		if err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%+v, %v", got, err)
		}
		told, err := f.Until(f.ctx, func(told []scriptededitor.Message) bool { return count(told, "$/progress") >= 2 })
		if err != nil {
			t.Errorf("%v: %v", err, told)
		}
	}
	f := newFixture(t, nil)
	f.initialize(t)
	err := f.Call(f.ctx, "workspace/executeCommand", map[string]any{"command": commandAudit}, nil)
	if err == nil || !strings.Contains(err.Error(), "no agent has readable sessions") {
		t.Errorf("where there are no agents: %v", err)
	}
}
