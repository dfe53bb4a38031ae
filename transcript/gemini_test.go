package transcript

import (
	"fmt"
	"strings"
	"testing"

	"ctxledger.dev/internal/fault"
)

func TestDecodeGemini(t *testing.T) {
	testDecode(t, Gemini, []decodeCase{
		{"text", `{"role":"user","parts":[{"text":"hi"}]}`, "user | text(hi)"},
		{"no role is the user's", `{"parts":[{"text":"hi"}]}`, "user | text(hi)"},
		{"unknown role and part are kept", `{"role":"critic","parts":[{"sonnet":1}]}`, "critic | other()"},
		{"answer", `{"role":"model","parts":[{"text":"hm","thought":true},{"text":"a","thoughtSignature":"s"},` +
			`{"text":"","thoughtSignature":"s"}]}`,
			"assistant | reasoning(hm) | text(a) | reasoning()"},
		{"calls with ids", `{"role":"model","parts":[{"functionCall":{"id":"c1","name":"read","args":{ "p":1 }},` +
			`"thoughtSignature":"s"}]}`, `assistant | call()#c1 read{ "p":1 }`},
		{"calls without ids", `{"role":"model","parts":[{"functionCall":{"name":"read","args":{}}},` +
			`{"functionCall":{"name":"grep"}},{"functionCall":{"name":"read"}}]}`,
			"assistant | call()##1 read read{} | call()##1 grep grep | call()##2 read read"},
		{"an id that looks derived is none", `{"role":"model","parts":[{"functionCall":{"id":"#7@9 x",` +
			`"name":"read"}}]}`, "assistant | call()##1 read read"},
		{"the other spelling", `{"role":"model","parts":[{"function_call":{"name":"read","args":{}},` +
			`"thought_signature":"s"}]}`, "assistant | call()##1 read read{}"},
		{"images by data and by address", `{"role":"user","parts":[{"inlineData":{"mimeType":"image/png",` +
			`"data":"AA=="}},{"file_data":{"fileUri":"gs://x"}}]}`, "user | image() | image()"},
		{"parallel results in one content", `{"role":"user","parts":[{"functionResponse":{"name":"grep",` +
			`"response":{"output":"g"}}},{"functionResponse":{"name":"read","response":{"result":"a","code":0}}},` +
			`{"functionResponse":{"id":"c1","name":"read","response":{"error":"no"}}}]}`,
			"tool | result(g)##1 grep grep | result(a)##1 read read | result(no)#c1 read error"},
		{"result that is an object", `{"role":"function","parts":[{"functionResponse":{"name":"read",` +
			`"response":{"a":{"b":1}, "c":"d"}}}]}`, `tool | result({"a":{"b":1}, "c":"d"})##1 read read`},
		{"result with a name twice, which is the tool's own affair",
			`{"parts":[{"functionResponse":{"name":"read","response":{"a":"b","a":"c"}}}]}`,
			`tool | result({"a":"b","a":"c"})##1 read read`},
		{"result that is empty", `{"parts":[{"functionResponse":{"name":"read","response":{}}}]}`,
			`tool | result({})##1 read read`},
		{"result without a response, with pictures", `{"role":"user","parts":[{"functionResponse":{"name":"shot",` +
			`"parts":[{"inlineData":{}}]}}]}`, "tool | result()##1 shot shot media=1"},
		{"result and words are the user's", `{"role":"user","parts":[{"functionResponse":{"name":"read"}},` +
			`{"text":"stop"}]}`, "user | result()##1 read read | text(stop)"},
		{"code that the provider runs", `{"role":"model","parts":[{"executableCode":{"language":"PYTHON",` +
			`"code":"1+1"}},{"codeExecutionResult":{"outcome":"OUTCOME_OK","output":"2"}}]}`,
			`assistant | call() code_execution"1+1" sealed | result(2) sealed`},
	})
	testRefused(t, Gemini, []decodeCase{
		{"no parts", `{"role":"user"}`, "byte 0: content without parts"},
		{"parts of a wrong type", `{"role":"user","parts":"x"}`, "byte 23: parts is not an array"},
		{"part of a wrong type", `{"role":"user","parts":["x"]}`, "byte 24: part is not an object"},
		{"text of a wrong type", `{"role":"user","parts":[{"text":1}]}`, `byte 32: "text" is not a string`},
		{"call without name", `{"role":"model","parts":[{"functionCall":{}}]}`, `byte 41: no "name" here`},
		{"response of a wrong type", `{"role":"user","parts":[{"functionResponse":{"name":"n","response":"x"}}]}`,
			"byte 67: response is not an object"},
	})
}

