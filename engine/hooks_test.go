package engine_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"ctxledger.dev/artifacts"
	"ctxledger.dev/engine"
	"ctxledger.dev/intents"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
)

// hookedSession is the session of these tests, as its host names it.
func hookedSession(root string) ledger.LiveSession {
	return ledger.LiveSession{Host: "claude-code", HostID: "0b0e1f2a-1111-4222-8333-444455556666", Dir: root}
}

// announce tells of a call that is about to run.
func announce(t *testing.T, l *engine.Local, s ledger.LiveSession, id, tool, args string) ledger.BegunCall {
	t.Helper()
	call, err := l.BeginCall(t.Context(), ledger.BeginCallRequest{LiveSession: s, CallID: id, Tool: tool,
		Args: json.RawMessage(args)})
	if err != nil {
		t.Fatal(err)
	}
	return call
}

// recorded appends entries to the session file of a hooked session.
func recorded(t *testing.T, l *engine.Local, s ledger.LiveSession, offset int64, raws ...string) string {
	t.Helper()
	r := ledger.AppendEntriesRequest{Import: "claude-code:" + s.HostID, Offset: offset, Next: offset + 1, Done: true,
		Session: sessions.Session{Host: s.Host, HostID: s.HostID, Dir: s.Dir}}
	for i, raw := range raws {
		r.Entries = append(r.Entries, sessions.NewEntry{Kind: sessions.KindMessage, Format: transcript.Anthropic,
			HostID: fmt.Sprintf("%d-%d", offset, i), Original: []byte(raw),
			Time: time.Date(2026, 11, 20, 11, 5, int(offset), 0, time.UTC)})
	}
	done, err := l.AppendEntries(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return done.Session
}

// intentsOf returns a session's intents in words.
func intentsOf(t *testing.T, l *engine.Local, session string) (all []string) {
	t.Helper()
	page, err := l.Intents(t.Context(), ledger.IntentsRequest{Session: session})
	if err != nil {
		t.Fatal(err)
	}
	for _, in := range page.Intents {
		all = append(all, fmt.Sprintf("%d %s %s %s %s", in.Seq, in.Name, in.Target, in.Status, in.Source))
	}
	return all
}

// TestAnAnnouncedCallIsOneIntent announces calls before the session file has them. One that never comes stays pending,
// as after a crash; the others are one intent each, at their place in the log.
func TestAnAnnouncedCallIsOneIntent(t *testing.T) {
	dir, root := t.TempDir(), t.TempDir()
	l, _ := openIn(t, dir, root)
	s := hookedSession(root)
	first := announce(t, l, s, "toolu_1", "Write", `{"file_path":"a.txt","content":"x"}`)
	again := announce(t, l, s, "toolu_1", "Write", `{"file_path":"a.txt","content":"x"}`)
	if first.Intent == nil || first.Intent.Status != intents.Pending || again.Intent.ID != first.Intent.ID {
		t.Fatalf("%+v, then %+v", first, again)
	}
	announce(t, l, s, "toolu_2", "Bash", `{"command":"make"}`)
	if read := announce(t, l, s, "toolu_3", "Read", `{"file_path":"a.txt"}`); read.Intent != nil {
		t.Errorf("a read is an intent: %+v", read)
	}
	list, err := l.Sessions(t.Context(), ledger.SessionsRequest{})
	if err != nil || list.Total != 0 {
		t.Errorf("a session without a file is listed: %+v, %v", list, err)
	}
	id := recorded(t, l, s, 0, `{"role":"user","content":"go"}`, `{"role":"assistant","content":[{"type":"tool_use",`+
		`"id":"toolu_1","name":"Write","input":{"file_path":"a.txt","content":"x"}}]}`,
		`{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"done"}]}`)
	if id != first.Session {
		t.Errorf("the file is of session %s, the hook of %s", id, first.Session)
	}
	got := intentsOf(t, l, id)
	want := []string{"1 Bash  Pending hook", "2 Write a.txt Applied transcript"}
	if strings.Join(got, "; ") != strings.Join(want, "; ") {
		t.Errorf("intents %q, want %q", got, want)
	}
	h, err := l.FileHistory(t.Context(), ledger.FileHistoryRequest{Path: "a.txt"})
	if err != nil || len(h.Intents) != 1 || len(h.Changes) != 1 {
		t.Errorf("%+v, %v", h, err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	sound(t, dir)
}

// TestAChatThatAHookToldOfIsFound: by the call of a tool of ours that PreToolUse told of, and by its own id, before anything
// of its file was read. A copy of the session that has the call, too, is not taken for it.
func TestAChatThatAHookToldOfIsFound(t *testing.T) {
	dir, root := t.TempDir(), t.TempDir()
	l, _ := openIn(t, dir, root)
	s := hookedSession(root)
	for range 2 { // a hook that is registered twice
		announce(t, l, s, "toolu_1", "mcp__ctxledger__changes", `{}`)
	}
	other := s
	other.HostID = "9b0e1f2a-1111-4222-8333-444455556666"
	recorded(t, l, other, 0, `{"role":"user","content":"go"}`, `{"role":"assistant","content":[{"type":"tool_use",`+
		`"id":"toolu_1","name":"mcp__ctxledger__changes","input":{}}]}`)
	for _, r := range []ledger.SessionRequest{{Call: "toolu_1"}, {HostID: s.HostID}, {HostID: s.HostID, Latest: true}} {
		found, err := l.Session(t.Context(), r)
		if err != nil || found.HostID != s.HostID || found.Seq != 0 {
			t.Errorf("%+v: %+v, %v", r, found, err)
		}
	}
	if _, err := l.Session(t.Context(), ledger.SessionRequest{Call: "toolu_2"}); !fault.Is(err, fault.NotFound) {
		t.Errorf("a call that nobody told of: %v", err)
	}
	for i := range 2 * sessions.MaxCalls {
		announce(t, l, s, fmt.Sprint("more", i), "mcp__ctxledger__changes", `{}`)
	}
	found, err := l.Session(t.Context(), ledger.SessionRequest{HostID: s.HostID})
	if err != nil || len(found.Hooked.Calls) != sessions.MaxCalls {
		t.Errorf("%d calls are remembered, %v", len(found.Hooked.Calls), err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	sound(t, dir)
}

// usual are the limits that hooks hand in.
var usual = ledger.ResultLimits{Above: limits.OffloadChars, Repeated: limits.RepeatChars,
	Terminal: limits.TerminalChars}

// take hands in a result; earlier is the call of which the context has the same text.
func take(t *testing.T, l *engine.Local, s ledger.LiveSession, id, tool, args, text, earlier string,
) ledger.TakenResult {
	t.Helper()
	out, err := l.TakeResult(t.Context(), ledger.TakeResultRequest{LiveSession: s, CallID: id, Tool: tool,
		Args: json.RawMessage(args), Text: []byte(text), Earlier: earlier, Limits: usual})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestATakenResultReadsBack replaces long and repeated results, and none else. What was replaced is not stored again
// when the session file has the replacement.
func TestATakenResultReadsBack(t *testing.T) {
	dir, root := t.TempDir(), t.TempDir()
	l, _ := openIn(t, dir, root)
	s := hookedSession(root)
	long := strings.Repeat("a line of an output that is long\n", 2_000)
	const seq = `{"command":"seq"}`
	taken := take(t, l, s, "toolu_1", "Bash", seq, long, "")
	if !strings.HasPrefix(taken.Stub, "[result offloaded — 66,000 chars stored to artifact store]\nTool: Bash | ") ||
		len(taken.Stub) > 5_000 || taken.Repeated {
		t.Fatalf("%+v", taken)
	}
	back, err := l.ReadBlob(t.Context(), ledger.ReadBlobRequest{Handle: taken.Handle})
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(back)
	if err != nil || back.Close() != nil || string(content) != long {
		t.Errorf("the handle reads back %d bytes, %v", len(content), err)
	}
	if same := take(t, l, s, "toolu_1", "Bash", seq, long, ""); same.Stub != taken.Stub {
		t.Errorf("the same call again, from a second registration: %+v", same)
	}
	if next := take(t, l, s, "toolu_2", "Bash", seq, long, "toolu_1"); !next.Repeated || next.Handle != taken.Handle ||
		!strings.Contains(next.Stub, "toolu_1") {
		t.Errorf("the same text again: %+v", next)
	}
	middle := strings.Repeat("y\n", 1_500)
	for i, c := range []struct {
		tool, args, text, earlier string
		repeated                  bool
	}{
		{"Bash", seq, middle, "", false}, {"Bash", seq, middle, "toolu_10", true},
		{"mcp__ctxledger__read_artifact", `{"id":"x"}`, long, "toolu_1", false},
		{"Bash", seq, taken.Stub, "toolu_1", false},
	} {
		out := take(t, l, s, fmt.Sprintf("toolu_1%d", i), c.tool, c.args, c.text, c.earlier)
		if out.Repeated != c.repeated || (out.Stub != "") != c.repeated {
			t.Errorf("%d: %+v", i, out)
		}
	}
	raw, err := json.Marshal(taken.Stub)
	if err != nil {
		t.Fatal(err)
	}
	id := recorded(t, l, s, 0, `{"role":"user","content":"go"}`, `{"role":"assistant","content":[{"type":"tool_use",`+
		`"id":"toolu_1","name":"Bash","input":{"command":"seq"}}]}`,
		`{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":`+string(raw)+`}]}`)
	list, err := l.Artifacts(t.Context(), ledger.ArtifactsRequest{Session: id})
	if err != nil || list.Total != 2 { // the long one and the middle one
		t.Errorf("%d artifacts: %+v, %v", list.Total, list, err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	sound(t, dir)
}

// A repeated result that Claude Code itself put into a file comes with a preview: the conversation has its beginning alone.
// One of which the conversation has the text, or a stub of ours, comes without.
func TestARepeatedResultThatTheHostFiledHasAPreview(t *testing.T) {
	l, s := open(t), hookedSession("")
	repeats := ledger.ResultLimits{Repeated: limits.RepeatChars}
	for i, c := range []struct {
		name, tool string
		size       int
		limits     ledger.ResultLimits
		preview    bool
	}{
		{"a filed output", "Bash", 31_000, repeats, true},
		{"an output that was shown", "Bash", 29_000, repeats, false},
		{"a filed result of a server", "mcp__a__b", 51_000, repeats, true},
		{"a result that was shown", "mcp__a__b", 49_000, repeats, false},
		{"a result with a stub of ours", "mcp__a__b", 51_000, usual, false},
	} {
		text := strings.Repeat("nine more\n", c.size/10) + "password: hunter2hunter2\n"
		taken, err := l.TakeResult(t.Context(), ledger.TakeResultRequest{LiveSession: s, CallID: fmt.Sprint("again", i),
			Tool: c.tool, Args: json.RawMessage(`{"command":"seq"}`), Text: []byte(text), Earlier: "toolu_1",
			Limits: c.limits})
		if err != nil || !taken.Repeated || !strings.Contains(taken.Stub, "result of call toolu_1 above") {
			t.Fatalf("%s: %+v, %v", c.name, taken, err)
		}
		shown := strings.Contains(taken.Stub, "nine more")
		if shown != c.preview || strings.Contains(taken.Stub, "hunter2") {
			t.Errorf("%s: %s", c.name, taken.Stub)
		}
		if _, cause, _ := artifacts.StubOf(taken.Stub); cause != artifacts.CauseRepeated {
			t.Errorf("%s: the cause is %q", c.name, cause)
		}
	}
}

// TestALongResultComesAsABlob hands in more than fits a request.
func TestALongResultComesAsABlob(t *testing.T) {
	l := open(t)
	s := hookedSession("")
	text := strings.Repeat("0123456789abcde\n", 300_000)
	blob, err := l.PutBlob(t.Context(), strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	out, err := l.TakeResult(t.Context(), ledger.TakeResultRequest{LiveSession: s, CallID: "toolu_1", Tool: "mcp__a__b",
		Args: json.RawMessage(`{}`), Blob: blob.Hash, Limits: usual})
	if err != nil || !strings.HasPrefix(out.Stub, "[result offloaded — 4,800,000 chars") {
		t.Errorf("%+v, %v", out, err)
	}
}

// TestStagesOfASession: what hooks showed is remembered until the context is emptied; a stage that is told again at once
// is the same.
func TestStagesOfASession(t *testing.T) {
	root := t.TempDir()
	l, c := openIn(t, t.TempDir(), root)
	s := hookedSession(root)
	begin := func(emptied bool) []string {
		t.Helper()
		got, err := l.BeginSession(t.Context(), ledger.BeginSessionRequest{LiveSession: s, Emptied: emptied})
		if err != nil {
			t.Fatal(err)
		}
		return got.Session.Hooked.Shown
	}
	stage := func(stage ledger.Stage, digests ...string) bool {
		t.Helper()
		got, err := l.NoteStage(t.Context(), ledger.NoteStageRequest{LiveSession: s, Stage: stage, Digests: digests})
		if err != nil {
			t.Fatal(err)
		}
		return got.Again
	}
	if got := begin(false); len(got) != 0 {
		t.Error(got)
	}
	stage(ledger.StageShown, "a", "b")
	stage(ledger.StageShown, "b", sessions.Started, "c")
	if got := strings.Join(begin(false), ""); got != "abc" {
		t.Error(got)
	}
	if stage(ledger.StageCompacting) || !stage(ledger.StageCompacting) {
		t.Error("a stage is not told apart from its repetition")
	}
	c.now = c.now.Add(time.Minute)
	if stage(ledger.StageCompacting) {
		t.Error("a later compaction is a repetition")
	}
	if got := begin(true); len(got) != 0 {
		t.Error(got)
	}
	stage(ledger.StageShown, "a") // by a hook that was slow: it told that to the context before
	if got := begin(false); len(got) != 0 {
		t.Errorf("the new context has %q", got)
	}
	_, err := l.NoteStage(t.Context(), ledger.NoteStageRequest{LiveSession: s, Stage: "dancing"})
	wantCode(t, err, fault.Invalid)
	_, err = l.BeginSession(t.Context(), ledger.BeginSessionRequest{})
	wantCode(t, err, fault.Invalid)
}

// TestAFileThatChangedIsToldBeforeAnEdit reads a file, lets another hand change it, and announces an edit.
func TestAFileThatChangedIsToldBeforeAnEdit(t *testing.T) {
	root := t.TempDir()
	l, c := openIn(t, t.TempDir(), root)
	s := hookedSession(root)
	if err := os.WriteFile(filepath.Join(root, "a.txt"), []byte("one"), 0o600); err != nil {
		t.Fatal(err)
	}
	observe(t, l, is("a.txt", "1", c.now.Add(-time.Hour), c.now.Add(-time.Minute)))
	recorded(t, l, s, 0, `{"role":"user","content":"go"}`, `{"role":"assistant","content":[{"type":"tool_use",`+
		`"id":"toolu_1","name":"Read","input":{"file_path":"a.txt"}}]}`,
		`{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"one"}]}`)
	const edit = `{"file_path":"a.txt","old_string":"one","new_string":"two"}`
	if call := announce(t, l, s, "toolu_2", "Edit", edit); call.Stale != nil {
		t.Errorf("unchanged: %+v", call.Stale)
	}
	c.now = c.now.Add(time.Hour)
	observe(t, l, is("a.txt", "2", c.now.Add(-time.Minute), c.now))
	call := announce(t, l, s, "toolu_3", "Edit", edit)
	if call.Stale == nil || call.Stale.Path != "a.txt" {
		t.Errorf("changed: %+v", call)
	}
	if again := announce(t, l, s, "toolu_3", "Edit", edit); again.Stale != nil || again.Intent.ID != call.Intent.ID {
		t.Errorf("the same call, from a second registration: %+v", again)
	}
}

// TestARefusedReadIsNoRead: nothing of the file came to the session, so that nothing of it is out of date, and it is in no
// history of the file.
func TestARefusedReadIsNoRead(t *testing.T) {
	root := t.TempDir()
	l, c := openIn(t, t.TempDir(), root)
	s := hookedSession(root)
	observe(t, l, is("a.txt", "1", c.now.Add(-time.Hour), c.now.Add(-time.Minute)))
	session := recorded(t, l, s, 0, `{"role":"user","content":"go"}`,
		`{"role":"assistant","content":[{"type":"tool_use",`+
			`"id":"toolu_1","name":"Read","input":{"file_path":"a.txt"}}]}`, `{"role":"user","content":[{"type":"tool_result",`+
			`"tool_use_id":"toolu_1","content":"File content exceeds maximum allowed tokens","is_error":true}]}`)
	c.now = c.now.Add(time.Hour)
	observe(t, l, is("a.txt", "2", c.now.Add(-time.Minute), c.now))
	const edit = `{"file_path":"a.txt","old_string":"one","new_string":"two"}`
	if call := announce(t, l, s, "toolu_2", "Edit", edit); call.Stale != nil {
		t.Errorf("before an edit: %+v", call.Stale)
	}
	list, err := l.Changes(t.Context(), ledger.ChangesRequest{Session: session})
	if err != nil || len(list.Stale) > 0 {
		t.Errorf("stale are %+v, %v", list.Stale, err)
	}
	h, err := l.FileHistory(t.Context(), ledger.FileHistoryRequest{Path: "a.txt"})
	if err != nil || len(h.Reads) != 1 || !h.Reads[0].Failed {
		t.Errorf("the history has %+v, %v", h.Reads, err)
	}
}

// TestHooksThatRunTwice has every hook run twice, as when an agent has them from a plugin and from its
// settings: there is one intent and one artifact, and both results get the same stub.
func TestHooksThatRunTwice(t *testing.T) {
	dir, root := t.TempDir(), t.TempDir()
	l, _ := openIn(t, dir, root)
	s := hookedSession(root)
	const command = `{"command":"make"}`
	long := strings.Repeat("a line of an output that is long\n", 2_000)
	var first string
	for i, id := range []string{"toolu_1", "toolu_2"} {
		earlier := []string{"", "toolu_1"}[i]
		began := twice(t, true, func() (string, error) {
			call, err := l.BeginCall(t.Context(), ledger.BeginCallRequest{LiveSession: s, CallID: id, Tool: "Bash",
				Args: json.RawMessage(command)})
			if err != nil {
				return "", err
			}
			return call.Intent.ID, nil
		})
		took := twice(t, true, func() (string, error) {
			taken, err := l.TakeResult(t.Context(), ledger.TakeResultRequest{LiveSession: s, CallID: id, Tool: "Bash",
				Args: json.RawMessage(command), Text: []byte(long), Earlier: earlier, Limits: usual})
			return taken.Stub, err
		})
		if began[0] != began[1] || took[0] != took[1] || took[0] == "" || took[0] == first {
			t.Errorf("%s: intents %q, stubs %q", id, began, took)
		}
		first = took[0]
	}
	if !strings.Contains(first, "toolu_1") {
		t.Errorf("the second call does not point to the first: %q", first)
	}
	session := recorded(t, l, s, 0, `{"role":"user","content":"go"}`)
	if got := intentsOf(t, l, session); len(got) != 2 {
		t.Errorf("intents %q", got)
	}
	if list, err := l.Artifacts(t.Context(), ledger.ArtifactsRequest{Session: session}); err != nil || list.Total != 1 {
		t.Errorf("%d artifacts, %v", list.Total, err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	sound(t, dir)
}

// twice runs a function twice, at once or one after the other.
func twice(t *testing.T, atOnce bool, fn func() (string, error)) (out [2]string) {
	t.Helper()
	var wait sync.WaitGroup
	var errs [2]error
	for i := range out {
		wait.Go(func() { out[i], errs[i] = fn() })
		if !atOnce {
			wait.Wait()
		}
	}
	wait.Wait()
	if err := errors.Join(errs[:]...); err != nil {
		t.Fatal(err)
	}
	return out
}
