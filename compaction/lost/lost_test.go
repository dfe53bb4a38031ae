package lost

import (
	"strings"
	"testing"

	"ctxledger.dev/compaction/layout"
)

const document = `[STATE OF THIS CONVERSATION — turns 1–9 were compacted; made from its own words and recorded facts]

---

[TASK — in the user's words]
(turn 1, first request) Build the invoice export for accounting.

---

[REFUSED BY THE USER — not to be repeated]
  - Bash rm -rf exports (turn 3) — "keep the old exports"

---

[NOW]
  Task list (turn 7, 1 of 3 done):
  [x] Write the header
  [ ] Translate the footer into Japanese
  [~] Sort the rows by country

---

[CONVERSATION — the user verbatim; indented: sentences of the agent, claims]
(turn 2, standing rule) Never push to the main branch without asking me.
(turn 4) /model
(turn 5) The column for the country comes before the amount.
(turn 6) what is a byte order mark?
(turn 6, while the agent worked) {"task_id":"b1","description":"Build the export"}
  The agent says something.

---

[UNRESOLVED FAILURES]
  - go test ./export → exit 1 (turn 8) — TestFooter
  - ls missing → exit 2 (turn 8)

---

[LOOK UP — handles for read_artifact, files that were read]
  0123456789ab  Read path=a.go (1,000 tokens)`

// all says everything that matters of the document.
const all = `The user asked to build the invoice export for accounting.
The user refused "rm -rf exports": keep the old exports.
They said never to push to the main branch without asking.
The column for the country comes before the amount.
Pending tasks: translate the footer into Japanese; sort the rows by country.
go test ./export fails (TestFooter).`

func TestOfFindsWhatASummaryLost(t *testing.T) {
	for _, c := range []struct{ name, drop, put, want string }{
		{"nothing", "", "", ""},
		{"a rule", "They said never to push to the main branch without asking.", "", "Never push"},
		{"a rule that is mentioned and not demanded", "They said never to push to the main branch without asking.",
			strings.Repeat("\n-", 3) + "\nThe commits went to the branch, asking for review came before the push to main." +
				strings.Repeat("\n-", 3), "Never push"},
		{"a refusal", `The user refused "rm -rf exports": keep the old exports.`, "", "rm -rf exports"},
		{"an open task", "translate the footer into Japanese; ", "", "Translate the footer"},
		{"a failure", "fails (TestFooter)", "was written", "go test ./export → exit 1"},
		{"a wish", "The column for the country comes before the amount.", "", "before the amount"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := Of(document, strings.Replace(all, c.drop, c.put, 1), 700)
			if !strings.Contains(got.Text, c.want) || (c.want == "") != (got.Text == "") || got.Shown > 2 {
				t.Errorf("%+v", got)
			}
			for _, never := range []string{"/model", "byte order", "task_id", "[x]", "ls missing"} {
				if strings.Contains(got.Text, never) {
					t.Errorf("%q is told again: %s", never, got.Text)
				}
			}
		})
	}
}

// TestOfKeepsToItsBudget: whatever the budget is, the text keeps to it, and what is dearest comes first.
func TestOfKeepsToItsBudget(t *testing.T) {
	for budget := range 200 {
		got := Of(document, "Nothing of it.", budget)
		if n := layout.Count(got.Text); n > budget {
			t.Errorf("%d tokens, more than %d", n, budget)
		}
		if strings.Contains(got.Text, "before the amount") && !strings.Contains(got.Text, "Never push") {
			t.Errorf("a rule gave way to a wish: %s", got.Text)
		}
	}
}

func FuzzOfEndsForAnyTexts(f *testing.F) {
	f.Add(document, all)
	f.Add("[NOW]\n  [ ] \xff", "<analysis>")
	f.Fuzz(func(t *testing.T, document, summary string) {
		got := Of(document, summary, 100)
		if got.Kept+got.Shown > got.Items || layout.Count(got.Text) > 100 {
			t.Errorf("%+v", got)
		}
	})
}
