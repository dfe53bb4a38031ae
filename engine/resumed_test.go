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
