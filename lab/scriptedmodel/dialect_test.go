package scriptedmodel

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

// events returns the data of the events of a stream.
func events(stream string) []string {
	var out []string
	for line := range strings.Lines(stream) {
		if data, ok := strings.CutPrefix(line, "data: "); ok && json.Valid([]byte(data)) {
			out = append(out, strings.TrimSpace(data))
		}
	}
	return out
}

func TestEveryDialectOffersToolsAndGetsTheirCall(t *testing.T) {
	for name, c := range map[string]struct {
		path, body string
		want       []string // parts of the answer
		results    []string // of the log
	}{
		"chat": {"/v1/chat/completions",
			`{"model":"m","tools":[{"type":"function","function":{"name":"ledger_search"}}],"messages":[
				{"role":"assistant"},{"role":"tool","content":"a"},{"role":"tool","content":[{"type":"text","text":"b"}]}]}`,
			[]string{`"name":"ledger_search"`, `"arguments":"{\"q\":\"/w\"}"`, `"finish_reason":"tool_calls"`,
				`"content":"look"`}, []string{"a", "b"}},
		"responses": {"/v1/responses",
			`{"model":"m","tools":[{"type":"namespace","name":"mcp__ledger","tools":[{"name":"search"}]}],"input":[
				{"type":"function_call_output","output":"old"},{"type":"message"},
				{"type":"function_call_output","output":[{"type":"input_text","text":"a"},{"type":"input_text","text":"b"}]}]}`,
			[]string{`"name":"search"`, `"namespace":"mcp__ledger"`, `"arguments":"{\"q\":\"/w\"}"`, `"text":"look"`},
			[]string{"ab"}},
		"gemini": {"/v1beta/models/m:generateContent",
			`{"tools":[{"functionDeclarations":[{"name":"mcp_ledger_search"}]}],"contents":[{"parts":[
				{"functionResponse":{"response":{"output":"a"}}},{"functionResponse":{"response":{"error":"b"}}},
				{"functionResponse":{"response":{"other":1}}}]}]}`,
			[]string{`"name":"mcp_ledger_search"`, `"args":{"q":"/w"}`, `"text":"look"`, `"modelVersion":"m"`},
			[]string{"a", "b", `{"other":1}`}},
		"anthropic": {"/v1/messages",
			`{"model":"m","max_tokens":9,"tools":[{"name":"mcp__ledger__search"}],"messages":[{"role":"user","content":[
				{"type":"tool_result","content":"a"},{"type":"text","text":"x"},
				{"type":"tool_result","content":[{"type":"text","text":"b"}]}]}]}`,
			[]string{`"name":"mcp__ledger__search"`, `"input":{"q":"/w"}`, `"text":"look"`}, []string{"a", "b"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := New(Script{Do("look", Call{"search", map[string]any{"q": "{{dir}}"}})}, Vars{"dir": "/w"})
			code, answer := post(s, "", c.path, c.body)
			for _, part := range c.want {
				if code != 200 || !strings.Contains(answer, part) {
					t.Errorf("status %d, no %s in %s", code, part, answer)
				}
			}
			if log := s.Log(); len(log) != 1 || !reflect.DeepEqual(log[0].Results, c.results) {
				t.Errorf("results = %q, want %q", log[0].Results, c.results)
			}
		})
	}
}

// Each stream says what the plain answer says; the agents' own clients are what really reads them, see lab/agentmatrix.
func TestEveryDialectStreamsWhatItSays(t *testing.T) {
	for path, body := range map[string]string{
		"/v1/chat/completions":                   `{"stream":true,"tools":[{"function":{"name":"search"}}]}`,
		"/v1/responses":                          `{"stream":true,"tools":[{"name":"search"}]}`,
		"/v1beta/models/m:streamGenerateContent": `{"tools":[{"functionDeclarations":[{"name":"search"}]}]}`,
	} {
		s := New(Script{Do("look", Call{"search", map[string]any{"q": "x"}})}, nil)
		_, stream := post(s, "", path, body)
		got := strings.Join(events(stream), "\n")
		for _, part := range []string{"look", "search", `q`} {
			if !strings.Contains(got, part) {
				t.Errorf("%s: no %s in %s", path, part, stream)
			}
		}
	}
}

func TestARequestWithoutToolsAsksForATitle(t *testing.T) {
	for _, path := range []string{"/v1/messages", "/v1/chat/completions", "/v1/responses",
		"/v1beta/models/m:generateContent"} {
		s := New(Script{Say("no")}, nil)
		if code, answer := post(s, "", path, `{"max_tokens":9}`); code != 200 || !strings.Contains(answer, title) {
			t.Errorf("%s: %d %s", path, code, answer)
		}
	}
}
