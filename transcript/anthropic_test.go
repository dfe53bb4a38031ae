package transcript

import (
	"fmt"
	"strings"
	"testing"

	"ctxledger.dev/internal/fault"
)

// brief writes a message in one line.
func brief(m Message) string {
	out := []string{string(m.Role)}
	for _, p := range m.Parts {
		s := fmt.Sprintf("%s(%s)", p.Kind, p.Text)
		if p.ID != "" {
			s += "#" + p.ID
		}
		if p.Name != "" {
			s += fmt.Sprintf(" %s%s", p.Name, p.Args)
		}
		if p.IsError {
			s += " error"
		}
		if p.Sealed {
			s += " sealed"
		}
		if p.Media > 0 {
			s += fmt.Sprintf(" media=%d", p.Media)
		}
		out = append(out, s)
	}
	return strings.Join(out, " | ")
}

func TestDecodeAnthropic(t *testing.T) {
	for _, tt := range []struct{ name, raw, want string }{
		{"string content", `{"role":"user","content":"hi"}`, "user | text(hi)"},
		{"system role", `{"role":"system","content":"be brief"}`, "system | text(be brief)"},
		{"unknown role and block are kept", `{"role":"critic","content":[{"type":"sonnet","text":"x"}]}`,
			"critic | other()"},
		{"unknown fields are not read", `{"id":"m","usage":{"a":1},"role":"assistant","content":[{"type":"text",` +
			`"text":"a","citations":[1]}]}`, "assistant | text(a)"},
		{"reasoning", `{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"s"},` +
			`{"type":"redacted_thinking","data":"xx"}]}`,
			"assistant | reasoning(hm) | reasoning()"},
		{"call", `{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"Read","input":{ "p":1 }}]}`,
			`assistant | call()#t1 Read{ "p":1 }`},
		{"calls that the provider runs", `{"role":"assistant","content":[{"type":"server_tool_use","id":"s1",` +
			`"name":"web_search","input":{}},` +
			`{"type":"web_search_tool_result","tool_use_id":"s1","content":[{"type":"web_search_result",` +
			`"url":"u","title":"t","encrypted_content":"e"}]},` +
			`{"type":"mcp_tool_use","id":"m1","name":"q","server_name":"s","input":{}},{"type":"mcp_tool_result",` +
			`"tool_use_id":"m1","is_error":true,"content":[{"type":"text","text":"no"}]}]}`,
			"assistant | call()#s1 web_search{} sealed | result(t\nu)#s1 sealed | call()#m1 q{} sealed | " +
				"result(no)#m1 error sealed"},
		{"error of a provider's tool", `{"role":"assistant","content":[{"type":"web_search_tool_result",` +
			`"tool_use_id":"s1","content":{"type":"web_search_tool_result_error","error_code":"max_uses"}}]}`,
			"assistant | result(max_uses)#s1 sealed"},
		{"result as string", `{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"out"}]}`,
			"tool | result(out)#t1"},
		{"failed result", `{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"out",` +
			`"is_error":true}]}`, "tool | result(out)#t1 error"},
		{"result without content", `{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1"}]}`,
			"tool | result()#t1"},
		{"result with blocks", `{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1",` +
			`"content":[{"type":"text","text":"a"},{"type":"image","source":{}},{"type":"text","text":"b"}]}]}`,
			"tool | result(a\nb)#t1 media=1"},
		{"result and words are the user's", `{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1"},` +
			`{"type":"text","text":"stop"}]}`, "user | result()#t1 | text(stop)"},
		{"result and image are the tool's", `{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1"},` +
			`{"type":"image","source":{}}]}`, "tool | result()#t1 | image()"},
		{"document", `{"role":"user","content":[{"type":"document","source":{}},{"type":"text","text":"read"}]}`,
			"user | image() | text(read)"},
		{"escapes, also in names", `{"r\u006fle":"user","content":"\u00e9\ud83d\ude00\n\ud800"}`,
			"user | text(é😀\n\uFFFD)"},
		{"invalid UTF-8", "{\"role\":\"user\",\"content\":\"a\xffb\"}", "user | text(a\uFFFDb)"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m, err := Decode(Anthropic, []byte(tt.raw))
			if err != nil {
				t.Fatal(err)
			}
			if got := brief(m); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
			if string(m.Raw) != tt.raw {
				t.Errorf("kept: %s", m.Raw)
			}
		})
	}
}

