package scriptedmodel

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
)

// tools is the tool list of the requests in these tests.
const tools = `[{"name":"Bash"},{"name":"Read"},{"name":"mcp__ledger__search"},{"name":"mcp__a__twice"},` +
	`{"name":"mcp__b__twice"}]`

// body returns a request of the main conversation that says text.
func body(text string) string {
	return `{"model":"m","max_tokens":100,"tools":` + tools + `,"messages":[{"role":"user","content":` +
		quote(text) + `}]}`
}

func quote(s string) string {
	p, _ := json.Marshal(s)
	return string(p)
}

// post sends a request in a session and returns the status and the body of the answer.
func post(s *Server, session, path, body string, headers ...string) (int, string) {
	req := httptest.NewRequest(http.MethodPost, path, strings.NewReader(body))
	req.Header.Set(sessionHeader, session)
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, req)
	return w.Code, w.Body.String()
}

// ask sends a request that must be answered.
func ask(t *testing.T, s *Server, session, body string, headers ...string) reply {
	t.Helper()
	code, text := post(s, session, "/v1/messages?beta=true", body, headers...)
	var r reply
	if err := json.Unmarshal([]byte(text), &r); code != http.StatusOK || err != nil {
		t.Fatalf("status %d, %v: %s", code, err, text)
	}
	return r
}

// said returns the text of an answer.
func said(r reply) string {
	var b strings.Builder
	for _, block := range r.Content {
		if block.Text != nil {
			b.WriteString(*block.Text)
		}
	}
	return b.String()
}

var twoSteps = Script{
	Do("one", Call{"Bash", map[string]any{"command": "ls {{dir}}"}}),
	{Think: "hm", Text: "two", Calls: []Call{
		{"search", map[string]any{"paths": []any{"{{dir}}/a", 7, map[string]any{"deep": "{{dir}}{{other}}"}}}},
		{"Read", map[string]any{"file_path": "/x"}},
	}},
	Say("done in {{dir}}"),
}

func TestEachRequestOfASessionGetsTheNextStep(t *testing.T) {
	s := New(twoSteps, Vars{"dir": "/w"})
	for i, want := range []struct {
		text, stop string
		inputs     []string
	}{
		{"one", "tool_use", []string{`Bash {"command":"ls /w"}`}},
		{"two", "tool_use", []string{`mcp__ledger__search {"paths":["/w/a",7,{"deep":"/w{{other}}"}]}`,
			`Read {"file_path":"/x"}`}},
		{"done in /w", "end_turn", nil},
		{"The script is finished.", "end_turn", nil},
	} {
		r := ask(t, s, "s", body("go on"))
		var inputs []string
		for _, b := range r.Content {
			if b.Type == "tool_use" {
				inputs = append(inputs, b.Name+" "+string(b.Input))
			}
		}
		if said(r) != want.text || *r.StopReason != want.stop || !reflect.DeepEqual(inputs, want.inputs) {
			t.Errorf("step %d = %q, %s, %q; want %+v", i, said(r), *r.StopReason, inputs, want)
		}
	}
	if twoSteps[0].Calls[0].Input["command"] != "ls {{dir}}" {
		t.Error("the script itself was changed")
	}
}

func TestSessionsPlayTheScriptEachFromItsStart(t *testing.T) {
	s := New(twoSteps, nil)
	for _, c := range []struct{ session, want string }{{"a", "one"}, {"a", "two"}, {"b", "one"}, {"", "one"},
		{"b", "two"}, {"", "two"}} {
		if got := said(ask(t, s, c.session, body("x"))); got != c.want {
			t.Errorf("session %q: %q, want %q", c.session, got, c.want)
		}
	}
}

func TestSideRequestsUseNoStep(t *testing.T) {
	for name, c := range map[string]struct {
		body, want string
		headers    []string
	}{
		"quota probe": {`{"model":"m","max_tokens":1,"tools":` + tools +
			`,"messages":[{"role":"user","content":"quota"}]}`, "#", nil},
		"title": {`{"model":"m","max_tokens":100,"messages":[{"role":"user","content":"a title please"}]}`,
			"A scripted session", nil},
		"compaction": {`{"model":"m","max_tokens":100,"tools":` + tools +
			`,"messages":[{"role":"user","content":"x"},` +
			`{"role":"user","content":[{"type":"text","text":"\nCRITICAL: Respond with TEXT ONLY. Do"}]},` +
			`{"role":"system","content":"y"}]}`, "<summary>", nil},
		"subagent": {body("look around"), "The subagent has nothing to add.", []string{subagentHeader, "agent-1"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := New(twoSteps, nil)
			for range 2 {
				if got := said(ask(t, s, "s", c.body, c.headers...)); !strings.Contains(got, c.want) {
					t.Errorf("answer = %q, want %q in it", got, c.want)
				}
			}
			if got := said(ask(t, s, "s", body("x"))); got != "one" {
				t.Errorf("the main conversation begins with %q", got)
			}
		})
	}
}

