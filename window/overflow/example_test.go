package overflow_test

import (
	"fmt"

	"ctxledger.dev/transcript"
	"ctxledger.dev/window/overflow"
)

func ExampleClassify() {
	body := `{"error":{"message":"input length and ` + "`max_tokens`" +
		` exceed context limit: 195000 + 8192 > 200000"}}`
	v := overflow.Classify(overflow.Response{Status: 400, Body: []byte(body)},
		overflow.Request{Window: 200_000, MaxOutput: 8192})
	advice := overflow.Advise(overflow.Incident{Verdict: v, Recover: true})
	fmt.Println(v.Class, v.Pattern, v.Path)
	fmt.Println(advice.Action, advice.OutputCap)
	// Output:
	// output_budget OB1 error.message
	// lower_output 3000
}

func ExampleTrim() {
	c := overflow.Copy{Format: transcript.Anthropic, Messages: [][]byte{
		[]byte(`{"role":"user","content":"What does it do?"}`),
		[]byte(`{"role":"assistant","content":[{"type":"text","text":"I look."},{"type":"tool_use","id":"1","name":"Read","input":{}}]}`),
		[]byte(`{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":"package main"}]}`),
	}}
	out, err := overflow.Trim(c, overflow.Stages)
	if err != nil {
		panic(err)
	}
	for _, m := range out.Messages {
		fmt.Println(string(m))
	}
	// Output:
	// {"role":"user","content":"What does it do?"}
	// {"role":"assistant","content":[{"type":"text","text":"I look."}]}
	// {"role":"user","content":"[...context-trimmed — 14 chars removed to fit model limit...]"}
}
