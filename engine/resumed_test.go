package engine_test

import (
	"testing"

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
