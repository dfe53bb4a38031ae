package transcript

import (
	"testing"
)

func TestDecodeItems(t *testing.T) {
	testDecode(t, OpenAIResponses, []decodeCase{
		{"a message without a type", `{"role":"user","content":"hi"}`, "user | text(hi)"},
		{"a message", `{"type":"message","role":"user","content":[{"type":"input_text","text":"a"},` +
			`{"type":"input_image","image_url":"data:image/png;base64,AA=="},{"type":"input_file","file_id":"f"}]}`,
			"user | text(a) | image() | image()"},
		{"an answer", `{"type":"message","id":"msg_1","status":"completed","role":"assistant",` +
			`"content":[{"type":"output_text","text":"a","annotations":[]},{"type":"refusal","refusal":"no"}]}`,
			"assistant | text(a) | text(no)"},
		{"a developer is the system", `{"type":"message","role":"developer","content":[{"type":"input_text",` +
			`"text":"be brief"}]}`, "system | text(be brief)"},
		{"an unknown part", `{"role":"user","content":[{"type":"input_smell","x":1}]}`, "user | other()"},
		{"call", `{"type":"function_call","id":"fc_1","call_id":"c1","name":"Read","arguments":"{\"p\":1}",` +
			`"status":"completed"}`, `assistant | call()#c1 Read{"p":1}`},
		{"call with arguments that are no JSON", `{"type":"function_call","call_id":"c1","name":"Read",` +
			`"arguments":"{\"p\""}`, `assistant | call()#c1 Read"{\"p\""`},
		{"call of a tool of an MCP server", `{"type":"function_call","call_id":"c1","name":"memory",` +
			`"namespace":"mcp__ctxledger","arguments":"{}"}`, `assistant | call()#c1 mcp__ctxledger__memory{}`},
		{"call in another namespace", `{"type":"function_call","call_id":"c1","name":"exec_command","namespace":"shell",` +
			`"arguments":"{}"}`, `assistant | call()#c1 exec_command{}`},
		{"custom call", `{"type":"custom_tool_call","call_id":"c1","name":"apply_patch","input":"{}"}`,
			`assistant | call()#c1 apply_patch"{}"`},
		{"shell call", `{"type":"local_shell_call","call_id":"c1","action":{"type":"exec","command":["ls"]}}`,
			`assistant | call()#c1 local_shell{"type":"exec","command":["ls"]}`},
		{"result", `{"type":"function_call_output","call_id":"c1","output":"out"}`, "tool | result(out)#c1"},
		{"result in parts", `{"type":"function_call_output","call_id":"c1","output":[{"type":"input_text",` +
			`"text":"a"},{"type":"input_image","image_url":"u"},{"type":"input_text","text":"b"}]}`,
			"tool | result(a\nb)#c1 media=1"},
		{"custom result", `{"type":"custom_tool_call_output","call_id":"c1","output":"out"}`, "tool | result(out)#c1"},
		{"shell output", `{"type":"shell_call_output","call_id":"c1","output":[{"stdout":"a","stderr":"",` +
			`"outcome":{"type":"exit","exit_code":0}},{"stdout":"","stderr":"b"}]}`, "tool | result(a\nb)#c1"},
		{"failed patch", `{"type":"apply_patch_call_output","call_id":"c1","status":"failed","output":"no such file"}`,
			"tool | result(no such file)#c1 error"},
		{"picture of the screen", `{"type":"computer_call_output","call_id":"c1",` +
			`"output":{"type":"computer_screenshot","image_url":"u"}}`, "tool | result()#c1 media=1"},
		{"reasoning", `{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"hm"}],` +
			`"encrypted_content":"xx"}`, "assistant | reasoning(hm)"},
		{"reasoning without words", `{"type":"reasoning","summary":[],"encrypted_content":"xx"}`,
			"assistant | reasoning()"},
		{"a compaction is opaque", `{"type":"compaction","id":"cmp_1","encrypted_content":"xx"}`,
			"assistant | compacted()"},
		{"by its other names, too", `{"type":"compaction_summary","encrypted_content":"xx"}`,
			"assistant | compacted()"},
		{"a reference", `{"type":"item_reference","id":"msg_1"}`, "assistant | other()"},
		{"an approval", `{"type":"mcp_approval_response","approval_request_id":"a","approve":true}`, "user | other()"},
		{"calls that the provider ran", `{"type":"mcp_call","id":"m1","server_label":"s","name":"q",` +
			`"arguments":"{}","output":"out"}`, "assistant | call(out)#m1 q{} sealed"},
		{"web search", `{"type":"web_search_call","id":"ws1","status":"completed","action":{"type":"search",` +
			`"query":"q"}}`, `assistant | call()#ws1 web_search{"type":"search","query":"q"} sealed`},
	})
	testRefused(t, OpenAIResponses, []decodeCase{
		{"neither type nor role", `{"content":"x"}`, `byte 0: no "role" here`},
		{"type of a wrong type", `{"type":1}`, `byte 8: "type" is not a string`},
		{"message without content", `{"role":"user"}`, "byte 0: message without content"},
		{"result of a wrong type", `{"type":"function_call_output","call_id":"c","output":7}`,
			`byte 54: "output" of a result is neither a string nor an array of parts`},
		{"shell output of a wrong type", `{"type":"shell_call_output","call_id":"c","output":"x"}`,
			"byte 0: the output of a shell is not an array"},
	})
}

