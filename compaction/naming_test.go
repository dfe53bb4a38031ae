package compaction

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"ctxledger.dev/tokens"
)

// TestSummariesWithDifferentContentHaveDifferentIDs: an id depends on the text, and on where it is made.
func TestSummariesWithDifferentContentHaveDifferentIDs(t *testing.T) {
	seen := map[string]string{}
	for position := range int64(3) {
		draft := draftName("ab03de2c", 1, 622, 700+position)
		for _, text := range []string{"", "short " + draft, "long " + draft, "long " + draft + "\n" + draft} {
			id, named := nameByText(draft, text)
			if !regexp.MustCompile(`^[0-9a-f]{12}$`).MatchString(id) {
				t.Errorf("id %q", id)
			}
			if strings.Contains(named, draft) || strings.Count(named, id) != strings.Count(text, draft) {
				t.Errorf("draft %s, id %s: %q became %q", draft, id, text, named)
			}
			what := fmt.Sprintf("%q at %d", text, position)
			if other, known := seen[id]; known {
				t.Errorf("%s has the id of %s", what, other)
			}
			seen[id] = what
			if again, _ := nameByText(draft, text); again != id {
				t.Errorf("%s is named %s and %s", what, id, again)
			}
		}
	}
}

// TestATextThatFitsWithADraftFitsWithItsID: no id takes more tokens than that of a draft, wherever texts have one.
func TestATextThatFitsWithADraftFitsWithItsID(t *testing.T) {
	for n := range int64(2000) {
		draft := draftName("ab03de2c", 1, n, n)
		for _, form := range []string{
			"read_artifact(id=\"%s\")", "saved to %s should", "`%s`", "%s", "(%s)", "\n%s\n", "id:%s.",
		} {
			text := fmt.Sprintf("All of it. "+form, draft)
			_, named := nameByText(draft, text)
			if a, b := tokens.O200kBase.CountString(text), tokens.O200kBase.CountString(named); b > a {
				t.Fatalf("%q has %d tokens, %q %d", text, a, named, b)
			}
		}
	}
}
