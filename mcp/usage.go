package mcp

import (
	"cmp"

	"ctxledger.dev/sessions"
)

// usage is what a provider reported of an answer, in the form of any of them, of the programs that call it, or of ours.
type usage struct {
	sessions.Usage

	Anthropic  int64 `json:"input_tokens"` // OpenAI's responses as well, which have what was cached in it
	Output     int64 `json:"output_tokens"`
	CacheRead  int64 `json:"cache_read_input_tokens"`
	CacheWrite int64 `json:"cache_creation_input_tokens"`

	Prompt       int64 `json:"prompt_tokens"`
	Completion   int64 `json:"completion_tokens"`
	Chat         parts `json:"prompt_tokens_details"`
	Responses    parts `json:"input_tokens_details"`
	ChatOut      parts `json:"completion_tokens_details"`
	ResponsesOut parts `json:"output_tokens_details"`

	Gemini       int64 `json:"promptTokenCount"`
	Candidates   int64 `json:"candidatesTokenCount"`
	GeminiCached int64 `json:"cachedContentTokenCount"`

	Camel    int64 `json:"inputTokens"`
	CamelOut int64 `json:"outputTokens"`
}

// parts is what OpenAI says of the input that it has in its cache, and of the output that was reasoning.
type parts struct {
	Tokens   int64 `json:"cached_tokens"`
	Reasoned int64 `json:"reasoning_tokens"`
}

// measured returns the usage as the ledger has it; nil: nothing was reported.
func (u usage) measured() *sessions.Usage {
	within := u.Chat.Tokens + u.Responses.Tokens + u.GeminiCached // which the input includes
	m := u.Usage
	m.Input = cmp.Or(m.Input, u.Anthropic, u.Prompt, u.Gemini, u.Camel) - within
	m.Output = cmp.Or(m.Output, u.Output, u.Completion, u.Candidates, u.CamelOut)
	m.Reasoning = min(cmp.Or(m.Reasoning, u.ChatOut.Reasoned, u.ResponsesOut.Reasoned), m.Output)
	m.CacheRead = cmp.Or(m.CacheRead, u.CacheRead, within)
	m.CacheWrite = cmp.Or(m.CacheWrite, u.CacheWrite)
	if m == (sessions.Usage{}) || min(m.Input, m.Output, m.CacheRead, m.CacheWrite, m.Reasoning) < 0 {
		return nil
	}
	return &m
}
