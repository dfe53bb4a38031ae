package engine_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ctxledger.dev/changes"
	"ctxledger.dev/engine"
	"ctxledger.dev/intents"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
)

// did is one call of an agent with its result.
type did struct {
	tool, args, result string
	failed             bool
	pending            bool // no result comes
	effects            []sessions.Effect
}

// act imports a session in which an agent made calls, in dir, one a minute from a time on. It
// returns the session's id.
func act(t *testing.T, l *engine.Local, name, dir string, from time.Time, calls ...did) string {
	t.Helper()
	var entries []sessions.NewEntry
	add := func(message []byte, effects []sessions.Effect) {
		entries = append(entries, sessions.NewEntry{
			Kind: sessions.KindMessage, Time: from.Add(time.Duration(len(entries)) * time.Minute),
			Format:   transcript.Anthropic,
			Original: message, Effects: effects,
		})
	}
	add(raw(`{"role":"user","content":"Work."}`), nil)
	for i, c := range calls {
		id := fmt.Sprint(name, "-", i)
		add(raw(`{"role":"assistant","content":[{"type":"tool_use","id":%q,"name":%q,"input":%s}]}`, id, c.tool,
			c.args), nil)
		if !c.pending {
			add(raw(`{"role":"user","content":[{"type":"tool_result","tool_use_id":%q,"is_error":%v,"content":%q}]}`,
				id, c.failed, c.result), c.effects)
		}
	}
	resp, err := l.AppendEntries(t.Context(), ledger.AppendEntriesRequest{
		Import: name, Session: sessions.Session{Host: "h", HostID: name, Dir: dir}, Next: 1, Entries: entries,
		Done: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	return resp.Session
}

// changed returns the changes that fit a request as words, oldest first.
func changed(t *testing.T, l *engine.Local, r ledger.ChangesRequest) []string {
	t.Helper()
	resp, err := l.Changes(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	out := make([]string, len(resp.Changes))
	for i, c := range resp.Changes {
		out[len(out)-1-i] = fmt.Sprint(c.Op, " ", c.Path, " ", c.Source)
	}
	return out
}

// start is when the sessions of these tests begin.
var start = time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)

func TestChangesThatCallsMake(t *testing.T) {
	script := "cat > gen.txt <<'EOF'\n" + strings.Repeat("a line of the body\n", 500) + "EOF\nrm late.txt\n"
	for _, test := range []struct {
		name  string
		calls []did
		want  []string
	}{
		{"write and edit", []did{
			{tool: "Write", args: `{"file_path":"/w/a.go"}`}, {tool: "Edit", args: `{"file_path":"/w/a.go"}`},
			{tool: "Write", args: `{"file_path":"/w/a.go"}`},
		}, []string{"created a.go transcript", "modified a.go transcript", "modified a.go transcript"}},
		{"the host says what a write did", []did{
			{tool: "Write", args: `{"file_path":"/w/a.go"}`,
				effects: []sessions.Effect{{Path: "/w/b.go", Op: "created"}, {Path: "/w/a.go", Op: "modified"}}},
			{tool: "Edit", args: `{"file_path":"b.go"}`, effects: []sessions.Effect{{Path: "/w/b.go", Op: "exploded"}}},
		}, []string{"modified a.go transcript", "modified b.go transcript"}},
		{"failed and pending calls change nothing", []did{
			{tool: "Edit", args: `{"file_path":"/w/a.go"}`, failed: true, result: "String to replace not found"},
			{tool: "Bash", args: `{"command":"rm a.go"}`, failed: true, result: "Exit code 1"},
			{tool: "Write", args: `{"file_path":"/w/b.go"}`, pending: true},
		}, []string{}},
		{"move, copy, delete", []did{
			{tool: "move_file", args: `{"source":"a","destination":"b"}`},
			{tool: "copy_file", args: `{"source":"b","destination":"c"}`}, {tool: "delete_file", args: `{"path":"b"}`},
		}, []string{"deleted a transcript", "created b transcript", "created c transcript", "deleted b transcript"}},
		{"a deleted file is created again", []did{
			{tool: "Write", args: `{"file_path":"a"}`}, {tool: "delete_file", args: `{"path":"a"}`},
			{tool: "Write", args: `{"file_path":"a"}`},
		}, []string{"created a transcript", "deleted a transcript", "created a transcript"}},
		{"a patch of one file, and one of several", []did{
			{tool: "apply_patch", args: `"*** Begin Patch\n*** Update File: a.go\n@@\n-x\n+y\n*** End Patch\n"`},
			{tool: "apply_patch", args: `{"input":"*** Begin Patch\n*** Add File: n.go\n+y\n*** Delete File: b.go\n"}`,
				effects: []sessions.Effect{{Path: "n.go", Op: "created"}, {Path: "/w/b.go", Op: "deleted"}}},
			{tool: "Bash", args: `{"command":"apply_patch <<'E'\nE"}`,
				effects: []sessions.Effect{{Path: "c.go", Op: "modified"}}},
			{tool: "Bash", args: `{"command":"make"}`, effects: []sessions.Effect{{Path: "d.go", Op: "modified"}}},
		}, []string{"modified a.go transcript", "created n.go transcript", "deleted b.go transcript",
			"modified c.go inferred"}},
		{"shell", []did{{tool: "Bash", args: `{"command":"mv a b && echo x > c && rm sub/d"}`}},
			[]string{"deleted a inferred", "created b inferred", "modified c inferred", "deleted sub/d inferred"}},
		{"a shell command longer than an intent keeps",
			[]did{{tool: "Bash", args: string(asJSON(t, map[string]string{"command": script}))}},
			[]string{"modified gen.txt inferred", "deleted late.txt inferred"}},
		{"a commit's message is no command", []did{{tool: "git_commit", args: `{"message":"rm a"}`}}, []string{}},
		{"outside and odd paths", []did{
			{tool: "Write", args: `{"file_path":"/etc/hosts"}`}, {tool: "Write", args: `{"file_path":"/w-evil/a"}`},
			{tool: "Write", args: `{"file_path":"/w/x/../a"}`},
			{tool: "Write", args: `{"file_path":"a\u0000b"}`}, {tool: "Write", args: `{}`},
			{tool: "Write", args: `{"file_path":"../up"}`},
		}, []string{"created /etc/hosts transcript", "created /w-evil/a transcript", "created a transcript",
			"created /up transcript"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			l, _ := openIn(t, t.TempDir(), "/w")
			act(t, l, "s", "/w", start, test.calls...)
			if diff := cmp.Diff(test.want, changed(t, l, ledger.ChangesRequest{})); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestAResultRecordedTwiceIsOneChange(t *testing.T) {
	l, _ := openIn(t, t.TempDir(), "/w")
	result := raw(`{"role":"user","content":[{"type":"tool_result","tool_use_id":"c","content":"done"}]}`)
	hand(t, l, ledger.AppendMessagesRequest{Messages: append(spell("A"),
		toolUse("c", "Write", `{"file_path":"a"}`), result, result)})
	if got := changed(t, l, ledger.ChangesRequest{}); len(got) != 1 {
		t.Errorf("%v", got)
	}
}

func TestChangesByPathInAnySpelling(t *testing.T) {
	l, _ := openIn(t, t.TempDir(), "/w")
	act(t, l, "s", "/w/sub", start, did{tool: "Write", args: `{"file_path":"a/b"}`},
		did{tool: "Write", args: `{"file_path":"/w/sub/a/bc"}`})
	for path, want := range map[string]int{
		"": 2, ".": 2, "/w": 2, "sub": 2, "sub/": 2, "/w/sub/a": 2, "sub/a/b": 1, "./sub/../sub/a/b": 1,
		"/w/sub/a/bc": 1, "a": 0, "/other": 0,
	} {
		if got := changed(t, l, ledger.ChangesRequest{Path: path}); len(got) != want {
			t.Errorf("%q: %v, want %d", path, got, want)
		}
	}
	_, err := l.Changes(t.Context(), ledger.ChangesRequest{Path: "a\x00b"})
	wantCode(t, err, fault.Invalid)
}

func TestReadsThatOthersMadeStale(t *testing.T) {
	l, _ := openIn(t, t.TempDir(), "/w")
	read := func(path string) did { return did{tool: "Read", args: `{"file_path":"` + path + `"}`, result: "text"} }
	write := func(path string) did { return did{tool: "Write", args: `{"file_path":"` + path + `"}`} }
	me := act(t, l, "me", "/w", start, read("z"), read("a"), read("mine"), read("before"), write("mine"))
	other := act(t, l, "other", "/w", start.Add(time.Hour), write("a"), write("z"), write("unread"))
	act(t, l, "earlier", "/w", start.Add(-time.Hour), write("before"))
	resp, err := l.Changes(t.Context(), ledger.ChangesRequest{Session: me})
	if err != nil {
		t.Fatal(err)
	}
	want := []changes.Stale{
		{Path: "a", ReadSeq: 4, Changed: start.Add(time.Hour + 2*time.Minute), By: other},
		{Path: "z", ReadSeq: 2, Changed: start.Add(time.Hour + 4*time.Minute), By: other},
	}
	if diff := cmp.Diff(want, resp.Stale); diff != "" {
		t.Error(diff)
	}
	act(t, l, "me too", "/w", start.Add(2*time.Hour), read("a"))
	if bare, err := l.Changes(t.Context(), ledger.ChangesRequest{Session: me, NoStale: true}); err != nil ||
		len(bare.Stale) != 0 || bare.Total != resp.Total {
		t.Errorf("without what is stale: %+v, %v", bare, err)
	}
	if resp, err := l.Changes(t.Context(), ledger.ChangesRequest{Session: other}); err != nil || len(resp.Stale) != 0 {
		t.Errorf("a session that read nothing: %+v, %v", resp.Stale, err)
	}
	rm := did{tool: "Bash", args: `{"command":"rm a"}`}
	last := act(t, l, "last", "/w", start.Add(3*time.Hour), rm, write("unread"))
	for session, want := range map[string][]changes.Stale{
		me: {{Path: "a", ReadSeq: 4, Gone: true, By: last}, {Path: "z", ReadSeq: 2, By: other}},
		other: {{Path: "a", ReadSeq: 2, Wrote: true, Gone: true, By: last},
			{Path: "unread", ReadSeq: 6, Wrote: true, By: last}},
	} {
		resp, err := l.Changes(t.Context(), ledger.ChangesRequest{Session: session})
		for i := range resp.Stale {
			resp.Stale[i].Changed = time.Time{}
		}
		if diff := cmp.Diff(want, resp.Stale); diff != "" || err != nil {
			t.Errorf("after another session removed and wrote: %s, %v", diff, err)
		}
	}
}

func TestFileHistoryHoldsTheNewestFirst(t *testing.T) {
	volume(t)
	l, _ := openIn(t, t.TempDir(), "/w")
	var calls []did
	for i := range 340 {
		calls = append(calls, did{tool: "Edit", args: fmt.Sprintf(`{"file_path":"a","new_string":"%d"}`, i)},
			did{tool: "Read", args: `{"file_path":"a"}`, result: "four tokens of text"})
	}
	for i, name := range []string{"first", "second", "third"} {
		act(t, l, name, "/w", start.Add(time.Duration(i)*24*time.Hour), calls...)
	}
	h, err := l.FileHistory(t.Context(), ledger.FileHistoryRequest{Path: "/w/a"})
	if err != nil {
		t.Fatal(err)
	}
	if len(h.Changes) != 1000 || len(h.Intents) != 1000 || len(h.Reads) != 1000 {
		t.Fatalf("%d changes, %d intents, %d reads", len(h.Changes), len(h.Intents), len(h.Reads))
	}
	for i := range 999 {
		if h.Changes[i].ID <= h.Changes[i+1].ID || h.Intents[i].Begun.Before(h.Intents[i+1].Begun) ||
			h.Reads[i].Time.Before(h.Reads[i+1].Time) {
			t.Fatalf("element %d is older than the next", i)
		}
	}
	if last := h.Intents[0]; last.Args["new_string"] != "339" || last.Status != intents.Applied {
		t.Errorf("the newest intent: %+v", last)
	}
	if h.Reads[0].Tokens == 0 || h.Path != "a" {
		t.Errorf("%q, the newest read: %+v", h.Path, h.Reads[0])
	}
	if raw := asJSON(t, h); len(raw) > 4<<20 {
		t.Errorf("a history of %d bytes", len(raw))
	}
	_, err = l.FileHistory(t.Context(), ledger.FileHistoryRequest{})
	wantCode(t, err, fault.Invalid)
}

func TestPendingIntentsStayPending(t *testing.T) {
	state := t.TempDir()
	l, _ := openIn(t, state, "/w")
	act(t, l, "s", "/w", start, did{tool: "Write", args: `{"file_path":"a"}`, pending: true})
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	l, _ = openIn(t, state, "/w")
	h, err := l.FileHistory(t.Context(), ledger.FileHistoryRequest{Path: "a"})
	if err != nil || len(h.Intents) != 1 || h.Intents[0].Status != intents.Pending || len(h.Changes) != 0 {
		t.Errorf("%+v, %v", h, err)
	}
}

// TestAReadOfASubagentIsNotOfTheWindow: its line is in the session's file, but not in the session's window; or it has a file,
// and so a session, of its own.
func TestAReadOfASubagentIsNotOfTheWindow(t *testing.T) {
	l, _ := openIn(t, t.TempDir(), "/w")
	var entries []sessions.NewEntry
	for i, hidden := range []bool{false, true} {
		entries = append(entries, sessions.NewEntry{Kind: sessions.KindMessage, Time: start.Add(time.Duration(i)),
			Format: transcript.Anthropic, Hidden: hidden, Original: raw(`{"role":"assistant","content":[`+
				`{"type":"tool_use","id":"c%d","name":"Read","input":{"file_path":"/w/a.go"}}]}`, i)})
	}
	parent := imported(t, l, 0, entries...)
	entries[1].Hidden, entries[1].Time = false, start.Add(2)
	_, err := l.AppendEntries(t.Context(), ledger.AppendEntriesRequest{Import: "of its own", Next: 1, Done: true,
		Session: sessions.Session{Host: "claude-code", HostID: "own", Parent: parent}, Entries: entries[1:]})
	if err != nil {
		t.Fatal(err)
	}
	h, err := l.FileHistory(t.Context(), ledger.FileHistoryRequest{Path: "a.go"})
	if err != nil || len(h.Reads) != 3 || !h.Reads[0].Subagent || !h.Reads[1].Subagent || h.Reads[2].Subagent {
		t.Errorf("%+v, %v", h.Reads, err)
	}
}