func TestDecodeRefusesAndNamesThePosition(t *testing.T) {
	for _, tt := range []struct{ name, raw, want string }{
		{"nothing", ``, "byte 0: unexpected end"},
		{"not JSON", `role: user`, "byte 0: unexpected 'r'"},
		{"torn", `{"role":"user","content":"hel`, "byte 29: unexpected end in a string"},
		{"more behind it", `{"role":"user","content":""} x`, "byte 29: bytes after the end of the value"},
		{"not an object", `["role"]`, "byte 0: message is not an object"},
		{"no role", `{"content":"x"}`, `byte 0: no "role" here`},
		{"role of a wrong type", `{"role":1,"content":"x"}`, `byte 8: "role" is not a string`},
		{"no content", `{"role":"user"}`, "byte 0: message without content"},
		{"content of a wrong type", `{"role":"user","content":null}`, "byte 25: content is neither a string nor " +
			"an array of blocks"},
		{"two roles", `{"role":"user","role":"user","content":""}`, `byte 15: message has two members "role"`},
		{"two types", `{"role":"user","content":[{"type":"text","text":"","type":"x"}]}`,
			`byte 51: block has two members "type"`},
		{"block of a wrong type", `{"role":"user","content":["x"]}`, "byte 26: block is not an object"},
		{"text of a wrong type", `{"role":"user","content":[{"type":"text","text":{}}]}`,
			`byte 48: "text" is not a string`},
		{"call without id", `{"role":"assistant","content":[{"type":"tool_use","name":"x","input":{}}]}`,
			`byte 31: no "id" here`},
		{"result of a wrong type", `{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":7}]}`,
			"byte 76: content of a result is neither a string nor an array of blocks"},
		{"result that is an object", `{"role":"user","content":[{"type":"tool_result","tool_use_id":"a",` +
			`"content":{}}]}`, "byte 76: content of a result is neither a string nor an array of blocks"},
		{"failure of a wrong type", `{"role":"user","content":[{"type":"tool_result","tool_use_id":"a",` +
			`"is_error":"no"}]}`, `byte 77: "is_error" is not a boolean`},
		{"control byte", "{\"role\":\"us\ner\",\"content\":\"\"}", "byte 11: control byte in a string"},
		{"nested too deep", `{"role":"user","content":` + strings.Repeat("[", 600) + strings.Repeat("]", 600) + `}`,
			"byte 524: nested deeper than 500"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Decode(Anthropic, []byte(tt.raw))
			if !fault.Is(err, fault.Invalid) || err.Error() != tt.want {
				t.Errorf("got  %v (%s)\nwant %s", err, fault.CodeOf(err), tt.want)
			}
		})
	}
}

func TestUnknownFormatIsInvalid(t *testing.T) {
	const f = Format("telegram")
	_, err1 := Decode(f, nil)
	_, err2 := Render(f, nil, Edits{})
	_, err3 := Edit(f, nil, Edits{})
	_, err4 := Merge(f, nil)
	_, err5 := Split(f, nil)
	for i, err := range []error{err1, err2, err3, err4, err5, Valid(f, nil)} {
		if !fault.Is(err, fault.Invalid) {
			t.Errorf("call %d: %v", i, err)
		}
	}
	if m := NewMessage(f, RoleUser, "x"); m != nil {
		t.Errorf("NewMessage: %s", m)
	}
}

func TestTooLongMessageIsRefused(t *testing.T) {
	if _, err := Decode(Anthropic, make([]byte, MaxMessage+1)); !fault.Is(err, fault.TooLarge) {
		t.Errorf("got %v", err)
	}
}

func TestOnlyPlainResultsAreAdded(t *testing.T) {
	for _, f := range Formats() {
		for _, p := range []Part{
			{Kind: KindText}, {Kind: KindReasoning}, {Kind: KindImage}, {Kind: KindOther}, {Kind: KindCall, Name: "N"},
			{Kind: KindResult, Name: "N", Media: 1}, {Kind: KindResult, Name: "N", Sealed: true},
		} {
			if out, err := Render(f, nil, Edits{AddResults: []Part{p}}); !fault.Is(err, fault.Invalid) {
				t.Errorf("%s: %+v: %v, %v", f, p, out, err)
			}
		}
		lost := Part{Kind: KindResult, ID: "t", Name: "N", Text: "a <b> \"c\"\n\xff"}
		out, err := Render(f, nil, Edits{AddResults: []Part{lost}})
		if err != nil || len(out) != 1 || out[0].Record != -1 {
			t.Fatalf("%s: %v, %v", f, out, err)
		}
		m, err := Decode(f, out[0].JSON)
		if err != nil || m.Role != RoleTool || len(m.Parts) != 1 || m.Parts[0].Text != "a <b> \"c\"\n\ufffd" {
			t.Errorf("%s: %s is %s, %v", f, out[0].JSON, brief(m), err)
		}
	}
}

