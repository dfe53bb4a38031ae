package cli

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"ctxledger.dev/changes"
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
			if strings.Contains(text, "\n?: perhaps; ") != c.want || strings.Contains(text, "d88ee6f7?") != c.want {
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