func TestRenderItems(t *testing.T) {
	const (
		think  = `{"type":"reasoning","id":"rs_1","summary":[]}`
		think2 = `{"type":"reasoning","id":"rs_2","summary":[]}`
		call1  = `{"type":"function_call","call_id":"1","name":"N","arguments":"{}","id":"fc_1"}`
		call2  = `{"type":"function_call","call_id":"2","name":"N","arguments":"{}"}`
		says   = `{"type":"message","role":"assistant","content":[{"type":"output_text","text":"a"}]}`
		out1   = `{"type":"function_call_output","call_id":"1","output":"one","id":"fco"}`
		out2   = `{"type":"function_call_output","call_id":"2","output":[{"type":"input_image","image_url":"u"}]}`
		shell  = `{"type":"shell_call_output","call_id":"3","output":[{"stdout":"a","stderr":"b"},{"stdout":"c",` +
			`"stderr":null}]}`
		screen = `{"type":"computer_call_output","call_id":"4","output":{"type":"computer_screenshot","image_url":"u"}}`
		opaque = `{"type":"compaction","encrypted_content":"x"}`
	)
	drop := func(ids ...string) Edits {
		e := Edits{DropCalls: map[string]bool{}}
		for _, id := range ids {
			e.DropCalls[id] = true
		}
		return e
	}
	testRender(t, OpenAIResponses, []renderCase{
		{"items stay as they are", []string{think, call1, opaque, says}, Edits{}, []string{think, call1, opaque, says}},
		{"stubs: a string, a picture beside, a shell, a screen", []string{out1, out2, shell, screen},
			Edits{Results: map[string]string{"1": "s", "2": "s", "3": "s", "4": "s"}}, []string{
				`{"type":"function_call_output","call_id":"1","output":"s","id":"fco"}`,
				`{"type":"function_call_output","call_id":"2","output":[{"type":"input_text","text":"s"},` +
					`{"type":"input_image","image_url":"u"}]}`,
				`{"type":"shell_call_output","call_id":"3","output":[{"stdout":"s","stderr":""},{"stdout":"",` +
					`"stderr":null}]}`, screen}},
		{"reasoning goes with the call that it led to", []string{think, call1}, drop("1"), nil},
		{"and in front of other reasoning", []string{think, call1, think2, says}, drop("1"), []string{think2, says}},
		{"reasoning stays in front of another call", []string{think, call1, call2}, drop("1"), []string{think, call2}},
		{"reasoning stays in front of words", []string{think, says, call1}, drop("1"), []string{think, says}},
		{"reasoning that always stood in a row stays", []string{think, think2, call1, says}, drop("9"),
			[]string{think, think2, call1, says}},
		{"orphans and duplicates go", []string{out1, out1, out2}, Edits{KeepResults: map[string]int{"1": 1, "2": 0}},
			[]string{out1}},
		{"a result that never came", nil, Edits{AddResults: []Part{{Kind: KindResult, ID: "2", Text: "lost"}}},
			[]string{`{"type":"function_call_output","call_id":"2","output":"lost"}`}},
		{"shortened", []string{call1, says, out1, opaque, screen}, Edits{Shorten: shorter}, []string{
			`{"type":"function_call","call_id":"1","name":"N","arguments":"{\"_note\":\"gone\"}","id":"fc_1"}`,
			`{"type":"message","role":"assistant","content":[{"type":"output_text","text":"short"}]}`,
			`{"type":"function_call_output","call_id":"1","output":"short","id":"fco"}`, opaque, screen}},
		{"a text instead of JSON stays a text", []string{`{"type":"custom_tool_call","call_id":"1","name":"p",` +
			`"input":"long"}`},
			Edits{Shorten: func(Part) (string, bool) { return `"s"`, true }},
			[]string{`{"type":"custom_tool_call","call_id":"1","name":"p","input":"s"}`}},
	})
}

func TestValidItems(t *testing.T) {
	const (
		ask   = `{"role":"user","content":"go"}`
		think = `{"type":"reasoning","summary":[]}`
		call1 = `{"type":"function_call","call_id":"1","name":"N","arguments":"{}"}`
		call2 = `{"type":"function_call","call_id":"2","name":"N","arguments":"{}"}`
		out1  = `{"type":"function_call_output","call_id":"1","output":"a"}`
		out2  = `{"type":"function_call_output","call_id":"2","output":"b"}`
		said  = `{"type":"message","role":"assistant","content":[{"type":"output_text","text":"done"}]}`
		other = `{"type":"compaction","encrypted_content":"x"}`
	)
	testValid(t, OpenAIResponses, []validCase{
		{"whole units, answered out of order", []string{ask, think, call1, call2, out2, out1, said, ask}, ""},
		{"one round after the other", []string{ask, call1, out1, call2, out2, said}, ""},
		{"an opaque item", []string{other, ask, said}, ""},
		{"words between a call and its result", []string{ask, call1, ask, out1}, ""},
		{"calls in flight", []string{ask, think, call1, call2}, ""},
		{"one call in flight", []string{ask, call1, call2, out1}, ""},
		{"unanswered", []string{call1, ask}, "call 1 of message 0 has no result"},
		{"half answered", []string{call1, call2, out1, said}, "call 2 of message 1 has no result"},
		{"a leading result", []string{out1}, "message 0 has a result of call 1, which is not made earlier, " +
			"or already has one"},
		{"answered twice", []string{call1, out1, out1}, "message 2 has a result of call 1, which is not made " +
			"earlier, or already has one"},
		{"one id twice", []string{call1, out1, call1, out1}, ""},
		{"one id twice at once", []string{call1, call1, out1}, "message 1 makes a second call with the id 1, and " +
			"the first has no result yet"},
		{"reasoning that nothing follows", []string{ask, think, ask}, "message 1 is reasoning that nothing follows"},
		{"reasoning at the end", []string{ask, think}, ""},
		{"an empty message", []string{`{"role":"user","content":[]}`}, "message 0 is empty"},
		{"an unknown role", []string{`{"role":"critic","content":"x"}`}, `message 0 has the role "critic", which ` +
			`messages of openai_responses do not have`},
	})
}
