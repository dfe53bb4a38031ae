package engine_test

import (
	"fmt"
	"strings"
	"testing"

	"ctxledger.dev/compaction"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
)

// noted keeps notes of an agent.
func noted(t *testing.T, r func(ledger.KeepNotesRequest) (sessions.Session, error), session string, n sessions.Notes) {
	t.Helper()
	if _, err := r(ledger.KeepNotesRequest{Session: session, Notes: n}); err != nil {
		t.Fatal(err)
	}
}

// TestEveryDocumentHasTheAttempts: however often a session is compacted, no view loses what agents logged as tried; other
// kinds of notes are in no document.
func TestEveryDocumentHasTheAttempts(t *testing.T) {
	l := open(t)
	keep := func(r ledger.KeepNotesRequest) (sessions.Session, error) { return l.KeepNotes(t.Context(), r) }
	r := hand(t, l, ledger.AppendMessagesRequest{Messages: long(30)})
	for i := range 6 {
		noted(t, keep, r.Session, sessions.Notes{Kind: sessions.NotesAttempt, Text: fmt.Sprintf("attempt %d", i),
			Reason: "no\nuse"})
	}
	noted(t, keep, r.Session, sessions.Notes{Kind: sessions.NotesContext, Text: "the session context"})
	noted(t, keep, r.Session, sessions.Notes{Kind: sessions.NotesHypothesis, Text: "a hypothesis", ID: "h1",
		Status: "open"})
	for round := range 2 {
		text := compact(t, l, r.Session, compaction.Options{Keep: 2}).Summary.Text
		if strings.Count(text, "→ no use") != 6 ||
			!strings.Contains(text, "[ATTEMPTS — logged by agents, oldest first]\n(") {
			t.Fatalf("round %d: %s", round, text)
		}
		if strings.Contains(text, "the session context") || strings.Contains(text, "a hypothesis") {
			t.Errorf("round %d: %s", round, text)
		}
		hand(t, l, ledger.AppendMessagesRequest{Session: r.Session, Since: true, Messages: long(30)})
	}
}

func TestNotesThatAreRefused(t *testing.T) {
	l := open(t)
	for _, c := range []struct {
		name string
		n    sessions.Notes
		code fault.Code
	}{
		{"no text", sessions.Notes{Kind: sessions.NotesAttempt, Text: " "}, fault.Invalid},
		{"an unknown kind", sessions.Notes{Kind: "mood", Text: "x"}, fault.Invalid},
		{"a hypothesis without an id", sessions.Notes{Kind: sessions.NotesHypothesis, Text: "x", Status: "open"},
			fault.Invalid},
		{"an unknown status", sessions.Notes{Kind: sessions.NotesHypothesis, Text: "x", ID: "h1", Status: "maybe"},
			fault.Invalid},
		{"a long session context", sessions.Notes{Kind: sessions.NotesContext, Text: strings.Repeat("é", 32_001)},
			fault.TooLarge},
		{"a long attempt", sessions.Notes{Kind: sessions.NotesAttempt, Text: strings.Repeat("x", 4<<10+1)},
			fault.TooLarge},
	} {
		_, err := l.KeepNotes(t.Context(), ledger.KeepNotesRequest{Notes: c.n})
		if fault.CodeOf(err) != c.code {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	if _, err := l.KeepNotes(t.Context(), ledger.KeepNotesRequest{Notes: sessions.Notes{Kind: sessions.NotesContext,
		Text: strings.Repeat("é", 32_000)}}); err != nil {
		t.Error(err)
	}
}

// TestAnAssemblyIsAnEvent: what an agent was given is announced, and adds nothing to the log by itself.
func TestAnAssemblyIsAnEvent(t *testing.T) {
	l := open(t)
	r := hand(t, l, ledger.AppendMessagesRequest{Messages: long(2)})
	made := ledger.ContextAssembly{Agent: "Tester", Artifacts: 1, ContextChars: 9, Strategy: ledger.StrategySpec,
		Declared: []string{"session_context", "file:x"}, Empty: []string{"file:x"}}
	s, err := l.KeepNotes(t.Context(), ledger.KeepNotesRequest{Session: r.Session, Assembled: &made})
	if err != nil || s.Seq != r.Seq {
		t.Fatal(s.Seq, r.Seq, err)
	}
	page, err := l.WaitEvents(t.Context(), ledger.WaitEventsRequest{Kinds: []string{ledger.EventAssembly}})
	if err != nil || len(page.Events) != 1 || page.Events[0].Words() !=
		"for Tester: 1 source in 9 characters; empty: file:x" {
		t.Errorf("%+v, %v", page, err)
	}
}

// TestForgottenNotesAreGone of every kind: also what they said last.
func TestForgottenNotesAreGone(t *testing.T) {
	l := open(t)
	keep := func(r ledger.KeepNotesRequest) (sessions.Session, error) { return l.KeepNotes(t.Context(), r) }
	r := hand(t, l, ledger.AppendMessagesRequest{Messages: long(2)})
	noted(t, keep, r.Session, sessions.Notes{Kind: sessions.NotesHandoff, Text: "x zebrafish x", Agent: "zebrafish",
		To: "zebrafish"})
	noted(t, keep, r.Session, sessions.Notes{Kind: sessions.NotesHypothesis, Text: "zebrafish", ID: "zebrafish",
		Status: sessions.StatusRejected, Reason: "zebrafish"})
	if _, err := l.Forget(t.Context(), ledger.ForgetRequest{Text: "zebrafish"}); err != nil {
		t.Fatal(err)
	}
	for e, err := range ledger.LogEntries(t.Context(), l, ledger.LogRequest{Session: r.Session, Originals: true}) {
		if err != nil || strings.Contains(string(e.Original), "zebrafish") {
			t.Errorf("%s, %v", e.Original, err)
		}
	}
}
