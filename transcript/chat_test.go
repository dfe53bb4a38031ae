package transcript

import (
	"testing"

	"ctxledger.dev/internal/fault"
)

func TestDecodeChat(t *testing.T) {
	testDecode(t, OpenAIChat, []decodeCase{
		{"string content", `{"role":"user","content":"hi"}`, "user | text(hi)"},
		{"system", `{"role":"system","content":"be brief"}`, "system | text(be brief)"},
		{"a developer is the system", `{"role":"developer","content":"be brief"}`, "system | text(be brief)"},
		{"unknown role and part are kept", `{"role":"critic","content":[{"type":"sonnet","text":1}]}`,
			"critic | other()"},
		{"unknown fields are not read", `{"role":"assistant","name":"bob","content":"a","annotations":[1],` +
			`"audio":null}`, "assistant | text(a)"},
		{"parts", `{"role":"user","content":[{"type":"text","text":"a"},{"type":"image_url",` +
			`"image_url":{"url":"https://x/y.png"}},{"type":"text","text":"b"}]}`,
			"user | text(a) | image() | text(b)"},
		{"image as data, audio, file", `{"role":"user","content":[{"type":"image_url",` +
			`"image_url":{"url":"data:image/png;base64,AA=="}},{"type":"input_audio","input_audio":{}},` +
			`{"type":"file","file":{}}]}`,
			"user | image() | image() | image()"},
		{"calls, whose arguments are a string of JSON", `{"role":"assistant","content":null,` +
			`"tool_calls":[{"id":"c1","type":"function","function":{"name":"Read","arguments":"{\"p\": ` +
			`\"a\\/b\"}"}},{"id":"c2","type":"function","function":{"name":"Now","arguments":""}}]}`,
			`assistant | call()#c1 Read{"p": "a\/b"} | call()#c2 Now`},
		{"arguments that broke off stay a string", `{"role":"assistant","tool_calls":[{"id":"c1",` +
			`"type":"function","function":{"name":"Read","arguments":"{\"p\": "}}]}`,
			`assistant | call()#c1 Read"{\"p\": "`},
		{"custom tool", `{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"custom",` +
			`"custom":{"name":"patch","input":"*** a"}}]}`,
			`assistant | call()#c1 patch"*** a"`},
		{"a call before there were tools", `{"role":"assistant","content":null,"function_call":{"name":"read",` +
			`"arguments":"{\"p\":1}"}}`, `assistant | call()##1 read read{"p":1}`},
		{"its result", `{"role":"function","name":"read","content":"out"}`, "tool | result(out)##1 read read"},
		{"no calls", `{"role":"assistant","content":"a","tool_calls":null}`, "assistant | text(a)"},
		{"reasoning of other providers", `{"role":"assistant","reasoning_content":"hm","content":"a"}`,
			"assistant | reasoning(hm) | text(a)"},
		{"refusal", `{"role":"assistant","content":null,"refusal":"I will not"}`, "assistant | text(I will not)"},
		{"refusal as a part", `{"role":"assistant","content":[{"type":"refusal","refusal":"no"}]}`,
			"assistant | text(no)"},
		{"result", `{"role":"tool","tool_call_id":"c1","content":"out"}`, "tool | result(out)#c1"},
		{"result in parts", `{"role":"tool","tool_call_id":"c1","content":[{"type":"text","text":"a"},` +
			`{"type":"image_url","image_url":{}},{"type":"text","text":"b"}]}`,
			"tool | result(a\nb)#c1 media=1"},
		{"result without content", `{"role":"tool","tool_call_id":"c1"}`, "tool | result()#c1"},
		{"empty content", `{"role":"user","content":""}`, "user | text()"},
		{"nothing", `{"role":"assistant","content":null}`, "assistant"},
	})
	testRefused(t, OpenAIChat, []decodeCase{
		{"no role", `{"content":"x"}`, `byte 0: no "role" here`},
		{"content of a wrong type", `{"role":"user","content":7}`, "byte 25: content is neither a string nor an " +
			"array of parts"},
		{"result without its call", `{"role":"tool","content":"x"}`, `byte 0: no "tool_call_id" here`},
		{"calls of a wrong type", `{"role":"assistant","tool_calls":{}}`, `byte 33: "tool_calls" is not an array`},
		{"call without id", `{"role":"assistant","tool_calls":[{"function":{"name":"n"}}]}`, `byte 34: no "id" here`},
		{"calls in two ways", `{"role":"assistant","tool_calls":[{"id":"c","function":{"name":"n"}}],` +
			`"function_call":{"name":"n"}}`, `byte 86: the message makes calls as "tool_calls" and as "function_call"`},
		{"an id like those of calls without one", `{"role":"tool","tool_call_id":"#1 n","content":"x"}`,
			`byte 30: "tool_call_id" looks like the ids given to calls without one`},
		{"call without function", `{"role":"assistant","tool_calls":[{"id":"c"}]}`,
			`byte 34: the call has no function`},
		{"two roles", `{"role":"user","role":"tool","content":""}`, `byte 15: message has two members "role"`},
	})
}