func TestNewMessageDecodes(t *testing.T) {
	m, err := Decode(Anthropic, NewMessage(Anthropic, RoleUser, "a\n\"b\" \\ \u2028"))
	if err != nil || brief(m) != "user | text(a\n\"b\" \\ \u2028)" {
		t.Errorf("got %s, %v", brief(m), err)
	}
}

func TestPlainText(t *testing.T) {
	m := Message{Parts: []Part{{Kind: KindText, Text: "a"}, {Kind: KindReasoning, Text: "b"}, {Kind: KindText},
		{Kind: KindText, Text: "c"}}}
	if got := PlainText(m); got != "a\n\nc" {
		t.Errorf("got %q", got)
	}
}

func TestSplit(t *testing.T) {
	for _, tt := range []struct{ name, src, want, err string }{
		{name: "array", src: ` [ {"a": 1.0e2} ,{"b":[{}]}] `, want: `{"a": 1.0e2}|{"b":[{}]}`},
		{name: "request", src: `{"model":"x","messages":[{"a":1}],"messages2":[]}`, want: `{"a":1}`},
		{name: "empty", src: `[]`, want: ``},
		{name: "element of a wrong type", src: `[{},1]`, err: "byte 4: message 1 is not an object"},
		{name: "object without messages", src: `{"a":[]}`, err: "byte 0: not an array of messages"},
		{name: "torn", src: `[{"a":1},`, err: "byte 9: unexpected end"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ms, err := Split(Anthropic, []byte(tt.src))
			if tt.err != "" {
				if !fault.Is(err, fault.Invalid) || err.Error() != tt.err {
					t.Errorf("got %v, want %s", err, tt.err)
				}
				return
			}
			var got []string
			for _, m := range ms {
				got = append(got, string(m))
			}
			if err != nil || strings.Join(got, "|") != tt.want {
				t.Errorf("got %q, %v", got, err)
			}
		})
	}
}

func TestMerge(t *testing.T) {
	for _, tt := range []struct {
		name string
		raws []string
		want string
		err  string
	}{
		{name: "one record is verbatim", raws: []string{`{ "role" : "x" , "content" : [ ] }`},
			want: `{ "role" : "x" , "content" : [ ] }`},
		{name: "fields of the first, blocks of all", raws: []string{
			`{"id":"m", "role":"assistant","content":[ {"type":"text","text":"a"} ],"usage":{"n":1}}`,
			`{"id":"m","role":"assistant","content":[{"type":"tool_use","id":"t","name":"N","input":{ }}],` +
				`"usage":{"n":2}}`,
		}, want: `{"id":"m", "role":"assistant","content":[{"type":"text","text":"a"},{"type":"tool_use",` +
			`"id":"t","name":"N","input":{ }}],"usage":{"n":1}}`},
		{name: "results come first", raws: []string{
			`{"role":"user","content":[{"type":"tool_result","tool_use_id":"1"},{"type":"text","text":"stop"}]}`,
			`{"role":"user","content":"and \u0041"}`,
			`{"role":"user","content":[{"type":"tool_result","tool_use_id":"2"}]}`,
		}, want: `{"role":"user","content":[{"type":"tool_result","tool_use_id":"1"},{"type":"tool_result",` +
			`"tool_use_id":"2"},{"type":"text","text":"stop"},{"type":"text","text":"and \u0041"}]}`},
		{name: "none", err: "no record to merge"},
		{name: "two roles", raws: []string{`{"role":"a","content":""}`, `{"role":"b","content":""}`},
			err: `record 1 has role "b", the first one "a"`},
		{name: "torn record", raws: []string{`{"role":"a","content":""}`, `{`}, err: `record 1: byte 1: expected ` +
			`a member name`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var raws [][]byte
			for _, r := range tt.raws {
				raws = append(raws, []byte(r))
			}
			got, err := Merge(Anthropic, raws)
			if tt.err != "" {
				if !fault.Is(err, fault.Invalid) || err.Error() != tt.err {
					t.Errorf("got %v, want %s", err, tt.err)
				}
				return
			}
			if err != nil || string(got) != tt.want {
				t.Errorf("got  %s (%v)\nwant %s", got, err, tt.want)
			}
		})
	}
}
