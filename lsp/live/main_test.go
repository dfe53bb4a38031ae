package live

import (
	"context"
	"strings"
	"testing"
	"time"

	"ctxledger.dev/engine"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
)

// said is a message as a host's file has it.
func said(text, id, parent string, used int64) sessions.NewEntry {
	e := sessions.NewEntry{
		Kind: sessions.KindMessage, Time: time.Now(), Original: []byte(text), Message: transcript.Span{To: len(text)},
		Format: transcript.Anthropic, HostID: id, HostParent: parent,
	}
	if used > 0 {
		e.Usage = &sessions.Usage{CacheRead: used}
	}
	return e
}

// TestWhoSitsThereIsFollowed has a subagent with a session of its own run while its main session, which was
// rewound, waits for it: the status shows the window of the main session, as its growth says.
func TestWhoSitsThereIsFollowed(t *testing.T) {
	local, err := engine.Open(t.Context(), engine.Options{State: t.TempDir(), Workspace: "/ws", Env: env.System()})
	if err != nil {
		t.Fatal(err)
	}
	defer local.Close() // Follow closes it too
	append := func(id string, s sessions.Session, next int64, entries ...sessions.NewEntry) string {
		r, err := local.AppendEntries(t.Context(),
			ledger.AppendEntriesRequest{Import: id, Session: s, Next: next, Done: true, Entries: entries})
		if err != nil {
			t.Fatal(err)
		}
		return r.Session
	}
	read := string(read("t1", false)[0])
	main := append("main", sessions.Session{Host: "h", HostID: "main"}, 1,
		said(`{"role":"user","content":"one"}`, "u1", "", 0), said(`{"role":"assistant","content":"yes"}`, "a1", "u1",
			20_000),
		said(`{"role":"user","content":"two"}`, "u2", "a1", 0), said(`{"role":"assistant","content":"yes"}`, "a2", "u2",
			150_000),
		said(`{"role":"user","content":"two, otherwise"}`, "u3", "a1", 0))
	told := followed(t, func(context.Context) (Ledger, error) { return unclosed{local}, nil })
	child := append("child", sessions.Session{Host: "h", HostID: "child", Parent: main}, 1,
		said(`{"role":"user","content":"look"}`, "c1", "", 0), said(read, "c2", "c1", 99_000))
	s := awaited(t, told, func(s State) bool { return s.Event >= 2 })
	g, err := local.TurnStats(t.Context(), ledger.TurnStatsRequest{Session: main})
	if err != nil {
		t.Fatal(err)
	}
	if s.Session != main || s.Held != g.Held || s.Held.N < 20_000 || s.Held.N > 20_100 ||
		strings.Contains(s.Title, "look") {
		t.Errorf("of main %s and child %s this is told: %+v; the growth says %+v", main, child, s, g.Held)
	}
}
