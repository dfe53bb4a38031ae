package cli

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ctxledger.dev/changes"
	"ctxledger.dev/intents"
	"ctxledger.dev/internal/redact"
	"ctxledger.dev/ledger"
)

// The question mark of a session that may have made a change is explained where there is one.
func TestSessionsThatMayHaveChangedAFileAreExplained(t *testing.T) {
	a := &action{masks: redact.New(nil)}
	a.Env.Now = time.Now
	several := []changes.Candidate{{Session: "d88ee6f7"}, {Session: "ab03de2c"}}
	for _, c := range []struct {
		change changes.Change
		want   bool
	}{
		{changes.Change{ID: 1, Path: "a.go", Candidates: several}, true},
		{changes.Change{ID: 1, Path: "a.go", Session: "d88ee6f7"}, false},
	} {
		var list, story bytes.Buffer
		printChanges(a, &list, changesAnswer{ChangesResponse: ledger.ChangesResponse{Total: 1,
			Changes: []changes.Change{c.change}}})
		printHistory(a, &story, historyAnswer{FileHistory: ledger.FileHistory{Path: "a.go",
			Changes: []changes.Change{c.change}}})
		for _, text := range []string{list.String(), story.String()} {
			if strings.Contains(text, "\n?: uncertain; ") != c.want || strings.Contains(text, "d88ee6f7?") != c.want {
				t.Errorf("%+v:\n%s", c.change, text)
			}
		}
	}
}

// TestNoChangesOfASessionIsNotNoChanges: others may have made some.
func TestNoChangesOfASessionIsNotNoChanges(t *testing.T) {
	var list strings.Builder
	printChanges(&action{masks: redact.New(nil)}, &list, changesAnswer{by: "s"})
	if got := list.String(); got != "no file changes by session s itself are recorded\n" {
		t.Errorf("%q", got)
	}
}

// TestEachMomentOfAFileNamesItsTree: reads and calls in another worktree were told as if they had been here. The newest is
// first, as in the list of changes.
func TestEachMomentOfAFileNamesItsTree(t *testing.T) {
	at := func(minute int) time.Time { return time.Date(2026, 11, 28, 9, minute, 0, 0, time.UTC) }
	h := historyAnswer{in: ledger.Info{Workspace: "/fix", Main: "/w"}, Reads: []countedRead{
		{FileRead: ledger.FileRead{Session: "main", Time: at(1), Failed: true}},
		{FileRead: ledger.FileRead{Session: "here", Time: at(2)}},
	}}
	h.Path, h.Trees = "a.go", map[string]string{"here": "/fix", "there": "/other"}
	h.Intents = []intents.Intent{{Session: "there", Begun: at(3), Status: intents.Applied, Name: "Edit"}}
	h.Changes = []changes.Change{{Session: "there", Tree: "/other", Time: at(4), Op: changes.Modified,
		Source: changes.Observed}}
	var got []string
	for _, m := range storyOf(h) {
		got = append(got, m.what+" "+m.detail)
	}
	want := []string{
		"modified source: observed, in /other",
		"call Edit: applied, in /other",
		"read 0 tokens of the window",
		"read failed, 0 tokens of the window, in /w",
	}
	for i := range got { // an estimate of nothing is marked
		got[i] = strings.ReplaceAll(got[i], "≈", "")
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
