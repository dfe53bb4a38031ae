package scriptedmodel

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
)

// block is a content block of an answer. The fields of the other types stay empty.
type block struct {
	Type      string          `json:"type"`
	Thinking  *string         `json:"thinking,omitempty"`
	Signature *string         `json:"signature,omitempty"`
	Text      *string         `json:"text,omitempty"`
	ID        string          `json:"id,omitempty"`
	Name      string          `json:"name,omitempty"`
	Input     json.RawMessage `json:"input,omitempty"`

	space string // the namespace of the tool, in dialects that have one
}

// usage holds the token figures of an answer. The three input figures add up to the request.
type usage struct {
	Input         int `json:"input_tokens"`
	CacheCreation int `json:"cache_creation_input_tokens"`
	CacheRead     int `json:"cache_read_input_tokens"`
	Output        int `json:"output_tokens"`
}

// reply is a whole answer, as the Messages API sends it without streaming. The other dialects rewrite it.
type reply struct {
	ID           string  `json:"id"`
	Type         string  `json:"type"`
	Role         string  `json:"role"`
	Model        string  `json:"model"`
	Content      []block `json:"content"`
	StopReason   *string `json:"stop_reason"`
	StopSequence *string `json:"stop_sequence"`
	Usage        usage   `json:"usage"`
}

// bytesPerToken turns bytes into the estimated tokens of usage figures.
const bytesPerToken = 4

// freshTokens is the part of a request that is charged as uncached: the few tokens after the last
// cache mark.
const freshTokens = 4

// newReply returns the answer to r that makes step, whose number in session (the key of its
// state) decides its ids. cached is the size in tokens of the session's previous request.
func newReply(r *request, session string, number int, step Step, vars Vars) (*reply, error) {
	out := &reply{ID: madeID("msg_", session, number, 0), Type: "message", Role: "assistant", Model: r.Model,
		Content: []block{}}
	if step.Think != "" {
		thinking, signature := vars.text(step.Think), madeID("", session, number, -1)
		out.Content = append(out.Content, block{Type: "thinking", Thinking: &thinking, Signature: &signature})
	}
	if step.Text != "" {
		text := vars.text(step.Text)
		out.Content = append(out.Content, block{Type: "text", Text: &text})
	}
	for i, call := range step.Calls {
		tool, err := r.tool(call.Tool)
		if err != nil {
			return nil, err
		}
		input, err := json.Marshal(vars.fill(call.Input))
		if err != nil {
			return nil, fmt.Errorf("input of %s: %w", call.Tool, err)
		}
		out.Content = append(out.Content, block{Type: "tool_use", ID: madeID("toolu_", session, number, i+1),
			Name: tool.Name, Input: input, space: tool.Space})
	}
	reason := "end_turn"
	if len(step.Calls) > 0 {
		reason = "tool_use"
	}
	out.StopReason = &reason
	return out, nil
}

// estimate fills in the usage figures of an answer to a request of size bytes, of which cached
// tokens were sent before. It returns the tokens of the request.
func (r *reply) estimate(size, cached int) int {
	total := size / bytesPerToken
	content, _ := json.Marshal(r.Content) // built by us from plain fields: cannot fail
	r.Usage = usage{Input: min(freshTokens, total), CacheRead: min(cached, max(0, total-freshTokens)),
		Output: 1 + len(content)/bytesPerToken}
	r.Usage.CacheCreation = total - r.Usage.Input - r.Usage.CacheRead
	return total
}

// text returns the text of the answer.
func (r *reply) text() string {
	var b strings.Builder
	for _, c := range r.Content {
		if c.Text != nil {
			b.WriteString(*c.Text)
		}
	}
	return b.String()
}

// calls returns the tool calls of the answer.
func (r *reply) calls() []block {
	var out []block
	for _, c := range r.Content {
		if c.Type == "tool_use" {
			out = append(out, c)
		}
	}
	return out
}

// input returns the tokens of the request.
func (u usage) input() int { return u.Input + u.CacheCreation + u.CacheRead }

// madeID returns an id that looks like the real service's and depends on its arguments alone.
func madeID(prefix, session string, step, part int) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %d %d", session, step, part))
	return prefix + "01" + hex.EncodeToString(sum[:11])
}
