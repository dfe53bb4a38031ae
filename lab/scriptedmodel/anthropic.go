package scriptedmodel

import (
	"encoding/json"
	"net/http"
	"strings"
)

// The headers by which Claude Code names a conversation and a subagent inside it.
const (
	sessionHeader  = "X-Claude-Code-Session-Id"
	subagentHeader = "X-Claude-Code-Agent-Id"
)

// anthropic is the Messages API.
type anthropic struct{}

// anthropicRequest is a request of this dialect.
type anthropicRequest struct {
	Model     string             `json:"model"`
	MaxTokens int                `json:"max_tokens"`
	Stream    bool               `json:"stream"`
	Messages  []anthropicMessage `json:"messages"`
	Tools     []struct {
		Name string `json:"name"`
	} `json:"tools"`
}

// anthropicMessage is a message whose content is a string or a list of blocks.
type anthropicMessage struct {
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
}

func (anthropic) read(req *http.Request, body []byte) (*request, error) {
	var in anthropicRequest
	if err := json.Unmarshal(body, &in); err != nil {
		return nil, err
	}
	r := &request{Session: req.Header.Get(sessionHeader), Helper: req.Header.Get(subagentHeader), Model: in.Model,
		Stream: in.Stream}
	for _, t := range in.Tools {
		r.Tools = append(r.Tools, tool{Name: t.Name})
	}
	user := in.lastUser()
	r.Results = toolResults(user)
	r.Aside = in.aside(textOf(user))
	return r, nil
}

// lastUser returns the content of the last user message, or nothing.
func (in *anthropicRequest) lastUser() json.RawMessage {
	for i := len(in.Messages) - 1; i >= 0; i-- {
		if in.Messages[i].Role == "user" {
			return in.Messages[i].Content
		}
	}
	return nil
}

// toolResults returns the texts of the tool results in content.
func toolResults(content json.RawMessage) []string {
	var blocks []struct {
		Type    string          `json:"type"`
		Content json.RawMessage `json:"content"`
	}
	if json.Unmarshal(content, &blocks) != nil {
		return nil
	}
	var out []string
	for _, b := range blocks {
		if b.Type == "tool_result" {
			out = append(out, textOf(b.Content))
		}
	}
	return out
}

// compactionPrompt is how Claude Code's request for a summary begins.
const compactionPrompt = "CRITICAL: Respond with TEXT ONLY"

// aside returns the answer to a request that is not the next one of the main conversation. The main conversation is the
// only one that offers tools and allows tokens for an answer.
func (in *anthropicRequest) aside(user string) string {
	switch {
	case strings.HasPrefix(strings.TrimSpace(user), compactionPrompt):
		return "<analysis>The scripted model read the conversation.</analysis>" +
			"<summary>The work so far is summarised here by the scripted model.</summary>"
	case in.MaxTokens == 1:
		return "#"
	case len(in.Tools) == 0:
		return title
	default:
		return ""
	}
}

func (anthropic) plain(r *reply) any { return r }

// stream returns the events of an answer. Each block starts empty and is filled by deltas, which is what agents insist on.
func (anthropic) stream(r *reply) []event {
	start := *r
	start.Content, start.StopReason, start.Usage.Output = []block{}, nil, 1
	out := []event{{"type": "message_start", "message": &start}}
	for i, b := range r.Content {
		empty, deltas := b.deltas()
		out = append(out, event{"type": "content_block_start", "index": i, "content_block": empty})
		for _, delta := range deltas {
			out = append(out, event{"type": "content_block_delta", "index": i, "delta": delta})
		}
		out = append(out, event{"type": "content_block_stop", "index": i})
	}
	return append(out,
		event{"type": "message_delta", "usage": r.Usage,
			"delta": event{"stop_reason": r.StopReason, "stop_sequence": nil}},
		event{"type": "message_stop"})
}

// deltas returns the block without its contents, and the contents as deltas.
func (b block) deltas() (block, []event) {
	var none string
	switch b.Type {
	case "thinking":
		return block{Type: b.Type, Thinking: &none, Signature: &none}, []event{
			{"type": "thinking_delta", "thinking": *b.Thinking},
			{"type": "signature_delta", "signature": *b.Signature},
		}
	case "tool_use":
		return block{Type: b.Type, ID: b.ID, Name: b.Name, Input: json.RawMessage("{}")},
			[]event{{"type": "input_json_delta", "partial_json": string(b.Input)}}
	default:
		return block{Type: b.Type, Text: &none}, []event{{"type": "text_delta", "text": *b.Text}}
	}
}
