package engine_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"ctxledger.dev/engine"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
)

// calls appends an answer with calls to a session of a host and returns the session. A call is "TOOL ARGUMENTS".
func calls(t *testing.T, l *engine.Local, s sessions.Session, at int64, when time.Time, all ...string) string {
	t.Helper()
	var blocks []string
	for i, c := range all {
		name, args, _ := strings.Cut(c, " ")
		blocks = append(blocks,
			fmt.Sprintf(`{"type":"tool_use","id":"t%d-%d","name":%q,"input":%s}`, at, i, name, args))
	}
	text := `{"role":"assistant","content":[` + strings.Join(blocks, ",") + `]}`
	r, err := l.AppendEntries(t.Context(), ledger.AppendEntriesRequest{Import: s.Host + s.HostID, Session: s,
		Offset: at, Next: at + 1, Done: true, Entries: []sessions.NewEntry{{Kind: sessions.KindMessage, Time: when,
			Format: transcript.Anthropic, Original: []byte(text), Message: transcript.Span{To: len(text)}}}})
	if err != nil {
		t.Fatal(err)
	}
	return r.Session
}

// calledIn is what a ledger says of the calls of its sessions: a line for each host.
func calledIn(t *testing.T, l *engine.Local, n int) string {
	t.Helper()
	use, err := l.ToolUse(t.Context(), ledger.ToolUseRequest{Sessions: n})
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, h := range use.Hosts {
		line := fmt.Sprintf("%s %d since %s:", h.Host, h.Sessions, h.Since.Format("15:04"))
		for _, c := range slices.Concat(h.Tools, h.Skills) {
			line += fmt.Sprintf(" %s=%d/%d@%s", c.Name, c.Calls, c.Sessions, c.Last.Format("15:04"))
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// TestWhatSessionsCalledIsCounted: by host, with subagents, the newest sessions only, and what comes later, too.
func TestWhatSessionsCalledIsCounted(t *testing.T) {
	l := open(t)
	at := func(minute int) time.Time { return time.Date(2026, 11, 20, 10, minute, 0, 0, time.UTC) }
	claude := func(id string) sessions.Session { return sessions.Session{Host: "claude-code", HostID: id} }
	if got := calledIn(t, l, 0); got != "" {
		t.Errorf("an empty ledger says %q", got)
	}
	calls(t, l, claude("old"), 0, at(1), "mcp__docs__find {}", `Read {"file_path":"/w/.claude/skills/a/SKILL.md"}`)
	parent := calls(t, l, claude("new"), 0, at(2), "mcp__docs__find {}", `Skill {"skill":"deploy"}`)
	child := claude("child")
	child.Parent = parent
	calls(t, l, child, 0, at(3), `Skill {"command":"deploy"}`, `Skill {"skill":["no name"]}`)
	calls(t, l, sessions.Session{Host: "codex", HostID: "x"}, 0, at(4), "mcp__docs__find {}")
	want := "claude-code 2 since 10:01: Skill=3/1@10:03 mcp__docs__find=2/2@10:02 Read=1/1@10:01 deploy=2/1@10:03 " +
		"/w/.claude/skills/a/SKILL.md=1/1@10:01\n" + "codex 1 since 10:04: mcp__docs__find=1/1@10:04"
	if got := calledIn(t, l, 0); got != want {
		t.Errorf("the ledger says\n%s\nnot\n%s", got, want)
	}
	calls(t, l, claude("new"), 1, at(5), "mcp__docs__find {}", `Skill {"skill":"password=hunter2hunter2"}`)
	got := calledIn(t, l, 1)
	if !strings.HasPrefix(got, "claude-code 1 since 10:02: Skill=4/1@10:05 mcp__docs__find=2/1@10:05 deploy=2/1@10:03 ") ||
		strings.Contains(got, "hunter2") {
		t.Errorf("of the newest session alone the ledger says\n%s", got)
	}
	l.Rest()
	if again := calledIn(t, l, 1); again != got {
		t.Errorf("after a rest the ledger says\n%s\nnot\n%s", again, got)
	}
}

// TestCopiedCallsAreCountedOnce: a host copies the records of a session that it forks.
func TestCopiedCallsAreCountedOnce(t *testing.T) {
	l := open(t)
	readIn(t, l, "h", "trunk", 100, history(1, 4))
	readIn(t, l, "h", "fork", 100, append(history(1, 3), own("fork", history(5, 6))...))
	if got := calledIn(t, l, 0); !strings.Contains(got, " Write=6/2@") {
		t.Errorf("four calls and two of a fork: %s", got)
	}
}

// BenchmarkToolUse counts the calls of 30 sessions of 20,000 entries, every second one with a call: for the first time,
// after a rest, when one session has gone on, and when none has.
func BenchmarkToolUse(b *testing.B) {
	const sessionsOfHost, entries, batch = 30, 20_000, 2_000
	e, _ := testEnv()
	o := engine.Options{State: b.TempDir(), Workspace: "/home/dev/shop", Env: e}
	var l *engine.Local
	reopen := func() {
		if l != nil {
			_ = l.Close() // a test's
		}
		var err error
		if l, err = openOptions(b.Context(), o); err != nil {
			b.Fatal(err)
		}
	}
	reopen()
	b.Cleanup(func() { _ = l.Close() })
	said := func(session, at, n int) {
		r := ledger.AppendEntriesRequest{
			Import: fmt.Sprint(session), Offset: int64(at), Next: int64(at + n), Done: true,
			Session: sessions.Session{Host: "claude-code", HostID: fmt.Sprint(session)}}
		for i := at; i < at+n; i++ {
			text := fmt.Sprintf(
				`{"role":"user","content":[{"type":"tool_result","tool_use_id":"t%d","content":"found"}]}`, i-1)
			if i%2 == 0 {
				text = fmt.Sprintf(`{"role":"assistant","content":[{"type":"tool_use","id":"t%d",`+
					`"name":"mcp__docs__%d","input":{"query":"the price of a currency"}}]}`, i, i%40)
			}
			r.Entries = append(r.Entries, sessions.NewEntry{Kind: sessions.KindMessage, Time: time.Unix(int64(i), 0),
				Format: transcript.Anthropic, Original: []byte(text), Message: transcript.Span{To: len(text)}})
		}
		if _, err := l.AppendEntries(b.Context(), r); err != nil {
			b.Fatal(err)
		}
	}
	for s := range sessionsOfHost {
		for at := 0; at < entries; at += batch {
			said(s, at, batch)
		}
	}
	count := func(b *testing.B) {
		use, err := l.ToolUse(b.Context(), ledger.ToolUseRequest{})
		if err != nil || use.Hosts[0].Sessions != sessionsOfHost {
			b.Fatal(use, err)
		}
	}
	b.Run("first", func(b *testing.B) {
		for b.Loop() {
			b.StopTimer()
			reopen()
			b.StartTimer()
			count(b)
		}
	})
	b.Run("after a rest", func(b *testing.B) {
		for b.Loop() {
			l.Rest()
			count(b)
		}
	})
	b.Run("one more", func(b *testing.B) {
		for n := 0; b.Loop(); n++ {
			b.StopTimer()
			said(0, entries+n, 1)
			b.StartTimer()
			count(b)
		}
	})
	b.Run("same", func(b *testing.B) {
		for b.Loop() {
			count(b)
		}
	})
}
