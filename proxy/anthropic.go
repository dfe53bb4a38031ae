package proxy

import (
	"encoding/json"

	"ctxledger.dev/agents/claudecode"
	"ctxledger.dev/agents/sessionfile"
)

// anthropicMessage is an answer of the Messages API, or what a stream says of it at its beginning.
type anthropicMessage struct {
	ID      string          `json:"id"`
	Model   string          `json:"model"`
	Content json.RawMessage `json:"content"`
	Usage   json.RawMessage `json:"usage"`
}

// message takes in an answer of the Messages API.
func (a *answer) message(raw []byte) {
	var m anthropicMessage
	if json.Unmarshal(raw, &m) != nil || m.ID == "" {
		return
	}
	a.Reply, a.Model, a.whole = m.ID, m.Model, true
	a.measure(m.Usage)
	a.say(map[string]any{"role": "assistant", "content": m.Content})
}

// measure takes in a report of the usage: a later one knows more.
func (a *answer) measure(usage json.RawMessage) {
	if len(usage) == 0 {
		return
	}
	now := sessionfile.Answer{Model: a.Model}
	claudecode.Measure(&now, usage)
	a.Usage, a.Bill = now.Usage.After(a.Usage), now.Bill.After(a.Bill)
}

// messageEvent takes in an event of a stream of the Messages API.
func (a *answer) messageEvent(raw []byte) {
	var e struct {
		Type    string            `json:"type"`
		Message *anthropicMessage `json:"message"`
		Index   int               `json:"index"`
		Block   json.RawMessage   `json:"content_block"`
		Usage   json.RawMessage   `json:"usage"`
		Delta   struct {
			Text      string `json:"text"`
			JSON      string `json:"partial_json"`
			Thinking  string `json:"thinking"`
			Signature string `json:"signature"`
		} `json:"delta"`
	}
	if json.Unmarshal(raw, &e) != nil {
		return
	}
	switch e.Type {
	case "message_start":
		if e.Message != nil {
			a.Reply, a.Model = e.Message.ID, e.Message.Model
			a.measure(e.Message.Usage)
		}
	case "content_block_start":
		a.begin(e.Index, e.Block)
	case "content_block_delta":
		a.add(e.Index, "text", e.Delta.Text)
		a.add(e.Index, "input", e.Delta.JSON)
		a.add(e.Index, "thinking", e.Delta.Thinking)
		a.add(e.Index, "signature", e.Delta.Signature)
	case "message_delta":
		a.measure(e.Usage)
	case "message_stop":
		a.whole = true
	}
}

// finishMessage makes the message of the blocks that have come.
func (a *answer) finishMessage() {
	content := []map[string]json.RawMessage{}
	for _, b := range a.blocks {
		var c map[string]json.RawMessage
		if json.Unmarshal(b.head, &c) != nil || c == nil {
			continue
		}
		for _, name := range []string{"text", "thinking", "signature"} {
			if text := b.of(name); text != "" {
				c[name], _ = json.Marshal(text) // a text
			}
		}
		if input := b.of("input"); json.Valid([]byte(input)) {
			c["input"] = json.RawMessage(input)
		}
		content = append(content, c)
	}
	a.say(map[string]any{"role": "assistant", "content": content})
}
