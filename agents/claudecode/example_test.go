package claudecode_test

import (
	"fmt"
	"strings"

	"ctxledger.dev/agents/claudecode"
	"ctxledger.dev/agents/sessionfile"
)

func ExampleAdapter() {
	file := strings.NewReader(
		`{"type":"user","uuid":"u1","message":{"role":"user","content":"fix it"}}` + "\n" +
			`{"type":"last-prompt","lastPrompt":"fix it"}` + "\n" +
			`{"type":"assistant","uuid":"u2","mess`)
	decode := claudecode.Adapter().Decoder("session.jsonl")
	for r, err := range sessionfile.Records(file, sessionfile.Position{}, decode) {
		switch {
		case err != nil:
			fmt.Println(err)
		case r.State == sessionfile.Broken:
			fmt.Printf("line %d is no record, ended: %v\n", r.Number, r.Ended)
		default:
			fmt.Printf("line %d: %q, message %q\n", r.Number, r.Note, r.Text[r.Message.From:r.Message.To])
		}
	}
	// Output:
	// line 1: "", message "{\"role\":\"user\",\"content\":\"fix it\"}"
	// line 2: "last-prompt", message ""
	// line 3 is no record, ended: false
}
