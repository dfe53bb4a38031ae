package claudecode_test

import (
	"fmt"
	"io"
	"strings"

	"ctxledger.dev/agents/claudecode"
)

// A Reader cuts a session file into lines, a Decoder makes entries of them.
func ExampleDecoder() {
	file := strings.NewReader(
		`{"type":"user","uuid":"u1","message":{"role":"user","content":"fix it"}}` + "\n" +
			`{"type":"last-prompt","lastPrompt":"fix it"}` + "\n" +
			`{"type":"assistant","uuid":"u2","mess`)
	var d claudecode.Decoder
	for r := claudecode.NewReader(file, 0, 0); ; {
		line, err := r.Next()
		if err == io.EOF {
			return
		}
		if e, ok := d.Entry(line.Text); ok {
			fmt.Printf("line %d: %s %q, message %q\n", line.Line, e.Kind, e.Note, e.Original[e.Message.From:e.Message.To])
		} else {
			fmt.Printf("line %d is no record, ended: %v\n", line.Line, line.Ended)
		}
	}
	// Output:
	// line 1: message "", message "{\"role\":\"user\",\"content\":\"fix it\"}"
	// line 2: note "last-prompt", message ""
	// line 3 is no record, ended: false
}
