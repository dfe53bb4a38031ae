package llm

import (
	"cmp"
	"context"
	"encoding/json"
	"strings"

	"ctxledger.dev/compaction"
	"ctxledger.dev/sessions"
)

// anthropicVersion is the version of the API that these structures follow.
const anthropicVersion = "2023-06-01"

// message is one message of a request, in both dialects.
type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

type anthropicRequest struct {
	Model     string    `json:"model"`
	MaxTokens int       `json:"max_tokens"`
	System    string    `json:"system,omitempty"`
	Messages  []message `json:"messages"`
	Stream    bool      `json:"stream"` // said although it is the default: some servers have another one
}

type anthropicAnswer struct {
	Model   string `json:"model"`
	Content []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	} `json:"content"`
	StopReason string `json:"stop_reason"`
	Usage      struct {
		Input      int64 `json:"input_tokens"`
		Output     int64 `json:"output_tokens"`
		CacheRead  int64 `json:"cache_read_input_tokens"`
		CacheWrite int64 `json:"cache_creation_input_tokens"`
	} `json:"usage"`
}

// errorAnswer is a refusal, in both dialects and in those of routers and frameworks.
type errorAnswer struct {
	Error   json.RawMessage `json:"error"`
	Message string          `json:"message"`
	Detail  string          `json:"detail"`
}

// askAnthropic speaks Anthropic Messages.
func (cl *Client) askAnthropic(ctx context.Context, p compaction.Prompt) (compaction.Reply, error) {
	key, err := cl.key(ctx)
	if err != nil {
		return compaction.Reply{}, err
	}
	header := map[string]string{"anthropic-version": anthropicVersion}
	if key != "" {
		header["x-api-key"] = key
	}
	var a anthropicAnswer
	body := anthropicRequest{Model: cl.c.Model, MaxTokens: p.Output, System: p.System,
		Messages: []message{{"user", p.Text}}}
	if err := cl.post(ctx, request{endpoint(cl.c.URL, "/v1", "/messages"), header, key, p, body}, &a); err != nil {
		return compaction.Reply{}, err
	}
	r := compaction.Reply{
		Model: a.Model, Cut: a.StopReason == "max_tokens",
		Usage: sessions.Usage{Input: credible(a.Usage.Input), Output: credible(a.Usage.Output),
			CacheRead: credible(a.Usage.CacheRead), CacheWrite: credible(a.Usage.CacheWrite)},
	}
	var texts []string
	for _, b := range a.Content {
		if b.Type == "text" {
			texts = append(texts, b.Text)
		}
	}
	r.Text = strings.Join(texts, "\n\n")
	return r, cl.whole(r, a.StopReason, p)
}

// endpoint joins a server's address and a path; version is put between them where the address names
// none.
func endpoint(address, version, path string) string {
	address = strings.TrimRight(address, "/")
	address = strings.TrimSuffix(address, path)
	if i := strings.Index(address, "://"); i >= 0 && !strings.Contains(address[i+3:], "/") {
		address += version
	}
	return address + path
}

// saidInError returns the message of a refusal: both dialects, and servers that have only a text there.
func saidInError(answer []byte) string {
	var e errorAnswer
	if json.Unmarshal(answer, &e) != nil {
		return ""
	}
	if e.Error == nil || string(e.Error) == "null" {
		return cmp.Or(e.Message, e.Detail)
	}
	var text string
	if json.Unmarshal(e.Error, &text) == nil {
		return text
	}
	var detail struct {
		Type    string `json:"type"`
		Message string `json:"message"`
		Code    any    `json:"code"`
	}
	if json.Unmarshal(e.Error, &detail) != nil {
		return ""
	}
	if code, ok := detail.Code.(string); ok && code != "" && !strings.Contains(detail.Message, code) {
		return detail.Message + " (" + code + ")"
	}
	return detail.Message
}

// maxUsage is more than any request uses, in tokens: what a server says beyond that is no figure to book.
const maxUsage = 100_000_000

// credible is what a server says that it used, within what can be.
func credible(n int64) int64 { return min(max(0, n), maxUsage) }
