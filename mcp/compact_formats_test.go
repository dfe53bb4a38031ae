package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"ctxledger.dev/ledger"
	"ctxledger.dev/transcript"
)

// formatTalks are conversations of n turns, each a request, two calls, their results and an answer, as
// each provider wants them. Their spelling is odd on purpose.
var formatTalks = map[transcript.Format]struct{ head, turn string }{
	transcript.Anthropic: {"", `{"role": "user",  "content":"request N: a < b, \u00fcber \/ slash"}
		{"role":"assistant","content":[{"type":"tool_use","id":"aN","name":"Read","input":{"file_path":"src/fN.go" }},{"type":"tool_use","id":"bN","name":"Bash","input":{"command":"go test"}}]}
		{"role":"user","content":[{"type":"tool_result","tool_use_id":"aN","content":"FILL"},{"type":"tool_result","tool_use_id":"bN","content":"ok"}]}
		{ "content":"answer N" ,"role":"assistant"}`},
	transcript.OpenAIChat: {`{"role":"developer","content":"be \u0074erse"}`,
		`{"role": "user",  "content":"request N: a < b, \u00fcber \/ slash"}
		{"role":"assistant","content":null ,"tool_calls":[{"id":"aN","type":"function","function":{"name":"Read","arguments":"{\"file_path\": \"src/fN.go\"}"}},{"id":"bN","type":"function","function":{"name":"Bash","arguments":"{\"command\":\"go test\"}"}}]}
		{"role":"tool","content":"ok","tool_call_id":"bN"}
		{"role":"tool","tool_call_id":"aN","content":"FILL"}
		{ "content":"answer N" ,"role":"assistant","refusal":null}`},
	transcript.OpenAIResponses: {`{"role":"system","content":"be \u0074erse"}
		{"type":"compaction","encrypted_content":"opaque"}`, `{"role": "user",  "content":[{"type":"input_text","text":"request N: a < b, \u00fcber \/ slash"}]}
		{"type":"reasoning","id":"rs_N","summary":[ ],"encrypted_content":"xN"}
		{"type":"function_call","call_id":"aN","name":"Read","arguments":"{\"file_path\": \"src/fN.go\"}", "id":"fc_N"}
		{"type":"function_call","call_id":"bN","name":"Bash","arguments":"{\"command\":\"go test\"}"}
		{"type":"function_call_output","call_id":"bN","output":"ok"}
		{"type":"function_call_output","call_id":"aN","output":"FILL"}
		{"type":"message","id":"msg_N", "role":"assistant","content":[{"type":"output_text","text":"answer N"}]}`},
	transcript.Gemini: {"", `{"role": "user",  "parts":[{"text":"request N: a < b, \u00fcber \/ slash"}]}
		{"role":"model","parts":[{"functionCall":{"name":"Read","args":{"file_path":"src/fN.go" }},"thoughtSignature":"sN"},{"functionCall":{"name":"Bash","args":{"command":"go test"}}}]}
		{"role":"user","parts":[{"functionResponse":{"name":"Read","response":{"output":"FILL"}}},{"functionResponse":{"name":"Bash","response":{"output":"ok"}}}]}
		{ "parts":[{"text":"answer N"}] ,"role":"model"}`},
}

func formatTalk(f transcript.Format, n int) []json.RawMessage {
	var out []json.RawMessage
	add := func(lines string) {
		for line := range strings.Lines(lines) {
			if line = strings.TrimSpace(line); line != "" {
				out = append(out, json.RawMessage(line))
			}
		}
	}
	add(formatTalks[f].head)
	for i := range n {
		turn := strings.ReplaceAll(formatTalks[f].turn, "N", fmt.Sprint(i))
		add(strings.ReplaceAll(turn, "FILL", strings.Repeat(fmt.Sprintf(`line %d of <file> & more\n`, i), 40)))
	}
	return out
}

