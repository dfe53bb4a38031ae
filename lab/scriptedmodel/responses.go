package scriptedmodel

import (
	"encoding/json"
	"net/http"
	"slices"
)

// responses is the Responses API of OpenAI, which Codex speaks.
type responses struct{}

// responsesRequest is a request of this dialect.
type responsesRequest struct {
	Model  string `json:"model"`
	Stream bool   `json:"stream"`
	Input  []struct {
		Type   string          `json:"type"`
		Output json.RawMessage `json:"output"`
	} `json:"input"`
	Tools []struct {
		Type  string `json:"type"`
		Name  string `json:"name"`
		Tools []struct {
			Name string `json:"name"`
		} `json:"tools"`
	} `json:"tools"`
}

func (responses) read(req *http.Request, body []byte) (*request, error) {
	var in responsesRequest
	if err := json.Unmarshal(body, &in); err != nil {
		return nil, err
	}
	r := &request{Session: req.Header.Get("Session-Id"), Model: in.Model, Stream: in.Stream}
	for _, t := range in.Tools {
		if t.Type != "namespace" {
			r.Tools = append(r.Tools, tool{Name: t.Name})
		}
		for _, inner := range t.Tools {
			r.Tools = append(r.Tools, tool{Name: inner.Name, Space: t.Name})
		}
	}
	for i := len(in.Input) - 1; i >= 0 && in.Input[i].Type == "function_call_output"; i-- {
		r.Results = append(r.Results, textOf(in.Input[i].Output))
	}
	slices.Reverse(r.Results)
	if len(in.Tools) == 0 {
		r.Aside = title
	}
	return r, nil
}

func (responses) plain(r *reply) any { return response(r, "completed", items(r)) }

func (responses) stream(r *reply) []event {
	out := []event{{"type": "response.created", "response": response(r, "in_progress", []event{})}}
	for i, item := range items(r) {
		out = append(out, event{"type": "response.output_item.added", "output_index": i, "item": item},
			event{"type": "response.output_item.done", "output_index": i, "item": item})
	}
	out = append(out, event{"type": "response.completed", "response": response(r, "completed", items(r))})
	for i := range out {
		out[i]["sequence_number"] = i
	}
	return out
}

// response returns the frame around the items of an answer.
func response(r *reply, status string, items []event) event {
	return event{"id": r.ID, "object": "response", "created_at": 0, "status": status, "model": r.Model, "output": items,
		"usage": event{"input_tokens": r.Usage.input(), "output_tokens": r.Usage.Output,
			"total_tokens":          r.Usage.input() + r.Usage.Output,
			"input_tokens_details":  event{"cached_tokens": r.Usage.CacheRead},
			"output_tokens_details": event{"reasoning_tokens": 0}}}
}

// items returns what an answer says and calls.
func items(r *reply) []event {
	var out []event
	if text := r.text(); text != "" {
		out = append(out, event{"type": "message", "id": r.ID, "role": "assistant", "status": "completed",
			"content": []event{{"type": "output_text", "text": text, "annotations": []event{}}}})
	}
	for _, c := range r.calls() {
		item := event{"type": "function_call", "id": c.ID, "call_id": c.ID, "name": c.Name, "arguments": string(c.Input),
			"status": "completed"}
		if c.space != "" {
			item["namespace"] = c.space
		}
		out = append(out, item)
	}
	return out
}
