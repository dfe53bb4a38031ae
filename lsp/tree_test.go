package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"ctxledger.dev/engine"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/testonly/scriptededitor"
	"ctxledger.dev/ledger"
	"ctxledger.dev/memory"
	"ctxledger.dev/records"
	"ctxledger.dev/transcript"
)

// kept is a ledger that outlives its connections, which it counts.
type kept struct {
	*engine.Local
	refuse              atomic.Bool // whether it cannot be opened
	hold                chan struct{}
	stall               bool
	counting            chan struct{} // closed when calls may be counted; nil: they may
	dials, open, opened atomic.Int64  // opened is the most that were open at once
}

func newKept(t *testing.T) *kept {
	t.Helper()
	local, err := engine.Open(context.Background(),
		engine.Options{State: t.TempDir(), Workspace: "/ws", Env: env.System()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := local.Close(); err != nil {
			t.Error(err)
		}
	})
	return &kept{Local: local}
}

// dial opens a connection.
func (k *kept) dial(ctx context.Context) (Ledger, error) {
	k.dials.Add(1)
	if k.hold != nil {
		select {
		case <-k.hold:
		case <-ctx.Done():
			return nil, fault.Wrap(fault.Unavailable, "test", ctx.Err())
		}
	}
	if k.refuse.Load() {
		return nil, fault.New(fault.Unavailable, "test", "the ledger is away").WithHint("bring it back")
	}
	k.opened.Store(max(k.opened.Load(), k.open.Add(1)))
	return &dialled{API: k.Local, stall: k.stall, counting: k.counting,
		close: sync.OnceFunc(func() { k.open.Add(-1) })}, nil
}

// dialled is a connection that the test counts.
type dialled struct {
	ledger.API
	close func()
	stall bool // a compaction takes until it is given up

	counting <-chan struct{} // see kept
}

func (c *dialled) Close() error { c.close(); return nil }

func (c *dialled) ToolUse(ctx context.Context, r ledger.ToolUseRequest) (ledger.ToolUse, error) {
	if c.counting != nil {
		select {
		case <-c.counting:
		case <-ctx.Done():
			return ledger.ToolUse{}, ctx.Err()
		}
	}
	return c.API.ToolUse(ctx, r)
}

func (c *dialled) AcceptCompaction(ctx context.Context, r ledger.AcceptCompactionRequest) (ledger.Summary, error) {
	if c.stall {
		<-ctx.Done()
		return ledger.Summary{}, fault.New(fault.Unavailable, "test", "the answer did not come in time")
	}
	return c.API.AcceptCompaction(ctx, r)
}

// place says where the server is.
func (k *kept) place(s *Server) {
	s.o.Find = func([]string) (Workspace, error) {
		return k.workspace("/ws"), nil
	}
}

// workspace returns a workspace whose ledger it is.
func (k *kept) workspace(root string) Workspace {
	return Workspace{Root: root, Open: k.dial, Read: k.dial, Recorded: func() bool { return true }}
}

// ledgerShown are the settings of a client that shows what the ledger holds.
var ledgerShown = map[string]any{"status": true}