// Every format comes back in itself: recognised, spliced or whole, valid for its provider, with the
// messages that stay byte for byte, and its session continues when it is handed in again.
func TestEveryFormatIsCompactedAndComesBackInItself(t *testing.T) {
	for _, format := range transcript.Formats() {
		t.Run(string(format), func(t *testing.T) {
			f := newFixture(t, nil)
			conversation := formatTalk(format, 12)
			heads := len(formatTalk(format, 0)) // never summarized
			var spliced struct {
				Status  string
				Session string
				Splice  splice
			}
			text := callRaw(t, f, `{"messages":`+string(array(conversation))+`,"keep_turns":2,"return":"splice"}`)
			if err := json.Unmarshal([]byte(text), &spliced); err != nil || spliced.Status != "compacted" {
				t.Fatalf("%v in %s", err, text)
			}
			perTurn := len(formatTalk(format, 2)) - len(formatTalk(format, 1))
			if s := spliced.Splice; s.From != heads || s.To != len(conversation)-2*perTurn {
				t.Errorf("splice [%d,%d), want [%d,%d)", s.From, s.To, heads, len(conversation)-2*perTurn)
			}
			mine := slices.Concat(conversation[:spliced.Splice.From], []json.RawMessage{spliced.Splice.Message},
				conversation[spliced.Splice.To:])
			if err := transcript.Valid(format, rawBytes(mine)); err != nil {
				t.Errorf("the spliced conversation is not valid: %v", err)
			}
			var whole struct{ Messages []json.RawMessage }
			text = callRaw(t, f, `{"session":"`+spliced.Session+`","keep_turns":2,"return":"messages"}`)
			err := json.Unmarshal([]byte(text), &whole)
			if err != nil || !bytes.Equal(bytes.Join(rawBytes(whole.Messages), nil), bytes.Join(rawBytes(mine), nil)) {
				t.Errorf("the view is not what the splice makes, byte for byte (%v):\n%s\n%s", err, whole.Messages,
					mine)
			}
			next := slices.Concat(mine, formatTalk(format, 13)[len(conversation):])
			text = callRaw(t, f, `{"messages":`+string(array(next))+`,"return":"receipt"}`)
			contains(t, text, "session "+spliced.Session)
			list, err := f.local.Sessions(t.Context(), ledger.SessionsRequest{})
			if err != nil || list.Total != 1 {
				t.Errorf("%d sessions, %v", list.Total, err)
			}
		})
	}
}

// What is left out of the view, or joined in it, is still among the messages that the caller counts.
func TestSpliceCountsMessagesThatTheViewDoesNotShow(t *testing.T) {
	f := newFixture(t, nil)
	conversation := append(formatTalk(transcript.OpenAIChat, 12),
		json.RawMessage(`{"role":"tool","tool_call_id":"of no call","content":"x"}`),
		json.RawMessage(`{"role":"assistant","content":""}`))
	var r struct{ Splice splice }
	text := callRaw(t, f, `{"messages":`+string(array(conversation))+`,"keep_turns":2,"return":"splice"}`)
	if err := json.Unmarshal([]byte(text), &r); err != nil || r.Splice.To != 1+10*5 {
		t.Errorf("splice up to %d, want 51 (%v)", r.Splice.To, err)
	}
}

// Plain messages mean the same in every format: what follows them decides.
func TestPlainMessagesNeedNoFormat(t *testing.T) {
	plain := []json.RawMessage{
		json.RawMessage(`{"role":"user","content":"hi"}`), json.RawMessage(`{"role":"assistant","content":"Hello."}`),
	}
	for _, tt := range []struct {
		format transcript.Format
		next   []string
	}{
		{transcript.Anthropic, []string{`{"role":"user","content":"read a.go"}`,
			`{"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"Read","input":{"file_path":"a.go"}}]}`,
			`{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":"package a"}]}`}},
		{transcript.OpenAIChat, []string{`{"role":"user","content":"read a.go"}`,
			`{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"Read",` +
				`"arguments":"{\"file_path\":\"a.go\"}"}}]}`,
			`{"role":"tool","tool_call_id":"c1","content":"package a"}`}},
		{transcript.OpenAIResponses, []string{`{"role":"user","content":"read a.go"}`,
			`{"type":"function_call","call_id":"c1","name":"Read","arguments":"{\"file_path\":\"a.go\"}"}`,
			`{"type":"function_call_output","call_id":"c1","output":"package a"}`}},
	} {
		t.Run(string(tt.format), func(t *testing.T) {
			f := newFixture(t, nil)
			c := connect(t, f.Server, "tester")
			first, _ := do[compactResult](t, c, "compact_conversation", args{"messages": plain})
			whole := slices.Clone(plain)
			for _, m := range tt.next {
				whole = append(whole, json.RawMessage(m))
			}
			second, _ := do[compactResult](t, c, "compact_conversation", args{"messages": whole})
			if first.Session != second.Session || first.Status != statusNothing {
				t.Errorf("%+v, then %+v", first, second)
			}
			v, err := ledger.Messages(t.Context(), f.local, ledger.ViewRequest{Session: first.Session})
			if err != nil {
				t.Fatal(err)
			}
			var got, want []string
			for i, m := range v.Messages {
				got, want = append(got, string(m.JSON)), append(want, string(whole[i]))
			}
			if !slices.Equal(got, want) || v.Messages[len(v.Messages)-1].Format != tt.format {
				t.Errorf("the view is %q", got)
			}
			if err := transcript.Sendable(tt.format, rawBytes(whole)); err != nil {
				t.Error(err)
			}
		})
	}
}
