package proxy

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"ctxledger.dev/ledger"
	"ctxledger.dev/transcript"
)

// dialogue is a request as Claude Code writes it: with words of the system between the messages, marks of the cache, reasoning
// that is signed, several calls at once, and results with images.
const dialogue = `{"model":"m" ,"tools":[{"name":"mcp__ctxledger__read_artifact"}],"system":[{"type":"text"}],
"messages":[{"role":"user","content":"Go."},{"role":"system","content":"where you are"},
{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"x"},
{"type":"tool_use","id":"a","name":"Read","input":{"path":"a long path"}}]},
{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"a long result","x":1.0}]},
{"role":"assistant","content":[{"type":"text","text":"Two."},{"type":"tool_use","id":"b","name":"Bash","input":{"command":"a long command"}},
{"type":"tool_use","id":"c","name":"Read","input":{}}]},
{"role":"user","content":[{"type":"tool_result","tool_use_id":"b","content":[{"type":"text","text":"a long text"},{"type":"image","source":{}}],
"is_error":true},{"type":"tool_result","tool_use_id":"c"},{"type":"text","text":"words","cache_control":{"type":"ephemeral"}}]}],"n":1e2}`

// items is the same as Codex writes it.
const items = `{"model":"m","tools":[{"type":"namespace","name":"mcp__ctxledger","tools":[{"name":"read_artifact"}]}],
"input":[
{"type":"message","role":"developer","content":[{"type":"input_text","text":"where you are"}]},
{"type":"message","role":"user","content":[{"type":"input_text","text":"Go."}]},
{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"x"},
{"type":"function_call","call_id":"a","name":"exec_command","arguments":"{\"cmd\":\"a long command\"}"},
{"type":"custom_tool_call","call_id":"b","name":"apply_patch","input":"a long patch"},
{"type":"function_call_output","call_id":"a","output":"a long result","x":1.0},
{"type":"custom_tool_call_output","call_id":"b","output":[{"type":"input_text","text":"done"}]},
{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Two."}]},
{"type":"function_call","call_id":"c","name":"exec_command","arguments":"{}"},
{"type":"function_call_output","call_id":"c","output":""}],"n":1e2}`

// contents is the same as Gemini CLI writes it, with signatures, and a call without an id as other clients send it.
const contents = `{"contents":[
{"parts":[{"text":"where you are"},{"text":"Go."}],"role":"user"},
{"parts":[{"text":"I look."},{"functionCall":{"id":"a","args":{"command":"a long command"},"name":"run"},
"thoughtSignature":"c2ln"}],"role":"model"},
{"parts":[{"functionResponse":{"id":"a","name":"run","response":{"output":"a long result"}},"x":1.0}],"role":"user"},
{"parts":[{"functionCall":{"id":"b","args":{"path":"a long path"},"name":"read"}},{"functionCall":{"args":{},"name":"read"}}],"role":"model"},
{"parts":[{"functionResponse":{"id":"b","name":"read","response":{"error":"a long error"}}},
{"functionResponse":{"name":"read","response":{"output":"words","n":[1e2]}}}],"role":"user"},
{"parts":[{"text":"Two."},{"functionCall":{"id":"c","args":{},"name":"glob"},"thought_signature":"c2ln"}],"role":"model"},
{"parts":[{"functionResponse":{"id":"c","name":"glob","response":{"output":"a text"}}}],"role":"user"}],
"tools":[{"functionDeclarations":[{"name":"mcp_ctxledger_read_artifact"}]}],"generationConfig":{"topK":64}}`

// completion is the same as opencode writes it.
const completion = `{"model":"m",
"messages":[{"role":"system","content":"where you are"},{"role":"user","content":"Go."},
{"role":"assistant","content":"I look.","tool_calls":[{"id":"a","type":"function","function":{"name":"bash","arguments":"{\"command\":\"a long one\"}"}},
{"id":"b","type":"function","function":{"name":"read","arguments":"{}"}}]},
{"role":"tool","tool_call_id":"a","content":"a long result","x":1.0},{"role":"tool","tool_call_id":"b","content":[{"type":"text","text":"done"}]},
{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"read","arguments":"{}"}}]},
{"role":"tool","tool_call_id":"c","content":""}],"tools":[{"type":"function","function":{"name":"ctxledger_read_artifact"}}]}`

