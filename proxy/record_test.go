package proxy_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
)

// said is how each dialect answers "ok": as one value, and as a stream.
var said = map[string][2]string{
	"anthropic": {`{"id":"r1","model":"mm","role":"assistant","content":[{"type":"text","text":"ok"},{"type":"tool_use","id":"t1",` +
		`"name":"Bash","input":{"command":"ls"}}],"usage":{"input_tokens":5,"cache_read_input_tokens":100,` +
		`"cache_creation_input_tokens":20,"output_tokens":9}}`,
		stream("message_start", `{"type":"message_start","message":{"id":"r1","model":"mm","content":[],"usage":{"input_tokens":5,`+
			`"cache_read_input_tokens":100,"cache_creation_input_tokens":20,"output_tokens":1}}}`,
			"content_block_start", `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`,
			"content_block_delta", `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"o"}}`,
			"ping", `{"type":"ping"}`,
			"content_block_delta", `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"k"}}`,
			"content_block_start", `{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"t1","name":"Bash","input":{}}}`,
			"content_block_delta", `{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"command\":"}}`,
			"content_block_delta", `{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"\"ls\"}"}}`,
			"message_delta", `{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":9}}`,
			"message_stop", `{"type":"message_stop"}`)},
	"chat": {`{"id":"r1","model":"mm","choices":[{"index":0,"finish_reason":"tool_calls","message":{"role":"assistant","content":"ok",` +
		`"tool_calls":[{"id":"t1","type":"function","function":{"name":"Bash","arguments":"{\"command\":\"ls\"}"}}]}}],` +
		`"usage":{"prompt_tokens":125,"completion_tokens":9,"prompt_tokens_details":{"cached_tokens":100}}}`,
		stream("", `{"id":"r1","model":"mm","choices":[{"index":0,"delta":{"role":"assistant","content":""}}]}`,
			"", `{"id":"r1","choices":[{"index":0,"delta":{"content":"o"}}]}`, "", `{"id":"r1","choices":[{"index":0,"delta":{"content":"k"}}]}`,
			"", `{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"t1","type":"function","function":{"name":"Bash","arguments":""}}]}}]}`,
			"", `{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"command\":"}}]}}]}`,
			"", `{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"\"ls\"}"}}]}}]}`,
			"", `{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}`,
			"", `{"choices":[],"usage":{"prompt_tokens":125,"completion_tokens":9,"prompt_tokens_details":{"cached_tokens":100}}}`, "", "[DONE]")},
	"responses": {`{"id":"r1","model":"mm","output":[{"type":"message","role":"assistant","content":[{"type":"output_text","text":"ok"}]},` +
		`{"type":"function_call","call_id":"t1","name":"Bash","arguments":"{\"command\":\"ls\"}"}],"usage":{"input_tokens":125,` +
		`"input_tokens_details":{"cached_tokens":100},"output_tokens":9,"output_tokens_details":{"reasoning_tokens":2}}}`,
		stream("response.created", `{"type":"response.created","response":{"id":"r1","model":"mm"}}`,
			"response.output_item.done", `{"type":"response.output_item.done","item":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"ok"}]}}`,
			"response.output_item.done", `{"type":"response.output_item.done","item":{"type":"function_call","call_id":"t1","name":"Bash","arguments":"{\"command\":\"ls\"}"}}`,
			"response.completed", `{"type":"response.completed","response":{"id":"r1","model":"mm","output":[],"usage":{"input_tokens":125,`+
				`"input_tokens_details":{"cached_tokens":100},"output_tokens":9,"output_tokens_details":{"reasoning_tokens":2}}}}`)},
	"gemini": {`{"responseId":"r1","modelVersion":"mm","candidates":[{"index":0,"finishReason":"STOP","content":{"role":"model","parts":[` +
		`{"text":"ok"},{"functionCall":{"name":"Bash","args":{"command":"ls"}}}]}}],"usageMetadata":{"promptTokenCount":125,` +
		`"cachedContentTokenCount":100,"candidatesTokenCount":7,"thoughtsTokenCount":2}}`,
		stream("", `{"responseId":"r1","modelVersion":"mm","candidates":[{"content":{"role":"model","parts":[{"text":"o"}]}}],`+
			`"usageMetadata":{"promptTokenCount":125}}`,
			"", `{"candidates":[{"content":{"role":"model","parts":[{"text":"k"},{"functionCall":{"name":"Bash","args":{"command":"ls"}}}]},`+
				`"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":125,"cachedContentTokenCount":100,`+
				`"candidatesTokenCount":7,"thoughtsTokenCount":2}}`)},
}