func TestSubagentsPlayAScriptOfTheirOwn(t *testing.T) {
	s := New(twoSteps, nil)
	s.Subagents = Script{Say("alone")}
	for _, c := range []struct{ agent, want string }{{"", "one"}, {"a", "alone"}, {"b", "alone"}, {"", "two"},
		{"a", "The subagent has nothing to add."}} {
		if got := said(ask(t, s, "s", body("x"), subagentHeader, c.agent)); got != c.want {
			t.Errorf("subagent %q: %q, want %q", c.agent, got, c.want)
		}
	}
	if log := s.Log(); log[1].Session != "s/a" || log[1].Step != 0 {
		t.Errorf("log = %+v", log[1])
	}
}

func TestUsageGrowsAndThePrefixIsReadFromTheCache(t *testing.T) {
	s := New(twoSteps, nil)
	before := 0
	for i, text := range []string{"short", strings.Repeat("longer ", 100), strings.Repeat("longer ", 300),
		"cut by compaction"} {
		request := body(text)
		u := ask(t, s, "s", request).Usage
		if total := u.Input + u.CacheCreation + u.CacheRead; total != len(request)/bytesPerToken {
			t.Errorf("request %d: figures %+v add up to %d, want %d", i, u, total, len(request)/bytesPerToken)
		}
		if want := min(before, len(request)/bytesPerToken-freshTokens); u.CacheRead != want || u.Output == 0 ||
			u.CacheCreation < 0 {
			t.Errorf("request %d: %+v, want %d read from the cache", i, u, want)
		}
		before = len(request) / bytesPerToken
	}
}

func TestStreamedAnswersEqualPlainOnes(t *testing.T) {
	plain, streamed := New(twoSteps, nil), New(twoSteps, nil)
	for range len(twoSteps) {
		request := body("x")
		want := ask(t, plain, "s", request)
		_, stream := post(streamed, "s", "/v1/messages", strings.Replace(request, `"max`, `"stream":true,"max`, 1))
		got := assemble(t, stream)
		got.Usage, want.Usage = usage{}, usage{} // the requests differ in size
		if !reflect.DeepEqual(got, want) {
			t.Errorf("streamed %+v\nplain    %+v", got, want)
		}
	}
}

// assemble puts an answer together again from the events of its stream.
func assemble(t *testing.T, stream string) reply {
	t.Helper()
	var r reply
	var input strings.Builder
	for lines := bufio.NewScanner(strings.NewReader(stream)); lines.Scan(); {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok {
			continue
		}
		var e struct {
			Type    string `json:"type"`
			Message reply  `json:"message"`
			Block   block  `json:"content_block"`
			Delta   struct {
				Text        string  `json:"text"`
				Thinking    string  `json:"thinking"`
				Signature   string  `json:"signature"`
				PartialJSON string  `json:"partial_json"`
				StopReason  *string `json:"stop_reason"`
			} `json:"delta"`
		}
		if err := json.Unmarshal([]byte(data), &e); err != nil {
			t.Fatal(err)
		}
		switch e.Type {
		case "message_start":
			r = e.Message
		case "content_block_start":
			r.Content = append(r.Content, e.Block)
			input.Reset()
		case "content_block_delta":
			b := &r.Content[len(r.Content)-1]
			for _, f := range []struct {
				to   *string
				text string
			}{{b.Text, e.Delta.Text}, {b.Thinking, e.Delta.Thinking}, {b.Signature, e.Delta.Signature}} {
				if f.to != nil {
					*f.to += f.text
				}
			}
			input.WriteString(e.Delta.PartialJSON)
		case "content_block_stop":
			if b := &r.Content[len(r.Content)-1]; b.Type == "tool_use" {
				b.Input = json.RawMessage(input.String())
			}
		case "message_delta":
			r.StopReason = e.Delta.StopReason
		}
	}
	return r
}