func TestRenderChat(t *testing.T) {
	const (
		asks = `{"role":"assistant","content":"I read","tool_calls": [ {"id":"1","type":"function",` +
			`"function":{"name":"N","arguments":"{}"}} , {"id":"2","type":"function","function":{"name":"N",` +
			`"arguments":"{\"a\":1}"}} ],"x":1}`
		one = `{"role":"tool","tool_call_id":"1","content":"one" }`
		two = `{"role":"tool","tool_call_id":"2","content":[{"type":"text","text":"t","cache":1},{"type":"text",` +
			`"text":"wo"}]}`
	)
	testRender(t, OpenAIChat, []renderCase{
		{"results stay messages of their own", []string{one, two}, Edits{}, []string{one, two}},
		{"a stub changes its message alone", []string{one, two}, Edits{Results: map[string]string{"2": "<stub>"}},
			[]string{one, `{"role":"tool","tool_call_id":"2","content":[{"type":"text","text":"<stub>","cache":1}]}`}},
		{"a result without content gets one", []string{`{"role":"tool","tool_call_id":"1"}`},
			Edits{Results: map[string]string{"1": "s"}},
			[]string{`{"role":"tool","tool_call_id":"1","content":"s"}`}},
		{"duplicates go, the first stays", []string{one, one, two}, Edits{KeepResults: map[string]int{"1": 1}},
			[]string{one, two}},
		{"an orphan goes", []string{one, two}, Edits{KeepResults: map[string]int{"1": 0}}, []string{two}},
		{"a result that never came is added behind", []string{one},
			Edits{AddResults: []Part{{Kind: KindResult, ID: "2", Text: "lost", IsError: true}}},
			[]string{one, `{"role":"tool","tool_call_id":"2","content":"lost"}`}},
		{"one call goes", []string{asks}, Edits{DropCalls: map[string]bool{"1": true}},
			[]string{`{"role":"assistant","content":"I read","tool_calls": [ {"id":"2","type":"function",` +
				`"function":{"name":"N","arguments":"{\"a\":1}"}} ],"x":1}`}},
		{"all calls go, words stay", []string{asks}, Edits{DropCalls: map[string]bool{"1": true, "2": true}},
			[]string{`{"role":"assistant","content":"I read","x":1}`}},
		{"nothing but reasoning would be left", []string{`{"role":"assistant","reasoning":"hm","content":null,` +
			`"tool_calls":[{"id":"1","function":{"name":"N"}}]}`},
			Edits{DropCalls: map[string]bool{"1": true}}, nil},
		{"arguments are shortened inside of their string", []string{asks}, Edits{Shorten: shorter},
			[]string{`{"role":"assistant","content":"short","tool_calls": [ {"id":"1","type":"function",` +
				`"function":{"name":"N","arguments":"{\"_note\":\"gone\"}"}} , {"id":"2","type":"function",` +
				`"function":{"name":"N","arguments":"{\"_note\":\"gone\"}"}} ],"x":1}`}},
		{"a result is shortened, a stub is not", []string{one, two}, Edits{Results: map[string]string{"1": "<stub>"},
			Shorten: shorter},
			[]string{`{"role":"tool","tool_call_id":"1","content":"<stub>" }`,
				`{"role":"tool","tool_call_id":"2","content":[{"type":"text","text":"short","cache":1}]}`}},
	})
	const (
		legacy = `{"role":"assistant","content":"I read","function_call": {"name":"N","arguments":"{}"} ,"x":1}`
		out    = `{"role":"function","name":"N","content":"one" }`
		placed = "#1@7 N" // as a session knows it
	)
	ids := []string{placed}
	for _, tt := range []struct {
		record string
		edits  Edits
		want   string
	}{
		{legacy, Edits{DropCalls: map[string]bool{placed: true}}, `{"role":"assistant","content":"I read" ,"x":1}`},
		{legacy, Edits{Shorten: shorter}, `{"role":"assistant","content":"short","function_call": {"name":"N",` +
			`"arguments":"{\"_note\":\"gone\"}"} ,"x":1}`},
		{out, Edits{Results: map[string]string{placed: "<stub>"}},
			`{"role":"function","name":"N","content":"<stub>" }`},
		{out, Edits{KeepResults: map[string]int{placed: 0}}, ""},
		{out, Edits{AddResults: []Part{{Kind: KindResult, ID: "#1@9 M", Name: "M", Text: "lost"}}},
			out + `{"role":"function","name":"M","content":"lost"}`},
	} {
		pieces, err := Render(OpenAIChat, []Record{{JSON: []byte(tt.record), IDs: ids}}, tt.edits)
		got := ""
		for _, p := range pieces {
			got += string(p.JSON)
		}
		if err != nil || got != tt.want {
			t.Errorf("%+v of %s\n is %s, %v\nwant %s", tt.edits, tt.record, got, err, tt.want)
		}
	}
	for _, e := range []Edits{{Results: map[string]string{"9": ""}}, {Results: map[string]string{"1": "", "9": ""}}} {
		if out, err := Render(OpenAIChat, recordsOf([]string{one, two}), e); !fault.Is(err, fault.NotFound) {
			t.Errorf("%v, %v", out, err)
		}
	}
	if out, err := Edit(OpenAIChat, []byte(one), Edits{AddResults: []Part{{Kind: KindResult}}}); !fault.Is(err,
		fault.Invalid) {
		t.Errorf("added to a message: %s, %v", out, err)
	}
	if out, err := Merge(OpenAIChat, raws([]string{one, two})); !fault.Is(err, fault.Invalid) {
		t.Errorf("merged: %s, %v", out, err)
	}
}