// stream writes events: a name, or "", and the data of each.
func stream(events ...string) string {
	var b strings.Builder
	for i := 0; i < len(events); i += 2 {
		if events[i] != "" {
			fmt.Fprintf(&b, "event: %s\n", events[i])
		}
		fmt.Fprintf(&b, "data: %s\n\n", events[i+1])
	}
	return b.String()
}

// hi is of each dialect the first messages, what the agent adds when it has run the call, the result at the end of that, and
// what the user says then.
var hi = map[string][4]string{
	"anthropic": {`{"role":"user","content":"hi"}`, `{"role":"assistant","content":[{"type":"text","text":"ok"},` +
		`{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"ls"}}]},` + resultOf["anthropic"],
		resultOf["anthropic"], `{"role":"user","content":"on"}`},
	"chat": {`{"role":"system","content":"be"},{"role":"user","content":"hi"}`,
		`{"role":"assistant","content":"ok","tool_calls":[{"id":"t1","type":"function","function":{"name":"Bash",` +
			`"arguments":"{\"command\":\"ls\"}"}}]},` + resultOf["chat"], resultOf["chat"], `{"role":"user","content":"on"}`},
	"responses": {`{"role":"user","content":"hi"}`,
		`{"type":"message","role":"assistant","content":[{"type":"output_text","text":"ok"}]},{"type":"function_call",` +
			`"call_id":"t1","name":"Bash","arguments":"{\"command\":\"ls\"}"},` + resultOf["responses"],
		resultOf["responses"], `{"role":"user","content":"on"}`},
	"gemini": {`{"role":"user","parts":[{"text":"hi"}]}`,
		`{"role":"model","parts":[{"text":"ok"},{"functionCall":{"name":"Bash","args":{"command":"ls"}}}]},` + resultOf["gemini"],
		resultOf["gemini"], `{"role":"user","parts":[{"text":"on"}]}`},
}

// resultOf is the result of the call in each dialect.
var resultOf = map[string]string{
	"anthropic": `{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"a b",` +
		`"cache_control":{"type":"ephemeral"}}]}`,
	"chat":      `{"role":"tool","tool_call_id":"t1","content":"a b"}`,
	"responses": `{"type":"function_call_output","call_id":"t1","output":"a b"}`,
	"gemini":    `{"role":"user","parts":[{"functionResponse":{"name":"Bash","response":{"output":"a b"}}}]}`,
}

// body writes a request with messages.
func body(dialect, messages string) string {
	switch dialect {
	case "responses":
		return `{"model":"mm","input":[` + messages + `]}`
	case "gemini":
		return `{"contents":[` + messages + `]}`
	}
	return `{"model":"mm","messages":[` + messages + `]}`
}

