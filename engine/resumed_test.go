package engine_test

import (
	"testing"
	"time"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
)

// A session that ctxledger wrote begins with a preamble, or somewhere in the work. Its title is that of the task, over
// any number of steps.
func TestAContinuedSessionHasTheTitleOfTheTask(t *testing.T) {
	l := open(t)
	write := func(hostID, title, continues string) sessions.Session {
		t.Helper()
		resp, err := l.AppendEntries(t.Context(), ledger.AppendEntriesRequest{
			Import:  hostID,
			Session: sessions.Session{Host: "codex", HostID: hostID, Title: title, Continues: continues},
			Next:    1, Done: true, Entries: []sessions.NewEntry{asking(title)},
		})
		if err != nil {
			t.Fatal(err)
		}
		s, err := l.Session(t.Context(), ledger.SessionRequest{Name: resp.Session})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	first := write("a", "Fix the tax", "")
	second := write("b", "Show tax.go", first.ID)
	third := write("c", "This session continues an earlier one", second.ID)
	lost := write("d", "Show tax.go", "0badc0de")
	for s, want := range map[*sessions.Session]string{&first: "Fix the tax", &second: "Fix the tax",
		&third: "Fix the tax", &lost: "Show tax.go"} {
		if s.Title != want || s.Unused() != (s.Continues != "") {
			t.Errorf("%s: title %q, unused %t; want %q", s.HostID, s.Title, s.Unused(), want)
		}
	}
}

// A call that was copied with its result changed the file once: the copy was said to be out of date.
func TestACopiedEditIsNoLaterChange(t *testing.T) {
	l, _ := openIn(t, t.TempDir(), "/w")
	old := act(t, l, "me", "/w", start,
		did{tool: "Read", args: `{"file_path":"/w/a.go","offset":1,"limit":2}`, result: "1\tpackage a\n2\t"},
		did{tool: "Edit", args: `{"file_path":"/w/a.go","old_string":"package a","new_string":"package b"}`},
		did{tool: "Edit", args: `{"file_path":"/w/b.go","old_string":"a","new_string":"b"}`})
	log, err := l.Log(t.Context(), ledger.LogRequest{Session: old, Originals: true})
	if err != nil {
		t.Fatal(err)
	}
	var list []sessions.NewEntry
	for _, e := range log.Entries {
		list = append(list, sessions.NewEntry{Kind: e.Kind, Time: e.Time, Format: e.Format, Original: e.Original,
			Copied: true})
	}
	resp, err := l.AppendEntries(t.Context(), ledger.AppendEntriesRequest{Import: "copy", Next: 1, Done: true,
		Entries: list, Session: sessions.Session{Host: "h", HostID: "copy", Dir: "/w", Continues: old}})
	if err != nil {
		t.Fatal(err)
	}
	known, err := l.Changes(t.Context(), ledger.ChangesRequest{Session: resp.Session})
	if err != nil || len(known.Stale) > 0 {
		t.Errorf("out of date are %+v, %v", known.Stale, err)
	}
}

// A copy that nobody went on with is never the current session, however new it is.
func TestAnUnusedCopyIsNotTheCurrentSession(t *testing.T) {
	l := open(t)
	current := func() string {
		s, err := l.Session(t.Context(), ledger.SessionRequest{Latest: true})
		if err != nil && !fault.Is(err, fault.NotFound) {
			t.Fatal(err)
		}
		return s.HostID
	}
	write := func(hostID, continues string, entry sessions.NewEntry) {
		t.Helper()
		if _, err := l.AppendEntries(t.Context(), ledger.AppendEntriesRequest{Import: hostID, Next: 1, Done: true,
			Session: sessions.Session{Host: "codex", HostID: hostID, Continues: continues},
			Entries: []sessions.NewEntry{entry}}); err != nil {
			t.Fatal(err)
		}
	}
	write("lone copy", "0badc0de", asking("Show tax.go"))
	if got := current(); got != "" {
		t.Errorf("current is %q", got)
	}
	write("old", "", asking("Fix the tax"))
	newer := asking("Fix the tax")
	newer.Time = time.Now().Add(time.Minute)
	write("copy", "0badc0de", newer)
	if got := current(); got != "old" {
		t.Errorf("beside an unused copy the current session is %q", got)
	}
	if list, err := l.Sessions(t.Context(), ledger.SessionsRequest{}); err != nil || list.Sessions[0].HostID != "old" {
		t.Errorf("a list begins with an unused copy: %v, %v", list.Sessions, err)
	}
	used := asking("Go on")
	used.Usage, used.Time = &sessions.Usage{Output: 1}, time.Now().Add(time.Hour)
	write("used copy", "0badc0de", used)
	if got := current(); got != "used copy" {
		t.Errorf("beside a copy in use the current session is %q", got)
	}
}
