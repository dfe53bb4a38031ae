package engine_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"ctxledger.dev/engine"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
	"ctxledger.dev/memory"
)

// What the user of these tests says.
const (
	aRule       = "Always run the linter before you commit anything."
	aCorrection = "No, use tabs in the Makefile instead of spaces."
)

// endedSession records a session in which the user says these texts, and which a hook ended.
func endedSession(t *testing.T, l *engine.Local, id string, said ...string) string {
	t.Helper()
	s := ledger.LiveSession{Host: "claude-code", HostID: id, Dir: t.TempDir()}
	var raws []string
	for _, text := range append([]string{"Build the invoice export for accounting."}, said...) {
		quoted, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		raws = append(raws, fmt.Sprintf(`{"role":"user","content":%s}`, quoted),
			`{"role":"assistant","content":[{"type":"text","text":"I work on it."}]}`)
	}
	session := recorded(t, l, s, 0, raws...)
	if got := offered(t, l); strings.Contains(got, session) {
		t.Errorf("a session that goes on offers something: %s", got)
	}
	_, err := l.NoteStage(t.Context(), ledger.NoteStageRequest{LiveSession: s, Stage: ledger.StageEnded})
	if err != nil {
		t.Fatal(err)
	}
	return session
}

// offered returns what is offered, a line each.
func offered(t *testing.T, l *engine.Local) string {
	t.Helper()
	found, err := ledger.Candidates(t.Context(), l)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, c := range found {
		lines = append(lines, fmt.Sprintf("%s %d %s: %s", c.Session, c.Turn, c.Why, c.Text))
	}
	return strings.Join(lines, "\n")
}

// candidateOf returns the id of the candidate with a text.
func candidateOf(t *testing.T, l *engine.Local, text string) string {
	t.Helper()
	found, err := ledger.Candidates(t.Context(), l)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range found {
		if c.Text == text {
			return c.ID
		}
	}
	t.Fatalf("%q is not offered in %+v", text, found)
	return ""
}

// memoriesOf returns how many memories there are.
func memoriesOf(t *testing.T, l *engine.Local) int {
	t.Helper()
	page, err := l.Memories(t.Context(), ledger.MemoriesRequest{})
	if err != nil {
		t.Fatal(err)
	}
	return len(page.Entries)
}

// TestASessionThatEndedOffersMemories: a rule and a correction are offered, and are memories only when accepted.
// What was accepted or dismissed stays away, in other sessions too.
func TestASessionThatEndedOffersMemories(t *testing.T) {
	dir, root := t.TempDir(), t.TempDir()
	l, now := openIn(t, dir, root)
	first := endedSession(t, l, "11111111-1111-4222-8333-444455556666", aRule, aCorrection)
	want := first + " 2 standing rule: " + aRule + "\n" + first + " 3 correction: " + aCorrection
	if got := offered(t, l); got != want || memoriesOf(t, l) != 0 {
		t.Fatalf("offered\n%s\nwant\n%s\nand %d memories", got, want, memoriesOf(t, l))
	}
	now.now = now.now.Add(time.Minute)
	endedSession(t, l, "22222222-1111-4222-8333-444455556666", strings.ToUpper(aRule))
	if got := offered(t, l); got != want {
		t.Errorf("the same rule is offered again: %s", got)
	}
	e, err := ledger.AcceptCandidate(t.Context(), l, candidateOf(t, l, aRule), "", memory.Project)
	if err != nil || e.Body != aRule || e.Name != "always-run-the-linter-before-you" || memoriesOf(t, l) != 1 {
		t.Errorf("accepted %+v, %v", e, err)
	}
	if got := offered(t, l); strings.Contains(got, aRule) || !strings.Contains(got, aCorrection) {
		t.Errorf("after accepting: %s", got)
	}
	gone, err := ledger.DismissCandidate(t.Context(), l, candidateOf(t, l, aCorrection))
	if err != nil || offered(t, l) != "" || memoriesOf(t, l) != 1 {
		t.Errorf("dismissed %+v, %v; offered %s", gone, err, offered(t, l))
	}
	endedSession(t, l, "33333333-1111-4222-8333-444455556666", aCorrection)
	if got := offered(t, l); got != "" {
		t.Errorf("what was dismissed is offered again: %s", got)
	}
	_, err = ledger.DismissCandidate(t.Context(), l, gone.ID)
	wantCode(t, err, fault.NotFound)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	sound(t, dir)
}

// TestRulesOfOtherLanguagesAreOffered: also those of scripts without spaces, whole, under a name of their own words.
func TestRulesOfOtherLanguagesAreOffered(t *testing.T) {
	l := open(t)
	said := []string{"Ab jetzt fragst du vor jedem Push.", "Ne pousse jamais sur main sans demander.",
		"Por favor, nunca uses coma flotante.", "请记住价格以分为单位。", "常にタブを使ってください。"}
	session := endedSession(t, l, "55555555-1111-4222-8333-444455556666", said...)
	var want []string
	for i, text := range said {
		want = append(want, fmt.Sprintf("%s %d standing rule: %s", session, i+2, text))
	}
	if got := offered(t, l); got != strings.Join(want, "\n") {
		t.Errorf("offered\n%s", got)
	}
	e, err := ledger.AcceptCandidate(t.Context(), l, candidateOf(t, l, said[4]), "", memory.Project)
	if err != nil || e.Name != "常にタブを使ってください" || e.Body != said[4] {
		t.Errorf("accepted %+v, %v", e, err)
	}
}

// TestCandidatesAreBounded: of many long rules with secrets in them, five are offered, short and masked. A forgotten
// session offers nothing, and no name is taken twice.
func TestCandidatesAreBounded(t *testing.T) {
	l := open(t)
	var said []string
	for i := range 9 {
		said = append(said, fmt.Sprintf("Always keep to rule %d of the list.\n%s", i,
			strings.Repeat("Because of that. ", 40)))
	}
	said[0] = "Never print ghp_" + strings.Repeat("aB3dE6", 6) + " into the log."
	session := endedSession(t, l, "44444444-1111-4222-8333-444455556666", said...)
	found, err := ledger.Candidates(t.Context(), l)
	if err != nil || len(found) != 5 {
		t.Fatalf("%d are offered, %v", len(found), err)
	}
	for _, c := range found {
		if len(c.Text) > 500 || strings.Contains(c.Text, "ghp_aB3") {
			t.Errorf("offered: %s", c.Text)
		}
	}
	if _, err := ledger.AcceptCandidate(t.Context(), l, found[1].ID, "rules", memory.Project); err != nil {
		t.Fatal(err)
	}
	_, err = ledger.AcceptCandidate(t.Context(), l, found[2].ID, "rules", memory.Project)
	wantCode(t, err, fault.Conflict)
	if n := strings.Count(offered(t, l), session); n != 4 {
		t.Errorf("%d are offered after one was accepted", n)
	}
	if _, err := l.Forget(t.Context(), ledger.ForgetRequest{Handle: session}); err != nil {
		t.Fatal(err)
	}
	if got := offered(t, l); got != "" {
		t.Errorf("a forgotten session offers %s", got)
	}
}