// TestAnAgentWithoutFilesIsRecorded: each message once, with what the provider measured, in streams and not, and when another
// proxy goes on.
func TestAnAgentWithoutFilesIsRecorded(t *testing.T) {
	for _, d := range dialects {
		for i, how := range []string{"plain", "stream"} {
			t.Run(d.name+" "+how, func(t *testing.T) {
				s := newScene(t, func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, said[d.name][i]) })
				path := "/" + token + d.path
				s.send(path, body(d.name, hi[d.name][0]))
				s.send(path, body(d.name, hi[d.name][0]+","+hi[d.name][1]))
				s.stop()
				session, texts := s.recorded()
				answers := map[string]int{"responses": 2}[d.name] // items of each
				if answers = max(answers, 1); len(texts) != 2*answers+strings.Count(hi[d.name][0], `"role"`)+1 {
					t.Errorf("%d entries: %s", len(texts), strings.Join(texts, "\n"))
				}
				all := s.requests(session)
				usage := sessions.Usage{Input: 25, CacheRead: 100, Output: 9}
				if d.name == "responses" || d.name == "gemini" {
					usage.Reasoning = 2
				}
				if d.name == "anthropic" {
					usage = sessions.Usage{Input: 5, CacheRead: 100, CacheWrite: 20, Output: 9}
				}
				if len(all) != 2 || all[0].Usage != usage || all[0].Cut || all[0].Reply != "r1" || all[1].Model != "mm" ||
					all[1].Kept != all[0].Items || len(all[1].New) == 0 || all[1].Cache.Outcome != ledger.CacheKept {
					t.Errorf("%+v", all)
				}
				st, err := s.ledger.Status(t.Context(), ledger.StatusRequest{Session: session})
				if err != nil || st.Total != usage.Add(usage) || st.Held.N < 134 || st.Proxy == nil || st.Proxy.Usage != st.Total {
					t.Errorf("%+v held %+v, %v", st.Total, st.Held, err)
				}
				s.start()
				ok, _ := strings.CutSuffix(hi[d.name][1], hi[d.name][2])
				s.send(path, body(d.name, hi[d.name][0]+","+hi[d.name][1]+","+ok+hi[d.name][3]))
				s.stop()
				if _, more := s.recorded(); len(more) != len(texts)+1+answers {
					t.Errorf("another proxy recorded %d entries: %s", len(more)-len(texts), strings.Join(more, "\n"))
				}
			})
		}
	}
}

// TestTheRecordGrowsWithTheConversation, not with its square: forty requests, of which each has all that was said.
func TestTheRecordGrowsWithTheConversation(t *testing.T) {
	s := newScene(t, func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, said["chat"][0]) })
	messages := []string{hi["chat"][0]}
	sent, turns := 0, 40
	for i := range turns {
		text := body("chat", strings.Join(messages, ","))
		sent += len(text)
		s.send("/"+token+"/openai/chat/completions", text)
		messages = append(messages, strings.Replace(hi["chat"][1], "a b", strings.Repeat(fmt.Sprintf("line %d ", i), 300), 1))
	}
	s.stop()
	session, texts := s.recorded()
	recorded := len(strings.Join(texts, ""))
	for _, q := range s.requests(session) {
		raw, _ := json.Marshal(q)
		recorded += len(raw)
	}
	if all := len(strings.Join(messages, "")); len(texts) != 2+2*turns-1 || recorded > 2*all+turns*1000 || sent < 10*recorded {
		t.Errorf("%d entries, %d bytes recorded of %d, in %d sent", len(texts), recorded, all, sent)
	}
}

// TestAnAgentThatChangesItsAnswers: its own words count, once.
func TestAnAgentThatChangesItsAnswers(t *testing.T) {
	s := newScene(t, func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, said["chat"][0]) })
	path := "/" + token + "/openai/chat/completions"
	s.send(path, body("chat", hi["chat"][0]))
	s.send(path, body("chat", hi["chat"][0]+`,{"role":"assistant","content":"shorter"},{"role":"user","content":"on"}`))
	s.stop()
	session, _ := s.recorded()
	v, err := ledger.Messages(t.Context(), s.ledger, ledger.ViewRequest{Session: session})
	var texts []string
	for _, m := range v.Messages {
		texts = append(texts, string(m.JSON))
	}
	if err != nil || len(texts) < 4 || !strings.Contains(texts[2], "shorter") || slices.ContainsFunc(texts[:3], func(x string) bool {
		return strings.Contains(x, "Bash")
	}) {
		t.Errorf("%v %s", err, strings.Join(texts, "\n"))
	}
}

// TestAnotherProxyGoesOnInTheSession: the agent serializes the arguments of a call again. A restarted proxy still finds the
// session by that call. A copy of the conversation that goes on differently gets a session of its own.
func TestAnotherProxyGoesOnInTheSession(t *testing.T) {
	var answers atomic.Int32
	s := newScene(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, strings.Replace(said["chat"][0], `"t1"`, fmt.Sprintf(`"t%d"`, answers.Add(1)), 1))
	})
	send := func(id, messages string) {
		text := strings.Replace(body("chat", messages), "{", `{"tools":[{"type":"function","function":{"name":"Bash"}}],`, 1)
		s.send("/"+token+"/openai/chat/completions", text, "User-Agent", "opencode/1.0", "X-Session-Id", id)
		s.stop()
	}
	first := hi["chat"][0] + "," + strings.Replace(hi["chat"][1], `{\"command\"`, `{ \"command\"`, 1)
	second := first + "," + strings.ReplaceAll(hi["chat"][1], `"t1"`, `"t2"`)
	send("ses_1", hi["chat"][0])
	for _, messages := range []string{first, second} {
		s.start()
		send("ses_1", messages)
	}
	session, _ := s.recorded()
	if all := s.requests(session); len(all) != 3 {
		t.Errorf("%d requests of 3 in the session", len(all))
	}
	s.start()
	send("ses_2", first+`,{"role":"user","content":"else"}`)
	if all, err := s.ledger.Sessions(t.Context(), ledger.SessionsRequest{}); err != nil || all.Total != 2 {
		t.Errorf("%+v, %v", all, err)
	}
}

