package proxy

import (
	"bytes"

	"ctxledger.dev/ledger"
	"ctxledger.dev/transcript"
)

// cut is where a view begins after a compaction: its summary takes the place of all messages from the first answer on up to the
// first that is kept. What comes before the first answer stays: the agent has put its context there.
type cut struct {
	message []byte   // with the summary
	kept    []*piece // the first messages behind it, as the ledger has them, up to one that has calls
	begins  *piece   // the first message of the request that it was first sent with, once a provider takes that
}

// cutOf returns the cut that a view has; nil: none.
func (v *view) cutOf(seen ledger.ViewResponse) *cut {
	var c *cut
	for _, m := range seen.Messages {
		switch {
		case seen.Summary != "" && m.ID == seen.Summary:
			c = &cut{message: m.JSON}
		case c != nil:
			p := v.pieceOf(m.JSON)
			if c.kept = append(c.kept, p); p.call() != "" {
				return c
			}
		}
	}
	return nil // what is kept cannot be found in a request without a call
}

// call returns the id of the first call that a message makes or answers; "": none.
func (p *piece) call() string {
	for _, x := range p.parts {
		if x.Kind != transcript.KindText {
			return x.ID
		}
	}
	return ""
}

// has reports whether a message has one of the parts of another one.
func (p *piece) has(other *piece) bool {
	for _, a := range p.parts {
		for _, b := range other.parts {
			if a.ID == b.ID && a.Kind == b.Kind {
				return true
			}
		}
	}
	return false
}

// replaced returns which messages a summary replaces, those from first on before kept, and the summary: none where a request
// does not have what the cut keeps. Then its agent has compacted it, or it is another conversation.
func (v *view) replaced() (first, kept int, summary []byte) {
	c := v.cut
	if c == nil {
		return 0, 0, nil
	}
	first, kept = c.bounds(v.order)
	switch begin := v.order[0]; {
	case first == kept, c.begins != nil && c.begins != begin && !begin.has(c.begins):
		return 0, 0, nil
	case c.begins == nil && (loses(v.order[first:kept]) || !sendable(v.order, c.message, first, kept)):
		v.cut = nil
		return 0, 0, nil
	default:
		c.begins = begin
		return first, kept, c.message
	}
}

// bounds returns where the cut is: its messages are equal if it is nowhere.
func (c *cut) bounds(order []*piece) (first, kept int) {
	kept = len(order)
	for i := len(c.kept) - 1; i >= 0; i-- { // the last one has a call, which is nowhere else
		for kept--; kept >= 0 && !order[kept].has(c.kept[i]); kept-- {
		}
		if kept < 0 {
			return 0, 0
		}
	}
	for first < len(order) && order[first].role != transcript.RoleAssistant {
		first++
	}
	if first >= kept {
		return 0, 0
	}
	return first, kept
}

// loses reports whether messages have what no summary can replace.
func loses(order []*piece) bool {
	for _, p := range order {
		// The definition of a tool that the model has looked for, and what only the provider can read.
		if bytes.Contains(p.raw, []byte(`"tool_reference"`)) || p.compacted {
			return true
		}
	}
	return false
}

// sendable reports whether a provider takes what a view is sent as. Messages of the system are not looked at: agents put them
// anywhere.
func sendable(order []*piece, summary []byte, first, kept int) bool {
	var messages [][]byte
	for i, p := range order {
		switch {
		case i == first && kept > first:
			messages = append(messages, summary)
		case i > first && i < kept || p.role == transcript.RoleSystem:
		case p.out != nil:
			messages = append(messages, p.out)
		default:
			messages = append(messages, p.raw)
		}
	}
	return transcript.Sendable(transcript.Anthropic, messages) == nil
}