func TestACallOfNoOrSeveralToolsIsAnErrorAndLogged(t *testing.T) {
	for _, c := range []struct{ tool, want string }{{"Write", "matches 0 of the 5"}, {"twice", "matches 2 of the 5"}} {
		s := New(Script{Do("", Call{c.tool, nil})}, nil)
		code, text := post(s, "s", "/v1/messages", body("x"))
		if code != http.StatusBadRequest || !strings.Contains(text, c.want) ||
			!strings.Contains(text, `"type":"error"`) {
			t.Errorf("%s: status %d: %s", c.tool, code, text)
		}
		if log := s.Log(); len(log) != 1 || log[0].Err == nil || log[0].Step != -1 {
			t.Errorf("%s: log = %+v", c.tool, log)
		}
	}
}

func TestTheLogHoldsBodiesUnchanged(t *testing.T) {
	s := New(twoSteps, nil)
	request := body("x") + "\n "
	ask(t, s, "s", request)
	if log := s.Log(); len(log) != 1 || string(log[0].Body) != request || log[0].Session != "s" || log[0].Step != 0 {
		t.Errorf("log = %+v", log)
	}
}

func TestOtherPaths(t *testing.T) {
	for _, c := range []struct {
		method, path, body string
		code               int
		want               string
	}{
		{"POST", "/v1/messages/count_tokens?beta=true", strings.Repeat("x", 400), 200, `"input_tokens":100`},
		{"POST", "/v1beta/models/m:countTokens", strings.Repeat("x", 400), 200, `"totalTokens":100`},
		{"GET", "/v1/models?limit=1000", "", 200, `"id":"scripted"`},
		{"GET", "/v1/messages", "", 404, `"not_found_error"`},
		{"POST", "/api/event_logging/batch", "{}", 404, `"type":"error"`},
		{"POST", "/v1/messages", "{", 400, `"invalid_request_error"`},
	} {
		w := httptest.NewRecorder()
		New(nil, nil).ServeHTTP(w, httptest.NewRequest(c.method, c.path, strings.NewReader(c.body)))
		if w.Code != c.code || !strings.Contains(w.Body.String(), c.want) || !json.Valid(w.Body.Bytes()) {
			t.Errorf("%s %s = %d %s; want %d %s", c.method, c.path, w.Code, w.Body, c.code, c.want)
		}
	}
}

func TestRequestsOverTheLimitAreRefused(t *testing.T) {
	for _, path := range []string{"/v1/messages", "/v1/messages/count_tokens"} {
		w := httptest.NewRecorder()
		New(twoSteps, nil).ServeHTTP(
			w, httptest.NewRequest(http.MethodPost, path, io.LimitReader(zeros{}, maxRequest+1)))
		if w.Code != http.StatusRequestEntityTooLarge || !json.Valid(w.Body.Bytes()) {
			t.Errorf("%s: status %d: %.200s", path, w.Code, w.Body)
		}
	}
}

// zeros is an endless body.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

func FuzzAnyBodyGetsAWholeAnswer(f *testing.F) {
	f.Add(body("x"))
	f.Add(`{"stream":true,"tools":` + tools +
		`,"messages":[{"role":"user","content":[{"type":"text","text":"a"},{"type":"image"}]}]}`)
	f.Add(`{"messages":[{"role":"user","content":7}]}`)
	f.Add(`null`)
	f.Fuzz(func(t *testing.T, request string) {
		for _, path := range []string{"/v1/messages", "/v1/chat/completions", "/v1/responses",
			"/v1/models/m:generateContent", "/v1/models/m:streamGenerateContent"} {
			s := New(twoSteps, Vars{"dir": "/w"})
			code, text := post(s, "s", path, request)
			switch {
			case code == http.StatusOK && strings.HasPrefix(text, "event: message_start\n"):
				if !strings.HasSuffix(text, "data: {\"type\":\"message_stop\"}\n\n") {
					t.Errorf("%s: the stream is torn: %q", path, text)
				}
			case code == http.StatusOK && len(events(text)) > 0:
			case code != http.StatusOK && code != http.StatusBadRequest, !json.Valid([]byte(text)):
				t.Errorf("%s: status %d: %q", path, code, text)
			}
		}
	})
}