func TestRenderGemini(t *testing.T) {
	const (
		asks = `{"role":"model","parts":[ {"text":"hm","thought":true}, {"functionCall":{"name":"read",` +
			`"args":{"p":1}},"thoughtSignature":"s"} ,{"functionCall":{"name":"read","args":{"p":2}}} ]}`
		first = `{"role":"user","parts":[{"functionResponse":{"name":"read","response":{"output":"one","n":1}}}],"x":1}`
		other = `{"role":"user","parts":[{"functionResponse":{"name":"grep","response":{"hits":[1,2]}}}]}`
	)
	testRender(t, Gemini, []renderCase{
		{"one content stays as it is", []string{asks}, Edits{}, []string{asks}},
		{"results of one answer become one content", []string{first, other}, Edits{}, []string{
			`{"role":"user","parts":[{"functionResponse":{"name":"read","response":{"output":"one","n":1}}},` +
				`{"functionResponse":{"name":"grep","response":{"hits":[1,2]}}}],"x":1}`}},
		{"stubs: the text of a response, a whole response", []string{first, other},
			Edits{Results: map[string]string{"#1 read": "s", "#1 grep": "s"}}, []string{
				`{"role":"user","parts":[{"functionResponse":{"name":"read","response":{"output":"s","n":1}}},` +
					`{"functionResponse":{"name":"grep","response":{"output":"s"}}}],"x":1}`}},
		{"a response that is missing", []string{`{"role":"user","parts":[{"functionResponse":{"name":"read"}}]}`},
			Edits{Results: map[string]string{"#1 read": "s"}},
			[]string{`{"role":"user","parts":[{"functionResponse":{"name":"read","response":{"output":"s"}}}]}`}},
		{"one call goes", []string{asks}, Edits{DropCalls: map[string]bool{"#2 read": true}},
			[]string{`{"role":"model","parts":[ {"text":"hm","thought":true}, {"functionCall":{"name":"read",` +
				`"args":{"p":1}},"thoughtSignature":"s"} ]}`}},
		{"nothing but reasoning would be left", []string{asks},
			Edits{DropCalls: map[string]bool{"#1 read": true, "#2 read": true}}, nil},
		{"results that never came", []string{first},
			Edits{AddResults: []Part{{Kind: KindResult, ID: "#2@7 read", Text: "lost", IsError: true},
				{Kind: KindResult, ID: "c9", Name: "grep", Text: "lost"}}},
			[]string{`{"role":"user","parts":[{"functionResponse":{"name":"read","response":{"output":"one",` +
				`"n":1}}},{"functionResponse":{"name":"read","response":{"error":"lost"}}},` +
				`{"functionResponse":{"id":"c9","name":"grep","response":{"output":"lost"}}}],"x":1}`}},
		{"an orphan goes", []string{first, other}, Edits{KeepResults: map[string]int{"#1 grep": 0}},
			[]string{`{"role":"user","parts":[{"functionResponse":{"name":"read","response":{"output":"one",` +
				`"n":1}}}],"x":1}`}},
		{"what is signed is not shortened", []string{asks}, Edits{Shorten: shorter},
			[]string{`{"role":"model","parts":[ {"text":"hm","thought":true}, {"functionCall":{"name":"read",` +
				`"args":{"p":1}},"thoughtSignature":"s"} ,{"functionCall":{"name":"read","args":{"_note":"gone"}}} ]}`}},
		{"text and results are", []string{`{"parts":[{"functionResponse":{"name":"read",` +
			`"response":{"output":"one"}}},{"text":"stop"}]}`}, Edits{Shorten: shorter},
			[]string{
				`{"parts":[{"functionResponse":{"name":"read","response":{"output":"short"}}},{"text":"short"}]}`}},
	})
	if out, err := Render(Gemini, recordsOf([]string{asks, first}), Edits{}); !fault.Is(err, fault.Invalid) {
		t.Errorf("two roles: %v, %v", out, err)
	}
	if out, err := Edit(Gemini, []byte(first), Edits{AddResults: []Part{{Kind: KindResult, ID: "c9"}}}); !fault.Is(err,
		fault.Invalid) {
		t.Errorf("a result of no function: %s, %v", out, err)
	}
}

