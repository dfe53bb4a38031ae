package compaction_test

import (
	"fmt"
	"strings"

	"ctxledger.dev/compaction"
	"ctxledger.dev/intents"
	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
)

func ExamplePlan() {
	texts := map[int64]string{1: "Fix the rounding in pay.go", 4: "Now the receipts"}
	p, err := compaction.Plan(compaction.Input{
		Session:  sessions.Session{ID: "a1b2c3d4"},
		Position: 4,
		Items: []compaction.Item{
			{Seqs: []int64{1}, ID: "11", Role: transcript.RoleUser, Prompt: true, Turn: 1, Tokens: 8},
			{Seqs: []int64{2}, ID: "22", Role: transcript.RoleAssistant, Turn: 1, Tokens: 900,
				Calls: []sessions.Call{{ID: "c1", Name: "Edit", Op: "patch_file", Target: "pay.go"}}},
			{Seqs: []int64{3}, ID: "33", Role: transcript.RoleTool, Turn: 1, Tokens: 4000,
				Results: []compaction.Result{{Result: sessions.Result{CallID: "c1", Tokens: 4000}, Handle: "33"}}},
			{Seqs: []int64{4}, ID: "44", Role: transcript.RoleUser, Prompt: true, Turn: 2, Tokens: 4},
		},
		Operations: []compaction.Operation{{Intent: intents.Intent{Seq: 2, Turn: 1, Name: "Edit", Op: intents.OpPatch,
			Target: "pay.go", Status: intents.Applied, CallID: "c1"}}},
		Message: func(seq int64) (transcript.Message, error) {
			return transcript.Message{Parts: []transcript.Part{{Kind: transcript.KindText, Text: texts[seq]}}}, nil
		},
	}, compaction.Options{Keep: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(p.Outcome, "entries", p.Record.From, "to", p.Record.To)
	for line := range strings.Lines(p.Text) {
		if strings.Contains(line, "pay.go") {
			fmt.Print(line)
		}
	}
	// Output:
	// compacted entries 1 to 3
	// (turn 1, first request) Fix the rounding in pay.go
	//   last calls: Edit pay.go
	//   - pay.go — edited (turn 1)
}
