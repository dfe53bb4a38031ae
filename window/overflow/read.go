package overflow

import "encoding/json"

// Read makes a Response of what a server sent: status (0: not known) and body. Of an answer that succeeded it
// takes why the model stopped and what was used, in the names of any provider, and not its words, which may
// quote anything. What is not a JSON object, or an error, stays in Body.
func Read(status int, body []byte) Response {
	r := Response{Status: status, Body: body}
	var a answer
	if status >= 300 || json.Unmarshal(body, &a) != nil || !a.succeeded() {
		return r
	}
	r.Body, r.Finish, r.Usage = nil, a.finish(), a.usage()
	if r.Status == 0 {
		r.Status = 200
	}
	return r
}

// answer is what is read of a successful answer of any provider.
type answer struct {
	Error   json.RawMessage `json:"error"`
	Type    string          `json:"type"`
	Stop    string          `json:"stop_reason"` // Anthropic
	Done    string          `json:"done_reason"` // Ollama
	Status  string          `json:"status"`      // OpenAI responses
	Details struct {
		Reason string `json:"reason"`
	} `json:"incomplete_details"`
	Choices []struct {
		Finish string `json:"finish_reason"`
	} `json:"choices"`
	Candidates []struct {
		Finish string `json:"finishReason"`
	} `json:"candidates"`
	Usage *struct {
		Prompt     int `json:"prompt_tokens"`
		Completion int `json:"completion_tokens"`
		Input      int `json:"input_tokens"` // of OpenAI the cached ones included, of Anthropic not
		Output     int `json:"output_tokens"`
		CacheRead  int `json:"cache_read_input_tokens"`
		CacheWrite int `json:"cache_creation_input_tokens"`
	} `json:"usage"`
	Gemini *struct {
		Prompt int `json:"promptTokenCount"` // the cached ones included
		Output int `json:"candidatesTokenCount"`
	} `json:"usageMetadata"`
	Evaluated *int `json:"prompt_eval_count"` // Ollama
	Generated int  `json:"eval_count"`
}

// succeeded reports whether it is an answer, and no error in an answer's place.
func (a *answer) succeeded() bool {
	failed := len(a.Error) > 0 && string(a.Error) != "null" || a.Type == "error" || a.Status == "failed"
	return !failed && (a.usage() != nil || a.finish() != "")
}

// finish returns why the model stopped, "" where it does not say.
func (a *answer) finish() string {
	for _, c := range a.Choices {
		if c.Finish != "" {
			return c.Finish
		}
	}
	for _, c := range a.Candidates {
		if c.Finish != "" {
			return c.Finish
		}
	}
	for _, s := range []string{a.Stop, a.Done, a.Details.Reason} {
		if s != "" {
			return s
		}
	}
	return ""
}

// usage returns what was used, nil where it does not say. Negative numbers are none.
func (a *answer) usage() *Usage {
	u := Usage{}
	switch {
	case a.Usage != nil:
		u = Usage{Input: a.Usage.Prompt + a.Usage.Input, CacheRead: a.Usage.CacheRead, CacheWrite: a.Usage.CacheWrite,
			Output: a.Usage.Completion + a.Usage.Output}
	case a.Gemini != nil:
		u = Usage{Input: a.Gemini.Prompt, Output: a.Gemini.Output}
	case a.Evaluated != nil:
		u = Usage{Input: *a.Evaluated, Output: a.Generated}
	default:
		return nil
	}
	if u.Input < 0 || u.Output < 0 || u.CacheRead < 0 || u.CacheWrite < 0 {
		return nil
	}
	return &u
}
