package transcript_test

import (
	"fmt"

	"ctxledger.dev/transcript"
)

func ExampleEdit() {
	raw := []byte(`{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"52,000 ` +
		`characters"}],"n":1.0}`)
	short, err := transcript.Edit(transcript.Anthropic, raw, transcript.Edits{
		Results: map[string]string{"t1": "[stub]"},
	})
	fmt.Println(string(short), err)
	// Output: {"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"[stub]"}],"n":1.0} <nil>
}

func ExampleExtract() {
	m, _ := transcript.Decode(transcript.Anthropic, []byte(`{"role":"user","content":"TestParse fails in `+
		`src/parse.go:12 with exit code 1"}`))
	f := transcript.Extract(m)
	fmt.Println(f.Paths, f.Names)
	// Output: [src/parse.go] [TestParse exit code 1]
}
