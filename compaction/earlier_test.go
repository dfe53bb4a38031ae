package compaction

import (
	"strings"
	"testing"

	"ctxledger.dev/compaction/anchors"
	"ctxledger.dev/compaction/quote"
)

// The summary of a host is presented as such: not as the user's words, and to a model as the previous summary.
func TestAHostsOwnSummaryIsCarried(t *testing.T) {
	k := newTalk(t)
	k.user("Here is a summary of the conversation to date:\n\nThe oven hums at 50 Hz. " +
		strings.Repeat("More of that. ", 40))
	it := &k.in.Items[0]
	it.Earlier, it.Prompt = true, false
	k.play("user Make it go\nread src/oven.go 3000 Oven.Heat\nedit src/oven.go Oven.Heat\nsay It goes.\nuser " +
		"Thanks\nsay Yes.\nuser And the floor\nsay Yes.\n")
	p := mustPlan(t, k.in, Options{Keep: 1})
	if p.Outcome != Compacted || !strings.Contains(p.Text, earlierHead+"\n") ||
		!strings.Contains(p.Text, "hums at 50 Hz") {
		t.Fatalf("%s: %s\n%s", p.Outcome, p.Why, p.Text)
	}
	if task := quote.BlockWith(p.Text, anchors.Task); strings.Contains(task, "hums") ||
		!strings.Contains(task, "(turn 2, first request) Make it go") {
		t.Errorf("the task is\n%s", task)
	}
	plan, err := Plan(k.in, Options{Mode: LLM, Keep: 1})
	if err != nil || plan.Brief == nil {
		t.Fatalf("%v, %s", err, plan.Why)
	}
	if b := plan.Brief; !strings.HasPrefix(b.Previous, "The oven hums at 50 Hz.") || b.Task != "Make it go" ||
		strings.Contains(b.Parts[0].Messages[0].Text, "hums") {
		t.Errorf("the brief is %+v", b)
	}
	k.accept(p)
	k.play("user Now the roof\nread src/roof.go 4000\nedit src/roof.go Roof.Tile\nuser And paint it\nsay Yes.\n")
	if p = mustPlan(t, k.in, Options{Keep: 1}); !strings.Contains(p.Text, "hums at 50 Hz") {
		t.Errorf("the second document lost it:\n%s", p.Text)
	}
}
