package transcript

import (
	"testing"

	"ctxledger.dev/internal/fault"
)

func TestEdit(t *testing.T) {
	stub := map[string]string{"1": "<stub>"}
	lost := []Part{{Kind: KindResult, ID: "9", Text: "lost", IsError: true}}
	const lostJSON = `{"type":"tool_result","tool_use_id":"9","content":"lost","is_error":true}`
	for _, tt := range []struct {
		name, raw string
		edits     Edits
		want      string // "": nothing is left
	}{
		{"result as string", `{ "role":"user","content":[ {"content":"long","tool_use_id":"1",` +
			`"type":"tool_result","is_error":true,"cache_control":{"type":"ephemeral"}} ],"n":1.50 }`,
			Edits{Results: stub},
			`{ "role":"user","content":[ {"content":"<stub>","tool_use_id":"1","type":"tool_result",` +
				`"is_error":true,"cache_control":{"type":"ephemeral"}} ],"n":1.50 }`},
		{"result with blocks: one text, images in place", `{"role":"user","content":[{"type":"tool_result",` +
			`"tool_use_id":"1","content":[{"type":"image","source":{}}, {"type":"text","text":"a",` +
			`"cache_control":{}} , {"type":"text","text":"b"},{"type":"image","source":{"n":2}}, {"type":"text",` +
			`"text":"c"}]}]}`,
			Edits{Results: stub},
			`{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":[{"type":"image",` +
				`"source":{}}, {"type":"text","text":"<stub>","cache_control":{}},{"type":"image",` +
				`"source":{"n":2}}]}]}`},
		{"result of images only", `{"role":"user","content":[{"type":"tool_result","tool_use_id":"1",` +
			`"content":[{"type":"image","source":{}}]}]}`,
			Edits{Results: stub},
			`{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":[{"type":"text",` +
				`"text":"<stub>"},{"type":"image","source":{}}]}]}`},
		{"result with an empty array", `{"role":"user","content":[{"type":"tool_result","tool_use_id":"1",` +
			`"content":[ ]}]}`,
			Edits{Results: stub},
			`{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":[{"type":"text",` +
				`"text":"<stub>"} ]}]}`},
		{"result without content", `{"role":"user","content":[{"type":"tool_result","tool_use_id":"1"}]}`,
			Edits{Results: stub},
			`{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":"<stub>"}]}`},
		{"only the named result", `{"role":"user","content":[{"type":"tool_result","tool_use_id":"2",` +
			`"content":"b"},{"type":"tool_result","tool_use_id":"1","content":null}]}`,
			Edits{Results: stub},
			`{"role":"user","content":[{"type":"tool_result","tool_use_id":"2","content":"b"},` +
				`{"type":"tool_result","tool_use_id":"1","content":"<stub>"}]}`},
		{"a sealed result stays", `{"role":"assistant","content":[{"type":"web_search_tool_result",` +
			`"tool_use_id":"1","content":[]}]}`,
			Edits{Results: stub},
			`{"role":"assistant","content":[{"type":"web_search_tool_result","tool_use_id":"1","content":[]}]}`},
		{"first call dropped", `{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"N",` +
			`"input":{}}, {"type":"text","text":"a"}]}`,
			Edits{DropCalls: map[string]bool{"1": true}},
			`{"role":"assistant","content":[{"type":"text","text":"a"}]}`},
		{"calls at the end dropped", `{"role":"assistant","content":[ {"type":"text","text":"a"} , ` +
			`{"type":"tool_use","id":"1","name":"N","input":{}} , {"type":"tool_use","id":"2","name":"N",` +
			`"input":{}} ]}`,
			Edits{DropCalls: map[string]bool{"1": true, "2": true}},
			`{"role":"assistant","content":[ {"type":"text","text":"a"} ]}`},
		{"reasoning that would end the message goes with the call", `{"role":"assistant",` +
			`"content":[{"type":"text","text":"a"},{"type":"thinking","thinking":"b"},{"type":"tool_use",` +
			`"id":"1","name":"N","input":{}}]}`,
			Edits{DropCalls: map[string]bool{"1": true}},
			`{"role":"assistant","content":[{"type":"text","text":"a"}]}`},
		{"nothing but reasoning is left", `{"role":"assistant","content":[{"type":"thinking","thinking":"b"},` +
			`{"type":"tool_use","id":"1","name":"N","input":{}}]}`,
			Edits{DropCalls: map[string]bool{"1": true}}, ""},
		{"a duplicate goes, the first stays", `{"role":"user","content":[{"type":"tool_result","tool_use_id":"1",` +
			`"content":"a"},{"type":"tool_result","tool_use_id":"1","content":"b"}]}`,
			Edits{KeepResults: map[string]int{"1": 1}},
			`{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":"a"}]}`},
		{"a stub for the one that stays", `{"role":"user","content":[{"type":"tool_result","tool_use_id":"1",` +
			`"content":"a"},{"type":"tool_result","tool_use_id":"1","content":"b"}]}`,
			Edits{KeepResults: map[string]int{"1": 1}, Results: stub},
			`{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":"<stub>"}]}`},
		{"added behind the results", `{"role":"user","content":[{"type":"tool_result","tool_use_id":"1"} , ` +
			`{"type":"text","text":"a"}]}`,
			Edits{AddResults: lost},
			`{"role":"user","content":[{"type":"tool_result","tool_use_id":"1"},` + lostJSON +
				` , {"type":"text","text":"a"}]}`},
		{"added in front of words", `{"role":"user","content":[ {"type":"text","text":"a"}]}`,
			Edits{AddResults: lost},
			`{"role":"user","content":[ ` + lostJSON + `,{"type":"text","text":"a"}]}`},
		{"added to a string", `{"role":"user","content":"\u0061"}`,
			Edits{AddResults: lost},
			`{"role":"user","content":[` + lostJSON + `,{"type":"text","text":"\u0061"}]}`},
		{"added where everything else goes", `{"role":"user","content":[{"type":"tool_result","tool_use_id":"1"}]}`,
			Edits{AddResults: lost, KeepResults: map[string]int{"1": 0}},
			`{"role":"user","content":[` + lostJSON + `]}`},
		{"added behind a result whose successor goes", `{"role":"user","content":[{"type":"tool_result",` +
			`"tool_use_id":"1"}, {"type":"tool_result","tool_use_id":"2"}]}`,
			Edits{AddResults: lost, KeepResults: map[string]int{"2": 0}},
			`{"role":"user","content":[{"type":"tool_result","tool_use_id":"1"},` + lostJSON + `]}`},
		{"no edit", `{ "role":"user","content":[ ] }`, Edits{}, `{ "role":"user","content":[ ] }`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Edit(Anthropic, []byte(tt.raw), tt.edits)
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
			if tt.want == "" {
				return
			}
			if _, err := Decode(Anthropic, got); err != nil {
				t.Errorf("the result does not decode: %v", err)
			}
		})
	}
}

