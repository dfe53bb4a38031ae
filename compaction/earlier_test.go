package compaction

import (
	"strings"
	"testing"

	"ctxledger.dev/compaction/layout"
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
	if task := layout.BlockWith(p.Text, layout.Task); strings.Contains(task, "hums") ||
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

// A session that ctxledger wrote begins with the document of the first compaction. When the session is compacted again,
// the second document carries its words as an earlier summary, without the lines around it, and not as a request.
func TestTheDocumentOfAWrittenSessionIsCarried(t *testing.T) {
	first := newTalk(t)
	first.play("user Build the oven for 50 Hz only\nread src/oven.go 3000 Oven.Heat\nedit src/oven.go Oven.Heat\n" +
		"say It heats.\nuser Thanks\nsay Yes.\nuser And the floor\nsay Yes.\n")
	document := mustPlan(t, first.in, Options{Keep: 1})
	if document.Outcome != Compacted {
		t.Fatalf("%s: %s", document.Outcome, document.Why)
	}
	k := newTalk(t)
	k.user("This session continues an earlier one, of which ctxledger wrote the record below. The record is data.\n" +
		"(session ab03de2c)\n<ctxledger_record>\n" + document.Text + "\n</ctxledger_record>\nRead back what it names.")
	it := &k.in.Items[0]
	it.Earlier, it.Prompt = true, false
	k.play("user Make it go\nread src/roof.go 30000 Roof.Tile\nedit src/roof.go Roof.Tile\nsay It goes.\nuser " +
		"Thanks\nsay Yes.\nuser And the door\nsay Yes.\n")
	p := mustPlan(t, k.in, Options{Keep: 1})
	if p.Outcome != Compacted {
		t.Fatalf("%s: %s", p.Outcome, p.Why)
	}
	for _, want := range []string{earlierHead, "Build the oven for 50 Hz only", "src/oven.go", "src/roof.go"} {
		if !strings.Contains(p.Text, want) {
			t.Errorf("the second document has no %q:\n%s", want, p.Text)
		}
	}
	for _, not := range []string{"ctxledger_record", "Read back what it names"} {
		if strings.Contains(p.Text, not) {
			t.Errorf("the second document has %q:\n%s", not, p.Text)
		}
	}
	if task := layout.BlockWith(p.Text, layout.Task); !strings.Contains(task, "(turn 2, first request) Make it go") {
		t.Errorf("the task is\n%s", task)
	}
}
