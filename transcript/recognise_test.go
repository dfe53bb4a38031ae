package transcript

import (
	"strings"
	"testing"

	"ctxledger.dev/internal/fault"
)

func TestRecognise(t *testing.T) {
	const plain = `{"role":"user","content":"hi"}`
	for _, tt := range []struct {
		name     string
		messages []string
		want     Format
		err      string
	}{
		{"blocks of Anthropic", []string{plain, `{"role":"assistant","content":[{"type":"tool_use","id":"1",` +
			`"name":"n","input":{}}]}`}, Anthropic, ""},
		{"a message object of Anthropic", []string{`{"id":"msg_1","type":"message","role":"assistant",` +
			`"content":[{"type":"text","text":"a"}]}`}, Anthropic, ""},
		{"calls of a chat", []string{plain, `{"role":"assistant","content":null,"tool_calls":[]}`}, OpenAIChat, ""},
		{"calls of a chat beside words", []string{`{"role":"assistant","content":"ok","tool_calls":[]}`}, OpenAIChat,
			""},
		{"results of a chat", []string{plain, `{"role":"tool","tool_call_id":"1","content":"x"}`}, OpenAIChat, ""},
		{"an image of a chat", []string{`{"role":"user","content":[{"type":"text","text":"a"},` +
			`{"type":"image_url","image_url":{"url":"u"}}]}`}, OpenAIChat, ""},
		{"a call among items", []string{plain, `{"type":"function_call","call_id":"1","name":"n","arguments":"{}"}`},
			OpenAIResponses, ""},
		{"a new item", []string{plain, `{"type":"dream","id":"d"}`}, OpenAIResponses, ""},
		{"a message among items", []string{`{"type":"message","role":"user","content":[{"type":"input_text",` +
			`"text":"a"}]}`}, OpenAIResponses, ""},
		{"contents", []string{`{"role":"user","parts":[{"text":"a"}]}`}, Gemini, ""},
		{"contents without a role", []string{`{"parts":[{"text":"a"}]}`}, Gemini, ""},
		{"plain texts", []string{plain}, Anthropic, ""},
		{"plain texts with a system message", []string{`{"role":"system","content":"s"}`, plain}, OpenAIChat, ""},
		{"blocks of text", []string{`{"role":"user","content":[{"type":"text","text":"a"}]}`}, Anthropic, ""},
		{"a block that is new", []string{`{"role":"user","content":[{"type":"smell"}]}`}, Anthropic, ""},
		{"a mixture", []string{`{"role":"user","parts":[]}`, plain}, "", "message 2 does not fit the messages " +
			"before it, or no known format"},
		{"no messages", nil, "", "no messages"},
		{"a user's message without content", []string{`{"role":"user"}`}, "", "message 1 does not fit the " +
			"messages before it, or no known format"},
		{"nothing of any format", []string{`{"a":1}`}, "", "message 1 does not fit the messages before it, or no " +
			"known format"},
		{"no JSON", []string{plain, `{`}, "", "message 2: byte 1: expected a member name"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Recognise(raws(tt.messages))
			if tt.err == "" {
				if err != nil || got != tt.want {
					t.Errorf("got %s, %v, want %s", got, err, tt.want)
				}
				return
			}
			if !fault.Is(err, fault.Invalid) || err.Error() != tt.err {
				t.Errorf("got  %v\nwant %s", err, tt.err)
			}
			if strings.Contains(err.Error(), "fit") && !strings.Contains(fault.HintOf(err), "name the format") {
				t.Errorf("the error %v has the hint %q", err, fault.HintOf(err))
			}
		})
	}
	if got, err := Recognise(raws([]string{plain}), Gemini, OpenAIChat); err != nil || got != OpenAIChat {
		t.Errorf("a likely format: %s, %v", got, err)
	}
}
