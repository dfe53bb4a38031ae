package llm

import (
	"context"

	"ctxledger.dev/compaction"
	"ctxledger.dev/sessions"
)

// openaiRequest is a request for a chat completion. OpenAI itself bounds the answer by
// max_completion_tokens, everybody else still by max_tokens.
type openaiRequest struct {
	Model         string    `json:"model"`
	Messages      []message `json:"messages"`
	MaxTokens     int       `json:"max_tokens,omitempty"`
	MaxCompletion int       `json:"max_completion_tokens,omitempty"`
}

type openaiAnswer struct {
	Model   string `json:"model"`
	Choices []struct {
		Message struct {
			Content string `json:"content"`
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
	if cl.c.URL == openaiURL {
		body.MaxCompletion = p.Output
	} else {
		body.MaxTokens = p.Output
	}
	var a openaiAnswer
	if err := cl.post(ctx, request{endpoint(cl.c.URL, "/v1", "/chat/completions"), header, key, p, body}, &a); err != nil {
		return compaction.Reply{}, err
	}
	cached := min(atLeast0(a.Usage.Details.Cached), atLeast0(a.Usage.Prompt))
	r := compaction.Reply{
		Model: a.Model,
		Usage: sessions.Usage{Input: atLeast0(a.Usage.Prompt) - cached, Output: atLeast0(a.Usage.Completion), CacheRead: cached},
	}
	finish := ""
	if len(a.Choices) > 0 {
		finish = a.Choices[0].FinishReason
		r.Text, r.Cut = a.Choices[0].Message.Content, finish == "length"
	}
	return r, cl.whole(r, finish, p)
}