// Two contents answer calls of one function: what is first in its content is not the first result.
func TestRenderNamesCallsByTheSessionsIDs(t *testing.T) {
	records := []Record{
		{JSON: []byte(`{"role":"user","parts":[{"functionResponse":{"name":"read","response":{"output":"one"}}}]}`),
			IDs: []string{"#1@7 read"}},
		{JSON: []byte(`{"role":"user","parts":[{"functionResponse":{"name":"read","response":{"output":"two"}}},` +
			`{"functionResponse":{"name":"read","response":{"output":"three"}}}]}`),
			IDs: []string{"#2@7 read", "#3@7 read"}},
	}
	pieces, err := Render(Gemini, records, Edits{
		Results: map[string]string{"#2@7 read": "<stub>"}, KeepResults: map[string]int{"#3@7 read": 0},
		AddResults: []Part{{Kind: KindResult, ID: "#4@7 read", Text: "lost"}},
	})
	want := `{"role":"user","parts":[{"functionResponse":{"name":"read","response":{"output":"one"}}},` +
		`{"functionResponse":{"name":"read","response":{"output":"<stub>"}}},` +
		`{"functionResponse":{"name":"read","response":{"output":"lost"}}}]}`
	if err != nil || len(pieces) != 1 || string(pieces[0].JSON) != want {
		t.Errorf("got  %v, %v\nwant %s", pieces, err, want)
	}
	_, err = Render(Gemini, records, Edits{Results: map[string]string{"#1 read": "<stub>"}})
	if !fault.Is(err, fault.NotFound) {
		t.Errorf("by an id that the session does not know: %v", err)
	}
	pieces, err = Render(Gemini, []Record{{JSON: records[0].JSON, Shorten: shorter}, records[1]}, Edits{})
	if err != nil || strings.Count(string(pieces[0].JSON), "short") != 1 {
		t.Errorf("one of two records is shortened: %v, %v", pieces, err)
	}
	call := []byte(`{"role":"model","parts":[{"functionCall":{"name":"read","args":{"a":1}}}]}`)
	out, err := Edit(Gemini, call, Edits{IDs: []string{"#1@7 read"}, Shorten: func(p Part) (string, bool) {
		return `{}`, p.ID == "#1@7 read"
	}})
	if err != nil || string(out) != `{"role":"model","parts":[{"functionCall":{"name":"read","args":{}}}]}` {
		t.Errorf("%s, %v", out, err)
	}
}

func TestDerivedIDs(t *testing.T) {
	for id, want := range map[string]string{
		"#1 read": "read 1", "#12@7 read file": "read file 12", "toolu_1": "", "#1": "", "# read": "", "#x read": "",
		"#1@ read": "", "": "", "#+1 read": "", "#0 read": "",
		"#99999999999999999999 read": "", PlacedID("read", 3, 42): "read 3", derivedID("a b", 2): "a b 2",
	} {
		got := ""
		if name, n, derived := Derived(id); derived {
			got = fmt.Sprint(name, " ", n)
		}
		if got != want {
			t.Errorf("%q is %q, want %q", id, got, want)
		}
	}
}

func TestValidGemini(t *testing.T) {
	const (
		ask   = `{"role":"user","parts":[{"text":"go"}]}`
		calls = `{"role":"model","parts":[{"functionCall":{"name":"read"}},{"functionCall":{"name":"grep"}}]}`
		both  = `{"role":"user","parts":[{"functionResponse":{"name":"grep","response":{"a":1}}},` +
			`{"functionResponse":{"name":"read"}}]}`
		one  = `{"role":"user","parts":[{"functionResponse":{"name":"read"}}]}`
		said = `{"role":"model","parts":[{"text":"done"}]}`
	)
	testValid(t, Gemini, []validCase{
		{"whole units, answered out of order", []string{ask, calls, both, said, ask}, ""},
		{"one round after the other", []string{ask, calls, both, calls, both, said}, ""},
		{"calls in flight", []string{ask, calls}, ""},
		{"one call in flight", []string{ask, calls, one}, ""},
		{"unanswered", []string{ask, calls, ask}, "message 2 does not answer call #1 grep of the previous message"},
		{"half answered", []string{ask, calls, one, said}, "message 2 does not answer call #1 grep of the " +
			"previous message"},
		{"a leading call", []string{calls, both}, "message 0 makes calls, but follows neither a user's " +
			"message nor results"},
		{"a call behind an answer", []string{ask, said, calls, both}, "message 2 makes calls, but follows neither " +
			"a user's message nor results"},
		{"a leading result", []string{one}, "message 0 has a result of call #1 read, which the previous message " +
			"does not make"},
		{"answered in two contents", []string{ask, calls, one, one}, "message 2 does not answer call #1 grep of " +
			"the previous message"},
		{"an unknown role", []string{`{"role":"system","parts":[{"text":"x"}]}`}, `message 0 has the role ` +
			`"system", which messages of gemini do not have`},
		{"an empty message", []string{`{"role":"user","parts":[]}`}, "message 0 is empty"},
		{"a model's result", []string{ask, calls, `{"role":"model","parts":[{"functionResponse":{"name":"read"}}]}`},
			`message 2 of role "assistant" carries a result`},
	})
}