// TestAnAgentNamesTheCallsOfItsProvider: of an agent that gives ids to calls without any, each answer is recorded once, with these
// ids, and with what it took; so is what follows it.
func TestAnAgentNamesTheCallsOfItsProvider(t *testing.T) {
	s := newScene(t, answerJSON(said["gemini"][0]))
	send := func(messages string) {
		text := strings.Replace(body("gemini", messages), "{", `{"tools":[{"functionDeclarations":[{"name":"Bash"}]}],`, 1)
		s.send("/"+token+"/gemini/v1beta/models/mm:generateContent", text, "User-Agent", "GeminiCLI/1")
		s.served.Recorded()
	}
	messages := hi["gemini"][0]
	send(messages)
	for _, id := range []string{"t1", "t2"} {
		messages += "," + strings.ReplaceAll(hi["gemini"][1], `"name":"Bash"`, `"id":"`+id+`","name":"Bash"`)
		send(messages)
	}
	s.mu.Lock()
	s.handler = answerJSON(`{"candidates":[{"content":{"parts":[{"text":"done"}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":9}}`)
	s.mu.Unlock()
	send(messages + "," + hi["gemini"][3])
	session, _ := s.recorded()
	page, err := s.ledger.Log(t.Context(), ledger.LogRequest{Session: session})
	var calls, usage []string
	for _, e := range page.Entries {
		for _, c := range e.Calls {
			calls = append(calls, c.ID)
		}
		if e.Usage != nil {
			usage = append(usage, fmt.Sprint(e.Usage.Prompt()))
		}
	}
	if got := fmt.Sprint(len(page.Entries), calls, usage); err != nil || got != "7 [t1 t2] [125 125 9]" {
		t.Errorf("%s, %v", got, err)
	}
}

// TestSecretsInNamesAreMasked: what is shown of a request are names of tools and models.
func TestSecretsInNamesAreMasked(t *testing.T) {
	const secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345"
	s := newScene(t, answerJSON(message(1, 0, 0)))
	s.send("/"+token+"/anthropic/v1/messages", `{"model":"`+secret+`","tools":[{"name":"`+secret+`"},{"name":"mcp__`+secret+
		`__x"}],"messages":[]}`, "X-Claude-Code-Session-Id", "s1")
	s.stop()
	raw, err := json.Marshal(s.live("claude-code", "s1"))
	if err != nil || strings.Contains(string(raw), secret) || !strings.Contains(string(raw), "[masked") {
		t.Errorf("%s, %v", raw, err)
	}
}

// TestAConversationWithoutToolsIsRecorded: of an agent that is known, one question is taken for a request beside a conversation
// until a second one has the answer to it. Asking the same again is no conversation.
func TestAConversationWithoutToolsIsRecorded(t *testing.T) {
	for _, d := range dialects {
		t.Run(d.name, func(t *testing.T) {
			s := newScene(t, answerJSON(strings.Replace(said[d.name][0], "Bash", "none", 1)))
			path, first := asking(d.name, hi[d.name][0])
			_, second := asking(d.name, hi[d.name][0]+","+hi[d.name][1])
			for _, text := range []string{first, first, second} {
				s.send(path, text, "User-Agent", "GeminiCLI/1")
			}
			s.stop()
			session, texts := s.recorded()
			if n := strings.Count(strings.Join(texts, ""), `"hi"`); n != 1 || len(s.requests(session)) != 3 {
				t.Errorf("%d requests: %q", len(s.requests(session)), texts)
			}
		})
	}
}
