package scriptedmodel

import (
	"encoding/json"
	"net/http"
	"slices"
)

// chat is the chat completions API of OpenAI, which opencode and pi speak.
type chat struct{}

// chatRequest is a request of this dialect.
type chatRequest struct {
	Model    string `json:"model"`
	Stream   bool   `json:"stream"`
	Messages []struct {
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
	} `json:"messages"`
	Tools []struct {
		Function struct {
			Name string `json:"name"`
		} `json:"function"`
	} `json:"tools"`
}

func (chat) read(req *http.Request, body []byte) (*request, error) {
	var in chatRequest
	if err := json.Unmarshal(body, &in); err != nil {
		return nil, err
	}
	r := &request{Session: req.Header.Get("X-Session-Id"), Model: in.Model, Stream: in.Stream}
	for _, t := range in.Tools {
		r.Tools = append(r.Tools, tool{Name: t.Function.Name})
	}
	for i := len(in.Messages) - 1; i >= 0 && in.Messages[i].Role == "tool"; i-- {
		r.Results = append(r.Results, textOf(in.Messages[i].Content))
	}
	slices.Reverse(r.Results)
	if len(in.Tools) == 0 {
		r.Aside = title
	}
	return r, nil
}

func (chat) plain(r *reply) any {
	return event{"id": r.ID, "object": "chat.completion", "created": 0, "model": r.Model, "usage": chatUsage(r),
		"choices": []event{{"index": 0, "finish_reason": chatReason(r),
			"message": event{"role": "assistant", "content": r.text(), "tool_calls": chatCalls(r)}}}}
}

func (chat) stream(r *reply) []event {
	chunk := func(choices ...event) event {
		return event{"id": r.ID, "object": "chat.completion.chunk", "created": 0, "model": r.Model, "choices": choices}
	}
	choice := func(delta event, reason any) event {
		return chunk(event{"index": 0, "delta": delta, "finish_reason": reason})
	}
	out := []event{choice(event{"role": "assistant", "content": r.text()}, nil)}
	if calls := chatCalls(r); len(calls) > 0 {
		out = append(out, choice(event{"tool_calls": calls}, nil))
	}
	last := chunk([]event{}...)
	last["usage"] = chatUsage(r)
	return append(out, choice(event{}, chatReason(r)), last)
}

// chatCalls returns the tool calls of an answer.
func chatCalls(r *reply) []event {
	var out []event
	for i, c := range r.calls() {
		out = append(out, event{"index": i, "id": c.ID, "type": "function",
			"function": event{"name": c.Name, "arguments": string(c.Input)}})
	}
	return out
}

// chatReason says why the answer ends.
func chatReason(r *reply) string {
	if len(r.calls()) > 0 {
		return "tool_calls"
	}
	return "stop"
}

// chatUsage returns the figures of an answer.
func chatUsage(r *reply) event {
	return event{"prompt_tokens": r.Usage.input(), "completion_tokens": r.Usage.Output,
		"total_tokens":          r.Usage.input() + r.Usage.Output,
		"prompt_tokens_details": event{"cached_tokens": r.Usage.CacheRead}}
}
