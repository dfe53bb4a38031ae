package engine_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"ctxledger.dev/engine"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
)

// saidAt is a record of a session file, with usage if an assistant says it.
func saidAt(role, id, text string, minute int) sessions.NewEntry {
	e := sessions.NewEntry{Kind: sessions.KindMessage, HostID: id, Format: transcript.Anthropic,
		Time:     time.Date(2026, 11, 20, 12, minute, 0, 0, time.UTC),
		Original: []byte(fmt.Sprintf(`{"role":%q,"content":%q}`, role, text))}
	if role == "assistant" {
		e.Usage = &sessions.Usage{Input: 100, Output: 10}
	}
	return e
}

// source imports a session file as an importer does, from one offset to another.
type source struct {
	t  *testing.T
	l  *engine.Local
	at int64

	title string
}

func (s *source) send(again bool, entries ...sessions.NewEntry) (ledger.AppendEntriesResponse, error) {
	r := ledger.AppendEntriesRequest{Import: "i", Offset: s.at,
		Session: sessions.Session{Host: "h", HostID: "i", Title: s.title},
		Next:    s.at + int64(len(entries)), Entries: entries, Done: !again, Again: again}
	if s.at > 0 {
		r.Check = "sum"
	}
	if again {
		return s.l.AppendEntries(s.t.Context(), r)
	}
	r.Check = "sum"
	resp, err := s.l.AppendEntries(s.t.Context(), r)
	s.at = r.Next
	return resp, err
}

func (s *source) read(entries ...sessions.NewEntry) string {
	s.t.Helper()
	resp, err := s.send(false, entries...)
	if err != nil {
		s.t.Fatal(err)
	}
	return resp.Session
}

// rewritten begins again.
func (s *source) rewritten() {
	s.t.Helper()
	if _, err := s.send(true); err != nil {
		s.t.Fatal(err)
	}
	s.at = 0
}

// TestARewrittenSourceCountsNothingTwice reads a session file again that was rewritten: cut, made anew, or with other bytes
// in a record.
func TestARewrittenSourceCountsNothingTwice(t *testing.T) {
	ask, answer := saidAt("user", "u1", "Look.", 0), saidAt("assistant", "a1", "I look.", 1)
	more, done := saidAt("user", "u2", "Go on.", 2), saidAt("assistant", "a2", "Done.", 3)
	note := sessions.NewEntry{Kind: sessions.KindNote, Time: ask.Time, Original: []byte(`{"type":"summary"}`)}
	other := saidAt("assistant", "a1", "I look elsewhere.", 1)
	for name, c := range map[string]struct {
		first, again []sessions.NewEntry
		turns        int
		input        int64
		texts        []string // in the originals
	}{
		"cut": {
			all(ask, note, answer, more), all(ask, note, answer), 2, 100, []string{"Go on."}},
		"continued": {
			all(ask, note, answer), all(ask, note, answer, more, done), 2, 200, []string{"Done."}},
		"another record": {
			all(ask, answer), all(ask, other, more), 2, 100, []string{"I look.", "I look elsewhere."}},
		"all new records": {
			all(ask, answer), all(saidAt("user", "x1", "New.", 4), saidAt("assistant", "x2", "Yes.", 5)), 2, 200, nil},
	} {
		t.Run(name, func(t *testing.T) {
			src := &source{t: t, l: open(t)}
			id := src.read(c.first...)
			entries := 0
			for range 2 { // the second time everything is there
				src.rewritten()
				src.read(c.again...)
				got := sessionOf(t, src.l, id)
				if got.Turns != c.turns || got.Usage.Input != c.input {
					t.Errorf("%d turns, %d tokens of input; want %d, %d", got.Turns, got.Usage.Input, c.turns, c.input)
				}
				if n := len(log(t, src.l, id)); entries > 0 && n != entries {
					t.Errorf("%d entries became %d", entries, n)
				} else {
					entries = n
				}
			}
			for _, text := range c.texts {
				if n := strings.Count(string(originals(t, src.l, id, 0, 0)), text); n != 1 {
					t.Errorf("%q occurs %d times", text, n)
				}
			}
			if got := sessionOf(t, src.l, id).Rewritten; got != 2 {
				t.Errorf("the session says %d times", got)
			}
			src.read(saidAt("user", "u9", "And then?", 9)) // and it goes on
			if got := sessionOf(t, src.l, id).Turns; got != c.turns+1 {
				t.Errorf("%d turns after one more", got)
			}
		})
	}
}

// sessionOf returns what the ledger says of a session.
func sessionOf(t *testing.T, l *engine.Local, id string) sessions.Session {
	t.Helper()
	s, err := l.Session(t.Context(), ledger.SessionRequest{Name: id})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func all(entries ...sessions.NewEntry) []sessions.NewEntry { return entries }

// What was forgotten does not come back with a rewritten file, and whoever does not know where the import is cannot start
// it over.
func TestARewrittenSourceBringsNothingForgottenBack(t *testing.T) {
	src := &source{t: t, l: open(t)}
	secret := saidAt("user", "u1", "The secret word is ibis.", 0)
	id := src.read(secret, saidAt("assistant", "a1", "I see.", 1))
	if _, err := src.l.Forget(t.Context(), ledger.ForgetRequest{Handle: log(t, src.l, id)[0].Handle()}); err != nil {
		t.Fatal(err)
	}
	src.rewritten()
	src.read(secret, saidAt("assistant", "a2", "More.", 2))
	if strings.Contains(string(originals(t, src.l, id, 0, 0)), "ibis") {
		t.Error("the forgotten record is back")
	}
	if _, err := src.l.Forget(t.Context(), ledger.ForgetRequest{Handle: id}); err != nil {
		t.Fatal(err)
	}
	src.title = "The secret word is ibis."
	src.rewritten()
	src.read(secret, saidAt("assistant", "a3", "Still more.", 3))
	if title := sessionOf(t, src.l, id).Title; title != "" {
		t.Errorf("the forgotten title is back: %q", title)
	}
	src.at = 77
	if _, err := src.send(true); !fault.Is(err, fault.Conflict) {
		t.Errorf("an import that is elsewhere was started over: %v", err)
	}
}
