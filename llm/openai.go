package llm

import (
	"context"
	"encoding/json"

	"ctxledger.dev/compaction"
	"ctxledger.dev/config"
	"ctxledger.dev/sessions"
)

// openaiRequest is a request for a chat completion. OpenAI itself bounds the answer by
// max_completion_tokens, everybody else still by max_tokens.
type openaiRequest struct {
	Model         string    `json:"model"`
	Messages      []message `json:"messages"`
	MaxTokens     int       `json:"max_tokens,omitempty"`
	MaxCompletion int       `json:"max_completion_tokens,omitempty"`
	Stream        bool      `json:"stream"`
}

type openaiAnswer struct {
	Model   string `json:"model"`
	Choices []struct {
		Message struct {
			Content texts  `json:"content"`
			Refusal string `json:"refusal"`
		} `json:"message"`
		FinishReason string `json:"finish_reason"`
	} `json:"choices"`
	Usage struct {
		Prompt     int64 `json:"prompt_tokens"`
		Completion int64 `json:"completion_tokens"`
		Details    struct {
			Cached int64 `json:"cached_tokens"`
		} `json:"prompt_tokens_details"`
	} `json:"usage"`
}

// texts is a content: a string, nothing, or, of some servers, a list of parts whose texts count.
type texts string

// UnmarshalJSON implements json.Unmarshaler.
func (t *texts) UnmarshalJSON(raw []byte) error {
	if len(raw) == 0 || raw[0] != '[' {
		return json.Unmarshal(raw, (*string)(t))
	}
	var parts []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	if err := json.Unmarshal(raw, &parts); err != nil {
		return err
	}
	for _, p := range parts {
		if p.Type == "text" || p.Type == "" {
			*t += texts(p.Text)
		}
	}
	return nil
}

// askOpenAI speaks chat completions.
func (cl *Client) askOpenAI(ctx context.Context, p compaction.Prompt) (compaction.Reply, error) {
	key, err := cl.key(ctx)
	if err != nil {
		return compaction.Reply{}, err
	}
	header := map[string]string{}
	if key != "" {
		header["Authorization"] = "Bearer " + key
	}
	body := openaiRequest{Model: cl.c.Model, Messages: []message{{"system", p.System}, {"user", p.Text}}}
	if cl.c.URL == config.OpenAIURL {
		body.MaxCompletion = p.Output
	} else {
		body.MaxTokens = p.Output
	}
	var a openaiAnswer
	req := request{endpoint(cl.c.URL, "/v1", "/chat/completions"), header, key, p, body}
	if err := cl.post(ctx, req, &a); err != nil {
		return compaction.Reply{}, err
	}
	cached := min(credible(a.Usage.Details.Cached), credible(a.Usage.Prompt))
	r := compaction.Reply{
		Model: a.Model,
		Usage: sessions.Usage{Input: credible(a.Usage.Prompt) - cached, Output: credible(a.Usage.Completion),
			CacheRead: cached},
	}
	finish := ""
	if len(a.Choices) > 0 {
		finish = a.Choices[0].FinishReason
		r.Text, r.Cut = string(a.Choices[0].Message.Content), finish == "length"
		if r.Text == "" && a.Choices[0].Message.Refusal != "" {
			finish = "refusal"
		}
	}
	return r, cl.whole(r, finish, p)
}