// FuzzReduce: whatever of a request is shown less of, everything else stays byte by byte; what a provider took it still takes;
// the next request begins as this one.
func FuzzReduce(f *testing.F) {
	f.Add(dialogue, "stub", uint64(1<<63-1), 0)
	f.Add(dialogue, "stub \"\\ \u2028", uint64(5), 2)
	f.Add(dialogue, `{"n":1}`, uint64(6), 3)
	f.Add(items, "stub \"", uint64(1<<63-1), 3)
	f.Add(items, `{"n":1}`, uint64(6), 8)
	f.Add(completion, "stub \"", uint64(1<<63-1), 5)
	f.Add(completion, `{"n":1}`, uint64(6), 5)
	f.Add(contents, "stub \"", uint64(1<<63-1), 5)
	f.Add(contents, `{"n":1}`, uint64(6), 3)
	f.Add(`{"messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"x","content":{}}]},7]}`, "", uint64(1), 1)
	f.Add(`{"messages":[],"messages":[{"role":"user"}]} `, "s", uint64(3), 1)
	f.Fuzz(func(t *testing.T, body, text string, which uint64, kept int) {
		d, ok := draftOf([]byte(body))
		if !ok {
			return
		}
		format := transcript.Anthropic
		switch {
		case strings.Contains(body, `"input":[`):
			format = transcript.OpenAIResponses
		case strings.Contains(body, `"contents":[`):
			format = transcript.Gemini
		case strings.Contains(body, `"tool_calls":[`):
			format = transcript.OpenAIChat
		}
		v := newView(format, ledger.LiveSession{}, "")
		v.read(d)
		c := change{stubs: map[part]string{}}
		n := 0
		for i, p := range v.order {
			for _, x := range p.parts {
				if n++; which>>(n%64)&1 == 1 && (x.Kind != transcript.KindCall || text != "" && text[0] == '{' &&
					json.Valid([]byte(text))) {
					c.stubs[part{x.ID, x.Kind}] = text
				}
			}
			if i == kept && p.call() != "" {
				c.cut = &cut{message: transcript.NewMessage(format, transcript.RoleUser, "summary"), kept: []*piece{p}}
			}
		}
		v.adopt(c)
		x := &exchange{}
		out := v.send(d, x, true)
		now, ok := draftOf(out)
		if !ok {
			t.Fatalf("%q is no request: %q", body, out)
		}
		sameOutside(t, d, now)
		first, end, _ := v.replaced()
		if len(now.spans) != len(d.spans)-max(end-first-1, 0) {
			t.Fatalf("%d messages became %d, without %d to %d", len(d.spans), len(now.spans), first, end)
		}
		for i, p := range v.order {
			at := i
			switch {
			case first < end && i >= first && i < end:
				continue
			case i >= end:
				at = i - max(end-first-1, 0)
			}
			got := now.spans[at].In(out)
			if signed := bytes.Contains(p.raw, []byte(`"thoughtSignature"`)); signed && !bytes.Equal(got, p.raw) {
				t.Errorf("the signed message %d became %q", i, got)
			}
			if same := bytes.Equal(got, p.raw); p.sealed && !same || p.out == nil && !same {
				t.Errorf("message %d became %q", i, got)
			}
		}
		if takes(format, d) && !takes(format, now) {
			t.Errorf("a provider takes %q and not %q", body, out)
		}
		next := v.send(d, x, false)
		if !bytes.Equal(next, out) {
			t.Errorf("it is sent as %q, and then as %q", out, next)
		}
	})
}

// takes reports whether a provider takes the messages of a request.
func takes(f transcript.Format, d draft) bool {
	var messages [][]byte
	for _, span := range d.spans {
		if role := roleOf(span.In(d.body)); role != "system" && role != "developer" {
			messages = append(messages, span.In(d.body))
		}
	}
	return transcript.Sendable(f, messages) == nil
}

// sameOutside fails unless two bodies are the same outside of their messages.
func sameOutside(t *testing.T, a, b draft) {
	t.Helper()
	last := func(d draft) []byte { return d.body[d.spans[len(d.spans)-1].To:] }
	if !bytes.Equal(a.body[:a.spans[0].From], b.body[:b.spans[0].From]) || !bytes.Equal(last(a), last(b)) {
		t.Errorf("more than messages changed: %q became %q", a.body, b.body)
	}
}
