package compaction

import (
	"strings"
	"testing"

	"ctxledger.dev/transcript"
)

// What a transaction appended and did not commit is not what the next plan reads.
func TestOnlyCommittedWordsAreKept(t *testing.T) {
	k := newTalk(t)
	k.play("user Build the oven\nread oven.go 9000\nsay The oven is cold because of the relay.\nedit oven.go Oven.Heat\n" +
		"user Now the door\nread door.go 9000\nsay The door opens to the left.\nuser next\n")
	in := k.in
	words := &Words{}
	loads := map[int64]int{}
	in.Message = func(seq int64) (transcript.Message, error) {
		loads[seq]++
		return k.in.Message(seq)
	}
	in.Words, in.WordsTo = words, 4
	mustPlan(t, in, Options{Keep: 1})
	for _, m := range k.messages {
		for i := range m.Parts {
			m.Parts[i].Text = strings.ReplaceAll(m.Parts[i].Text, "opens", "slides")
		}
	}
	p := mustPlan(t, in, Options{Keep: 1})
	if strings.Contains(p.Text, "opens") || !strings.Contains(p.Text, "slides") {
		t.Errorf("words that were not committed were kept:\n%s", p.Text)
	}
	if loads[4] != 1 || loads[1] != 1 {
		t.Errorf("committed words were read again: %v", loads)
	}
}