func TestValidChat(t *testing.T) {
	const (
		system = `{"role":"system","content":"be brief"}`
		ask    = `{"role":"user","content":"go"}`
		calls  = `{"role":"assistant","content":null,"tool_calls":[{"id":"1","type":"function",` +
			`"function":{"name":"N","arguments":"{}"}},{"id":"2","type":"function","function":{"name":"N",` +
			`"arguments":"{}"}}]}`
		one    = `{"role":"tool","tool_call_id":"1","content":"a"}`
		two    = `{"role":"tool","tool_call_id":"2","content":"b"}`
		said   = `{"role":"assistant","content":"done"}`
		called = `{"role":"assistant","content":null,"function_call":{"name":"N","arguments":"{}"}}`
		gave   = `{"role":"function","name":"N","content":"a"}`
	)
	testValid(t, OpenAIChat, []validCase{
		{"whole units, answered out of order", []string{system, ask, calls, two, one, said, ask}, ""},
		{"a system message in the middle", []string{ask, said, system, ask}, ""},
		{"calls in flight", []string{ask, calls}, ""},
		{"a call before there were tools", []string{ask, called, gave, said, ask, called, gave}, ""},
		{"answered twice, without an id", []string{ask, called, gave, gave}, "message 3 has a result of call #1 " +
			"N, which the previous message does not make"},
		{"reasoning that nothing follows", []string{ask, `{"role":"assistant","reasoning_content":"hm","content":""}`,
			ask}, "message 1 is reasoning that nothing follows"},
		{"one call in flight", []string{ask, calls, one}, ""},
		{"unanswered", []string{calls, ask}, "message 1 does not answer call 1 of the previous message"},
		{"half answered", []string{calls, one, said}, "message 2 does not answer call 2 of the previous message"},
		{"words between results", []string{calls, one, ask, two}, "message 2 does not answer call 2 of the " +
			"previous message"},
		{"a leading result", []string{one}, "message 0 has a result of call 1, which the previous message does not make"},
		{"answered twice", []string{calls, one, one, two}, "message 2 has a result of call 1, which the previous " +
			"message does not make"},
		{"an unknown role", []string{`{"role":"critic","content":"x"}`}, `message 0 has the role "critic", which ` +
			`messages of openai_chat do not have`},
		{"an empty message", []string{ask, `{"role":"assistant","content":null}`}, "message 1 is empty"},
		{"a user's call", []string{`{"role":"user","content":"x","tool_calls":[{"id":"1","function":{"name":"N"}}]}`},
			`message 0 of role "user" makes a call`},
	})
}
