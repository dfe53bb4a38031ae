package proxy

import (
	"cmp"
	"encoding/json"
	"strconv"
	"strings"

	"ctxledger.dev/agents/sessionfile"
	"ctxledger.dev/sessions"
)

// openAIUsage takes in a usage of the chat or the responses API: the input has those tokens that were cached, the output
// those of reasoning.
func (a *answer) openAIUsage(raw json.RawMessage, tier string) {
	var input, cached, hit, written, output, reasoned int64
	a.Counters = sessionfile.Reported(raw, map[string]*int64{
		"prompt_tokens": &input, "input_tokens": &input, "completion_tokens": &output, "output_tokens": &output,
		"prompt_tokens_details.cached_tokens": &cached, "input_tokens_details.cached_tokens": &cached,
		"input_tokens_details.cache_write_tokens": &written, "prompt_tokens_details.cache_write_tokens": &written,
		"prompt_cache_hit_tokens": &hit, "prompt_cache_miss_tokens": nil, "total_tokens": nil,
		"completion_tokens_details.reasoning_tokens": &reasoned, "output_tokens_details.reasoning_tokens": &reasoned,
	}, partOf)
	if cached = cmp.Or(cached, hit); input+output == 0 {
		return
	}
	cached = min(cached, input)
	written = min(written, input-cached)
	u := sessions.Usage{Input: input - cached - written, CacheRead: cached, CacheWrite: written, Output: output,
		Reasoning: min(reasoned, output)}
	a.Measure(u, tier)
}

// partOf knows all numbers of a report that are not counted: they are parts of others, or no tokens.
func partOf(_, value []byte) bool { return value[0] != '{' }

// chatCall is a tool call of the chat API, or a piece of one.
type chatCall struct {
	Index    int    `json:"index"`
	ID       string `json:"id"`
	Function struct {
		Name string `json:"name"`
		Args string `json:"arguments"`
	} `json:"function"`
}

// completion takes in an answer of the chat API, or a chunk of a stream.
func (a *answer) completion(raw []byte) {
	if string(raw) == "[DONE]" {
		a.whole = true
		return
	}
	var c struct {
		ID      string          `json:"id"`
		Model   string          `json:"model"`
		Tier    string          `json:"service_tier"`
		Usage   json.RawMessage `json:"usage"`
		Choices []struct {
			Index   int             `json:"index"`
			Message json.RawMessage `json:"message"`
			Finish  string          `json:"finish_reason"`
			Delta   struct {
				Content string     `json:"content"`
				Refusal string     `json:"refusal"`
				Calls   []chatCall `json:"tool_calls"`
			} `json:"delta"`
		} `json:"choices"`
	}
	if json.Unmarshal(raw, &c) != nil {
		return
	}
	a.Reply, a.Model = cmp.Or(a.Reply, c.ID), cmp.Or(a.Model, c.Model)
	if len(c.Usage) > 0 {
		a.openAIUsage(c.Usage, c.Tier)
	}
	for _, x := range c.Choices {
		if x.Index > 0 {
			continue // agents ask for one
		}
		if len(x.Message) > 0 {
			a.said, a.whole = append(a.said, x.Message), true
		}
		a.add(0, "content", x.Delta.Content+x.Delta.Refusal)
		for _, call := range x.Delta.Calls {
			a.add(call.Index+1, "id", call.ID)
			a.add(call.Index+1, "name", call.Function.Name)
			a.add(call.Index+1, "arguments", call.Function.Args)
		}
		a.whole = a.whole || x.Finish != ""
	}
}

// finishCompletion makes the message of the chunks that have come.
func (a *answer) finishCompletion() {
	message := map[string]any{"role": "assistant", "content": nil}
	if text := a.blocks[0].of("content"); text != "" {
		message["content"] = text
	}
	var calls []map[string]any
	for i, b := range a.blocks[1:] {
		if name := b.of("name"); name != "" {
			calls = append(calls, map[string]any{"id": cmp.Or(b.of("id"), "call_"+strconv.Itoa(i)), "type": "function",
				"function": map[string]string{"name": name, "arguments": b.of("arguments")}})
		}
	}
	if calls != nil {
		message["tool_calls"] = calls
	}
	a.say(message)
}

// openAIResponse is an answer of the responses API.
type openAIResponse struct {
	ID     string            `json:"id"`
	Model  string            `json:"model"`
	Tier   string            `json:"service_tier"`
	Usage  json.RawMessage   `json:"usage"`
	Output []json.RawMessage `json:"output"`
}

// response takes in an answer of the responses API.
func (a *answer) response(raw []byte) {
	var r openAIResponse
	if json.Unmarshal(raw, &r) != nil || r.ID == "" {
		return
	}
	a.Reply, a.Model, a.whole = r.ID, r.Model, true
	if a.openAIUsage(r.Usage, r.Tier); len(r.Output) > 0 {
		a.said = r.Output
	}
}

// responseEvent takes in an event of a stream of the responses API.
func (a *answer) responseEvent(raw []byte) {
	var e struct {
		Type     string          `json:"type"`
		Item     json.RawMessage `json:"item"`
		Response json.RawMessage `json:"response"`
	}
	if json.Unmarshal(raw, &e) != nil {
		return
	}
	switch {
	case e.Type == "response.output_item.done" && len(e.Item) > 0:
		a.said = append(a.said, e.Item)
	case e.Type == "response.completed" || e.Type == "response.incomplete" || e.Type == "response.failed":
		a.response(e.Response)
	case strings.HasPrefix(e.Type, "response.created"):
		var r openAIResponse
		if json.Unmarshal(e.Response, &r) == nil {
			a.Reply, a.Model = r.ID, r.Model
		}
	}
}
