package compaction

import (
	"strings"
	"testing"
)

// TestASessionThatAnotherContinuesIsDescribedOnce: the user's words of both are the user's, whole, and the state of the
// earlier one is left out, since this one has a newer state.
func TestASessionThatAnotherContinuesIsDescribedOnce(t *testing.T) {
	k := newTalk(t)
	k.play("user Build the shop. Always keep prices in cents.\nread a.go 3000\n" +
		"todo [x] prices; [~] report\nsay The cents get lost in parse.go, because it reads floats.\nedit price.go Price\n" +
		"user \"Now the report.\\nIt has two parts.\"\nrun go test ./... => 1 --- FAIL: TestReport\n" +
		"say The report is next.\nread b.go 3000\nuser go on")
	whole := Options{Keep: 1, Budget: 1_500, Whole: true}
	earlier := mustPlan(t, k.in, whole).Text
	n := newTalk(t)
	n.in.Session.Continues = "0a1b2c3d"
	n.begin(earlier)
	n.play("todo [x] prices; [x] report\nsay The report prints both parts now.\nread c.go 3000\n" +
		"user And the till\nsay It is next.")
	got := mustPlan(t, n.in, whole).Text
	for text, times := range map[string]int{
		"Always keep prices in cents.": 1, "It has two parts.": 1, "because it reads floats": 1, "price.go — edited": 1,
		"[x] report": 1, "[~] report": 0, "(turn 1, first request, session 0a1b2c3d) Build the shop.": 1,
		"[EARLIER SUMMARY — of session 0a1b2c3d, by ctxledger]": 1, "[EARLIER SUMMARY — by the host": 0,
	} {
		if got := strings.Count(got, text); got != times {
			t.Errorf("%q occurs %d times, want %d", text, got, times)
		}
	}
	if t.Failed() {
		t.Logf("of\n%s\ncame\n%s", earlier, got)
	}
}

// begin gives the talk a first message that is an earlier document.
func (k *talk) begin(document string) {
	it := k.user(document)
	it.Prompt, it.Earlier = false, true
}