func TestEditOfAnUnknownResultIsNotFound(t *testing.T) {
	raw := []byte(`{"role":"user","content":"x"}`)
	_, err := Edit(Anthropic, raw, Edits{Results: map[string]string{"b": "", "a": ""}})
	if !fault.Is(err, fault.NotFound) || err.Error() != "the message has no result of call a" {
		t.Errorf("got %v", err)
	}
}

func TestValid(t *testing.T) {
	const (
		ask   = `{"role":"user","content":"go"}`
		calls = `{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"N","input":{}},` +
			`{"type":"tool_use","id":"2","name":"N","input":{}}]}`
		both = `{"role":"user","content":[{"type":"tool_result","tool_use_id":"2"},{"type":"tool_result",` +
			`"tool_use_id":"1"}]}`
		one   = `{"role":"user","content":[{"type":"tool_result","tool_use_id":"1"}]}`
		words = `{"role":"user","content":[{"type":"text","text":"a"},{"type":"tool_result","tool_use_id":"1"},` +
			`{"type":"tool_result","tool_use_id":"2"}]}`
		said = `{"role":"assistant","content":"done"}`
	)
	for _, tt := range []struct {
		name     string
		messages []string
		want     string
	}{
		{"whole units", []string{ask, calls, both, said, ask}, ""},
		{"neighbours of one role", []string{ask, ask, said, said}, ""},
		{"calls in flight", []string{ask, calls}, ""},
		{"one call in flight", []string{ask, calls, one}, ""},
		{"a provider's own call", []string{`{"role":"assistant","content":[{"type":"server_tool_use","id":"1",` +
			`"name":"N","input":{}},{"type":"web_search_tool_result","tool_use_id":"1","content":[]}]}`, ask}, ""},
		{"unanswered", []string{calls, ask}, "message 1 does not answer call 1 of the previous message"},
		{"half answered", []string{calls, one, said}, "message 1 does not answer call 2 of the previous message"},
		{"answered too late", []string{calls, said, both}, "message 1 does not answer call 1 of the previous message"},
		{"a leading result", []string{one}, "message 0 has a result of call 1, which the previous message does not make"},
		{"answered twice", []string{calls, both, one}, "message 2 has a result of call 1, which the previous " +
			"message does not make"},
		{"words in front of results", []string{calls, words}, "message 1 has something before the result " +
			"of call 1"},
		{"a user's call", []string{`{"role":"user","content":[{"type":"tool_use","id":"1","name":"N","input":{}}]}`},
			`message 0 of role "user" makes a call`},
		{"one id twice", []string{`{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"N",` +
			`"input":{}},{"type":"tool_use","id":"1","name":"N","input":{}}]}`}, "message 0 makes two calls with " +
			"the id 1"},
		{"an assistant's result", []string{calls, `{"role":"assistant","content":[{"type":"tool_result",` +
			`"tool_use_id":"1"}]}`}, `message 1 of role "assistant" carries a result`},
		{"an empty message", []string{`{"role":"user","content":[]}`}, "message 0 is empty"},
		{"a torn message", []string{ask, `{`}, "message 1: byte 1: expected a member name"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var ms [][]byte
			for _, m := range tt.messages {
				ms = append(ms, []byte(m))
			}
			err := Valid(Anthropic, ms)
			if tt.want == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if !fault.Is(err, fault.Invalid) || err.Error() != tt.want {
				t.Errorf("got  %v\nwant %s", err, tt.want)
			}
		})
	}
}
