package scriptedmodel

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// event is the data of one server-sent event: its type and whatever belongs to it.
type event map[string]any

// sendStream writes the answer as server-sent events.
func sendStream(w http.ResponseWriter, r *reply) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-cache")
	for _, e := range r.events() {
		data, _ := json.Marshal(e) // built by us from plain fields: cannot fail
		fmt.Fprintf(w, "event: %s\ndata: %s\n\n", e["type"], data)
	}
}

// events returns the answer as the events of a stream. Each block starts empty and is filled by
// deltas, which is what agents insist on.
func (r *reply) events() []event {
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
