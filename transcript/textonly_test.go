package transcript

import "testing"

// What is left of a message is its texts, byte for byte, and the name of who speaks.
func TestTextOnly(t *testing.T) {
	for _, c := range []struct {
		format    Format
		raw, want string // "": nothing is left
	}{
		{Anthropic, `{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"s"}, ` +
			`{"type":"text","text":"words","x":1},{"type":"tool_use","id":"1","name":"N","input":{}}]}`,
			`{"role":"assistant","content":[{"type":"text","text":"words","x":1}]}`},
		{Anthropic, `{"role":"assistant","content":[{"type":"text","text":" \n"},{"type":"tool_use","id":"1",` +
			`"name":"N","input":{}}]}`, ""},
		{Anthropic, `{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":"r"},` +
			`{"type":"text","text":"stop"}]}`,
			`{"role":"user","content":[{"type":"text","text":"stop"}]}`},
		{Anthropic, `{"role":"assistant","content":"words"}`, `{"role":"assistant","content":"words"}`},
		{OpenAIChat, `{"role":"assistant","name":"tester","reasoning_content":"hm","content":"words",` +
			`"tool_calls":[{"id":"1","type":"function","function":{"name":"N","arguments":"{}"}}]}`,
			`{"role":"assistant","name":"tester","content":"words"}`},
		{OpenAIChat, `{"role":"assistant","content":[{"type":"text","text":"words"},{"type":"image_url",` +
			`"image_url":{"url":"u"}},{"type":"refusal","refusal":"no"}],"reasoning":"hm"}`,
			`{"role":"assistant","content":[{"type":"text","text":"words"},{"type":"refusal","refusal":"no"}]}`},
		{OpenAIChat, `{"role":"assistant","content":null,"tool_calls":[{"id":"1","type":"function",` +
			`"function":{"name":"N","arguments":"{}"}}]}`, ""},
		{OpenAIChat, `{"role":"tool","tool_call_id":"1","content":"r"}`, ""},
		{OpenAIResponses, `{"type":"reasoning","id":"r","summary":[{"type":"summary_text","text":"hm"}]}`, ""},
		{OpenAIResponses, `{"type":"function_call","call_id":"1","name":"N","arguments":"{}"}`, ""},
		{OpenAIResponses, `{"type":"function_call_output","call_id":"1","output":"r"}`, ""},
		{OpenAIResponses, `{"type":"message","role":"assistant","content":[{"type":"output_text","text":"words"}]}`,
			`{"type":"message","role":"assistant","content":[{"type":"output_text","text":"words"}]}`},
		{Gemini, `{"role":"model","parts":[{"text":"hm","thought":true},{"text":"words"},` +
			`{"functionCall":{"name":"N","args":{}}}]}`,
			`{"role":"model","parts":[{"text":"words"}]}`},
		{Gemini, `{"role":"model","parts":[{"functionCall":{"name":"N","args":{}}}]}`, ""},
	} {
		got, err := Edit(c.format, []byte(c.raw), Edits{TextOnly: true})
		if err != nil || string(got) != c.want {
			t.Errorf("%s %s\nis %s, %v\nwant %s", c.format, c.raw, got, err, c.want)
		}
		pieces, err := Render(c.format, []Record{{JSON: []byte(c.raw)}}, Edits{TextOnly: true})
		if err != nil || (len(pieces) == 1) != (c.want != "") || len(pieces) == 1 && string(pieces[0].JSON) != c.want {
			t.Errorf("%s %s\nrenders to %d pieces, %v", c.format, c.raw, len(pieces), err)
		}
	}
}

func TestMalformed(t *testing.T) {
	for args, want := range map[string]bool{
		`{}`: false, ``: false, `"{\"a\": 1"`: true, `" {"`: true, `"*** Begin Patch"`: false, `7`: true,
		`["a"]`: true, `null`: false, `""`: false,
	} {
		if got := (Part{Kind: KindCall, Args: []byte(args)}).Malformed(); got != want {
			t.Errorf("%s: %t", args, got)
		}
	}
}
