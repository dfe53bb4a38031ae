package proxy

import (
	"cmp"
	"encoding/json"

	"ctxledger.dev/agents/sessionfile"
	"ctxledger.dev/sessions"
)

// content takes in an answer of Gemini, or a chunk of a stream: both are written the same.
func (a *answer) content(raw []byte) {
	var c struct {
		ID         string          `json:"responseId"`
		Model      string          `json:"modelVersion"`
		Usage      json.RawMessage `json:"usageMetadata"`
		Candidates []struct {
			Index   int    `json:"index"`
			Finish  string `json:"finishReason"`
			Content struct {
				Parts []json.RawMessage `json:"parts"`
			} `json:"content"`
		} `json:"candidates"`
	}
	if json.Unmarshal(raw, &c) != nil {
		return
	}
	a.Reply, a.Model = cmp.Or(c.ID, a.Reply), cmp.Or(c.Model, a.Model)
	a.geminiUsage(c.Usage)
	for _, x := range c.Candidates {
		if x.Index > 0 {
			continue
		}
		a.geminiParts(x.Content.Parts)
		a.whole = a.whole || x.Finish != ""
	}
}

// geminiUsage takes in a usage: that of a later chunk replaces it.
func (a *answer) geminiUsage(raw json.RawMessage) {
	var input, cached, tools, output, thoughts int64
	sessionfile.Reported(raw, map[string]*int64{
		"promptTokenCount": &input, "cachedContentTokenCount": &cached, "toolUsePromptTokenCount": &tools,
		"candidatesTokenCount": &output, "thoughtsTokenCount": &thoughts, "totalTokenCount": nil,
	}, partOf)
	if input+output > 0 {
		cached = min(cached, input)
		a.Measure(sessions.Usage{Input: input - cached + tools, CacheRead: cached, Output: output + thoughts,
			Reasoning: thoughts})
	}
}

// geminiParts adds parts to the answer. Pieces of a text become one part.
func (a *answer) geminiParts(parts []json.RawMessage) {
	for _, raw := range parts {
		at := len(a.blocks)
		text, plain := onlyText(raw)
		switch {
		case !plain:
			a.begin(at, raw)
		case at > 0 && a.blocks[at-1].head == nil:
			a.add(at-1, "text", text)
		default:
			a.add(at, "text", text)
		}
	}
}

// onlyText returns the text of a part that has nothing else.
func onlyText(raw json.RawMessage) (text string, ok bool) {
	var p map[string]json.RawMessage
	return text, json.Unmarshal(raw, &p) == nil && len(p) == 1 && json.Unmarshal(p["text"], &text) == nil
}

// finishContent makes the message of the parts that have come.
func (a *answer) finishContent() {
	parts := []any{}
	for _, b := range a.blocks {
		if b.head != nil {
			parts = append(parts, b.head)
		} else {
			parts = append(parts, map[string]string{"text": b.of("text")})
		}
	}
	a.say(map[string]any{"role": "model", "parts": parts})
}