// inLedger starts a server on a ledger.
func inLedger(t *testing.T, k *kept, settings map[string]any) *fixture {
	t.Helper()
	f := newFixture(t, k.place)
	_, err := f.Initialize(f.ctx, map[string]any{
		"window":    map[string]any{"workDoneProgress": true},
		"workspace": map[string]any{"textDocumentContent": map[string]any{}},
	}, settings, nil)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// nodes requests the children of a node.
func (f *fixture) nodes(t *testing.T, parent string) []records.Node {
	t.Helper()
	var r struct{ Nodes []records.Node }
	if err := f.Call(f.ctx, "ctxledger/tree", map[string]any{"parent": parent}, &r); err != nil {
		t.Fatal(err)
	}
	return r.Nodes
}

// content asks for a document.
func (f *fixture) content(t *testing.T, uri string) string {
	t.Helper()
	var r struct{ Text string }
	if err := f.Call(f.ctx, "workspace/textDocumentContent", map[string]any{"uri": uri}, &r); err != nil {
		t.Fatal(err)
	}
	return r.Text
}

// command runs a command.
func (f *fixture) command(t *testing.T, name string, argument map[string]any) done {
	t.Helper()
	var d done
	p := map[string]any{"command": "ctxledger.server." + name, "arguments": []any{argument}, "workDoneToken": "mine"}
	if err := f.Call(f.ctx, "workspace/executeCommand", p, &d); err != nil {
		t.Fatal(err)
	}
	return d
}

// talk records a session of some turns, and returns its id.
func (k *kept) talk(t *testing.T, turns int) string {
	t.Helper()
	var messages [][]byte
	for i := range turns {
		messages = append(messages,
			transcript.NewMessage(transcript.Anthropic, transcript.RoleUser, fmt.Sprintf("request %d", i)),
			transcript.NewMessage(transcript.Anthropic, transcript.RoleAssistant,
				strings.Repeat("a long answer ", 200)))
	}
	r, err := k.AppendMessages(t.Context(),
		ledger.AppendMessagesRequest{Host: "test", Model: "gpt-5", Format: transcript.Anthropic, Messages: messages})
	if err != nil {
		t.Fatal(err)
	}
	return r.Session
}

// TestWhatIsNotFollowedIsNotLive: with live off, a session that was read on request was said to be live.
func TestWhatIsNotFollowedIsNotLive(t *testing.T) {
	for _, live := range []bool{true, false} {
		k := newKept(t)
		k.talk(t, 1)
		f := inLedger(t, k, map[string]any{"status": true, "live": live})
		var c Context
		err := f.Call(f.ctx, "ctxledger/context", map[string]any{}, &c)
		if err != nil || c.Session == "" || c.Live != live {
			t.Errorf("live %t: the context is of %q, live %t, %v", live, c.Session, c.Live, err)
		}
		if list := f.nodes(t, f.nodes(t, "")[0].ID); len(list) != 1 || list[0].Live != live {
			t.Errorf("live %t: the sessions are %+v", live, list)
		}
	}
}

func TestTheLedgerIsShownInTheEditor(t *testing.T) {
	k := newKept(t)
	session := k.talk(t, 8)
	f := inLedger(t, k, ledgerShown)
	roots := f.nodes(t, "")
	if len(roots) != 4 || roots[0].Kind != records.KindSessions || roots[0].Description != "1" {
		t.Fatalf("the roots are %+v", roots)
	}
	list := f.nodes(t, roots[0].ID)
	if len(list) != 1 || list[0].Label != "request 0" || !list[0].Live || list[0].Handle != session {
		t.Fatalf("the sessions are %+v", list)
	}
	text := f.content(t, list[0].URI)
	if !strings.HasPrefix(text, "# request 0\n") || !strings.Contains(text, "<summary>Turn 8 · ") {
		t.Errorf("the session is shown as %s", text)
	}
	for method, params := range map[string]map[string]any{
		"ctxledger/tree":                {"parent": "nowhere"},
		"ctxledger/diff":                {"uri": list[0].URI},
		"workspace/textDocumentContent": {"uri": "file:///etc/passwd"},
	} {
		if err := f.Call(f.ctx, method, params, nil); err == nil || !strings.HasPrefix(err.Error(), "-32602: ") {
			t.Errorf("%s: %v", method, err)
		}
	}
	secret := "ghp_" + strings.Repeat("Ab1x", 9)
	err := f.Call(f.ctx, "ctxledger/tree", map[string]any{"parent": "no " + secret}, nil)
	if err == nil || strings.Contains(err.Error(), secret) || !strings.Contains(err.Error(), "[masked:github-token:") {
		t.Errorf("an error that quotes a secret: %v", err)
	}
	err = f.Call(f.ctx, "workspace/textDocumentContent", map[string]any{"uri": "ctxledger:/artifact/000000000000/x"},
		nil)
	if err == nil || !strings.HasPrefix(err.Error(), "-32803: ") {
		t.Errorf("an unknown artifact: %v", err)
	}
}

// TestCommandsOnTheLedger compacts, restores and forgets.
func TestCommandsOnTheLedger(t *testing.T) {
	k := newKept(t)
	f := inLedger(t, k, map[string]any{"live": false, "status": true})
	empty := map[string]any{"command": commandCompact, "arguments": []any{map[string]any{}}}
	err := f.Call(f.ctx, "workspace/executeCommand", empty, nil)
	if err == nil || !strings.Contains(err.Error(), "no session is recorded here yet") ||
		!strings.Contains(err.Error(), "Read Past Sessions") || strings.Contains(err.Error(), "ctxledger import") {
		t.Errorf("without a session: %v", err)
	}
	session := k.talk(t, 12)
	d := f.command(t, "compact", map[string]any{"session": ""})
	if !strings.HasPrefix(d.Said, "The ledger's view of session "+session+": ") ||
		!strings.Contains(d.Said, " for turns 1–") ||
		!strings.HasSuffix(d.Said,
			"; a running agent keeps its window until it takes the summary") || !strings.HasPrefix(f.content(t,
		d.URI), "# Summary of turns 1–") {
		t.Errorf("compacted: %+v", d)
	}
	again := f.command(t, "compact", map[string]any{"session": session})
	if !strings.HasPrefix(again.Said, "Session "+session+" was not compacted: ") || again.URI != "" {
		t.Errorf("compacted again: %+v", again)
	}
	a, err := records.Parse(d.URI)
	if err != nil {
		t.Fatal(err)
	}
	restorable := func() bool {
		nodes := f.nodes(t, "sessions/"+session)
		i := slices.IndexFunc(nodes, func(n records.Node) bool { return n.Kind == records.KindSummary })
		return i >= 0 && nodes[i].Restorable
	}
	if !restorable() {
		t.Error("the summary cannot be restored")
	}
	got := f.command(t, "restore", map[string]any{"summary": a.ID})
	want := "Undid summary " + a.ID + ": ctxledger's view of session " + session + " has the whole conversation again, "
	if !strings.HasPrefix(got.Said, want) {
		t.Errorf("restored: %+v", got)
	}
	if restorable() {
		t.Error("the summary can be restored again")
	}
	got = f.command(t, "forget", map[string]any{"handle": session, "dryRun": true})
	if !strings.HasPrefix(got.Said, "Would forget ") || !strings.Contains(got.Said, "24 messages") {
		t.Errorf("to be forgotten: %+v", got)
	}
	if got := f.content(t, "ctxledger:/session/"+session); !strings.Contains(got, "request 0") {
		t.Errorf("a look forgets: %s", got)
	}
	got = f.command(t, "forget", map[string]any{"handle": session})
	if !strings.HasPrefix(got.Said, "Forgot ") ||
		strings.Contains(f.content(t, "ctxledger:/session/"+session), "a long answer") {
		t.Errorf("forgotten: %+v", got)
	}
	for name, args := range map[string][]any{commandRestore: {map[string]any{"summary": "none"}},
		commandForget: {map[string]any{}}, commandCompact: {map[string]any{"session": "none"}, 2}} {
		err := f.Call(f.ctx, "workspace/executeCommand", map[string]any{"command": name, "arguments": args}, nil)
		if err == nil {
			t.Errorf("%s takes %v", name, args)
		}
	}
	told, err := f.Until(f.ctx, func(told []scriptededitor.Message) bool {
		return count(told, changedMethod) > 0 && count(told, "$/progress") >= 4
	})
	if err != nil {
		t.Errorf("%v; told %v", err, told)
	}
}

// TestALookChangesNothing asks what would be forgotten: no change is reported.
func TestALookChangesNothing(t *testing.T) {
	k := newKept(t)
	session := k.talk(t, 1)
	f := newFixture(t, k.place)
	settings := map[string]any{"capabilities": map[string]any{}, "initializationOptions": map[string]any{"live": false}}
	if err := f.Call(f.ctx, "initialize", settings, nil); err != nil {
		t.Fatal(err)
	}
	for _, dry := range []bool{true, false} {
		f.command(t, "forget", map[string]any{"handle": session, "dryRun": dry})
		if l := f.pending.take(); l.changed == dry {
			t.Errorf("a look: %v, and something changed: %v", dry, l.changed)
		}
	}
}

// TestWhatWasForgottenIsReadAgain has a session open in a tab while it is forgotten.
func TestWhatWasForgottenIsReadAgain(t *testing.T) {
	const refresh = "workspace/textDocumentContent/refresh"
	k := newKept(t)
	session := k.talk(t, 2)
	f := inLedger(t, k, nil)
	uri := "ctxledger:/session/" + session + "/x.md"
	f.content(t, uri)
	f.command(t, "forget", map[string]any{"handle": session, "dryRun": true})
	f.command(t, "forget", map[string]any{"handle": session})
	if _, err := f.Until(f.ctx, func([]scriptededitor.Message) bool { return f.Asked(refresh) > 0 }); err != nil {
		t.Fatal(err)
	}
	for _, c := range f.Calls() {
		if c.Method == refresh && !strings.Contains(string(c.Params), uri) {
			t.Errorf("the client is to read %s again", c.Params)
		}
	}
	if strings.Contains(f.content(t, uri), "a long answer") {
		t.Error("it is still there")
	}
}

// TestWhatIsCountedInAnotherWayIsReadAgain: the figures in a session's document are those of the model of now.
func TestWhatIsCountedInAnotherWayIsReadAgain(t *testing.T) {
	k := newKept(t)
	f := inLedger(t, k, nil)
	f.content(t, "ctxledger:/session/"+k.talk(t, 2)+"/x.md")
	f.update(func(k *snapshot) { k.settings.Model = "claude-opus-4-6" })
	if _, err := f.Until(f.ctx, func([]scriptededitor.Message) bool {
		return f.Asked("workspace/textDocumentContent/refresh") > 0
	}); err != nil {
		t.Fatal(err)
	}
}

// TestACompactionCanBeGivenUp ends one by its request and by its progress.
func TestACompactionCanBeGivenUp(t *testing.T) {
	k := newKept(t)
	k.stall = true
	session := k.talk(t, 8)
	for name, give := range map[string]func(f *fixture, id int) error{
		"by its request": func(f *fixture, id int) error {
			return f.Notify("$/cancelRequest", map[string]any{"id": id})
		},
		"by its progress": func(f *fixture, _ int) error {
			return f.Notify("window/workDoneProgress/cancel", map[string]any{"token": "mine"})
		},
	} {
		f := inLedger(t, k, map[string]any{"live": false})
		call, err := f.Begin("workspace/executeCommand", map[string]any{"command": commandCompact,
			"arguments": []any{map[string]any{"session": session}}, "workDoneToken": "mine"})
		if err != nil {
			t.Fatal(err)
		}
		_, err = f.Until(f.ctx, func(told []scriptededitor.Message) bool { return count(told, "$/progress") == 1 })
		if err != nil {
			t.Fatal(err)
		}
		if err := give(f, call.ID); err != nil {
			t.Fatal(err)
		}
		if err := call.Wait(f.ctx, nil); err == nil || !strings.HasPrefix(err.Error(), "-32800: ") {
			t.Errorf("%s: %v", name, err)
		}
		_, err = f.Until(f.ctx, func(told []scriptededitor.Message) bool { return count(told, "$/progress") == 2 })
		if err != nil {
			t.Errorf("%s: the progress does not end: %v", name, err)
		}
	}
	s, err := k.Summaries(t.Context(), ledger.SummariesRequest{Session: session})
	if err != nil || len(s.Summaries) > 0 {
		t.Errorf("it was compacted: %+v, %v", s, err)
	}
}

// count returns the number of notifications of a method.
func count(told []scriptededitor.Message, method string) (n int) {
	for _, m := range told {
		if m.Method == method {
			n++
		}
	}
	return n
}

// TestOneConnectionIsShared asks for many things at once while the live session is followed.
func TestOneConnectionIsShared(t *testing.T) {
	k := newKept(t)
	session := k.talk(t, 1)
	f := inLedger(t, k, ledgerShown)
	_, err := f.Until(f.ctx, func(told []scriptededitor.Message) bool {
		// The first status may be before the connection.
		return slices.ContainsFunc(told, func(m scriptededitor.Message) bool {
			return m.Method == statusMethod && strings.Contains(string(m.Params), session)
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	var calls []*scriptededitor.Pending
	for range 100 {
		call, err := f.Begin("ctxledger/tree", map[string]any{"parent": "sessions"})
		if err != nil {
			t.Fatal(err)
		}
		calls = append(calls, call)
	}
	for _, c := range calls {
		if err := c.Wait(f.ctx, nil); err != nil {
			t.Error(err)
		}
	}
	if k.dials.Load() != 1 || k.opened.Load() != 1 {
		t.Errorf("%d connections, %d of them at once", k.dials.Load(), k.opened.Load())
	}
}

// TestALedgerThatIsAwayCostsOneAnswer takes the ledger away and brings it back.
func TestALedgerThatIsAwayCostsOneAnswer(t *testing.T) {
	k := newKept(t)
	k.refuse.Store(true)
	f := inLedger(t, k, map[string]any{"live": false})
	for _, c := range []struct{ method, params string }{
		{"ctxledger/tree", `{"parent":""}`},
		{"ctxledger/diff", `{"uri":"ctxledger:/change/1/x"}`},
		{"workspace/textDocumentContent", `{"uri":"ctxledger:/session/ab/x"}`},
		{"workspace/executeCommand", `{"command":"ctxledger.server.compact","arguments":[{"session":""}]}`},
	} {
		call, err := f.Begin(c.method, json.RawMessage(c.params))
		if err != nil {
			t.Fatal(err)
		}
		wire, ok := errors.AsType[*scriptededitor.Error](call.Wait(f.ctx, nil))
		if !ok || wire.Error() != "-32803: the ledger is away; bring it back" ||
			string(wire.Data) != `{"hint":"bring it back","message":"the ledger is away"}` {
			t.Errorf("%s: %v, %s", c.method, wire, wire.Data)
		}
	}
	k.refuse.Store(false)
	if got := f.nodes(t, ""); len(got) != 4 {
		t.Errorf("the roots are %+v", got)
	}
	if n := k.open.Load(); n != 0 {
		t.Errorf("%d connections stay open", n)
	}
}

// TestACallForTheLedgerCanBeGivenUp waits for a ledger that does not come.
func TestACallForTheLedgerCanBeGivenUp(t *testing.T) {
	k := newKept(t)
	k.hold = make(chan struct{})
	f := inLedger(t, k, map[string]any{"live": false})
	var calls []*scriptededitor.Pending
	for range 3 { // the first one dials, the others wait for it
		call, err := f.Begin("ctxledger/tree", map[string]any{"parent": ""})
		if err != nil {
			t.Fatal(err)
		}
		calls = append(calls, call)
	}
	for _, c := range []*scriptededitor.Pending{calls[2], calls[1]} {
		if err := f.Notify("$/cancelRequest", map[string]any{"id": c.ID}); err != nil {
			t.Fatal(err)
		}
		if err := c.Wait(f.ctx, nil); err == nil || !strings.HasPrefix(err.Error(), "-32800: ") {
			t.Errorf("given up: %v", err)
		}
	}
	close(k.hold)
	if err := calls[0].Wait(f.ctx, nil); err != nil {
		t.Errorf("the one that waits: %v", err)
	}
}

// TestAStormOfEventsIsToldInFewWords stores thousands of things at once.
func TestAStormOfEventsIsToldInFewWords(t *testing.T) {
	k := newKept(t)
	f := inLedger(t, k, ledgerShown)
	const events, writers = 10_000, 100
	began := time.Now()
	var storm sync.WaitGroup
	for w := range writers {
		storm.Go(func() {
			for i := range events / writers {
				_, err := k.SaveMemory(t.Context(),
					ledger.SaveMemoryRequest{Entry: memory.Entry{Name: fmt.Sprintf("%d of %d", i, w), Body: "x",
						Scope: memory.Project}})
				if err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	storm.Wait()
	told, err := f.Until(f.ctx, func(told []scriptededitor.Message) bool {
		return count(told, changedMethod) > 0 && f.snapshot().live.Event == events
	})
	if err != nil {
		t.Fatal(err)
	}
	if n, most := count(told, changedMethod), int(time.Since(began)/changedPause)+2; n > most {
		t.Errorf("the client was told %d times in %v", n, time.Since(began))
	}
	_, err = k.SaveMemory(t.Context(),
		ledger.SaveMemoryRequest{Entry: memory.Entry{Name: "one more", Body: "x", Scope: memory.Project}})
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.Until(f.ctx, func(all []scriptededitor.Message) bool {
		return count(all, changedMethod) > count(told, changedMethod)
	})
	if err != nil {
		t.Errorf("what came in the pause is not told: %v", err)
	}
	t.Logf("%d events in %v were told in %d words", events, time.Since(began), count(told, changedMethod))
}

// TestNothingOfTheLedgerIsToldUnasked stores something for a client that does not want to know.
func TestNothingOfTheLedgerIsToldUnasked(t *testing.T) {
	k := newKept(t)
	f := newFixture(t, k.place)
	lenses := map[string]any{"workspace": map[string]any{"codeLens": map[string]any{"refreshSupport": true}}}
	if _, err := f.Initialize(f.ctx, lenses, map[string]any{"lens": "always"}, nil); err != nil {
		t.Fatal(err)
	}
	k.talk(t, 1) // of a model, so that lenses change: after every notification the client is asked to refresh
	told, err := f.Until(f.ctx, func([]scriptededitor.Message) bool {
		return f.Asked("workspace/codeLens/refresh") > 0
	})
	if err != nil || count(told, changedMethod)+count(told, statusMethod) > 0 {
		t.Errorf("told %v, %v", told, err)
	}
}
