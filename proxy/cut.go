package proxy

import (
	"bytes"
	"slices"

	"ctxledger.dev/ledger"
	"ctxledger.dev/transcript"
)

// cut is where a view begins after a compaction: its summary takes the place of all messages from the first answer on up to the
// first that is kept. What comes before the first answer stays: the agent has put its context there.
type cut struct {
	message []byte   // with the summary
	kept    []*piece // the first messages behind it, as the ledger has them, up to one that has calls
	begins  *piece   // the first message of the request that it was first sent with, once a provider takes that
	before  *cut     // the one that it takes the place of, until then; nil: none
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
			if len(p.parts) > 0 { // else it is nothing that a request can be searched for
				c.kept = append(c.kept, p)
			}
			if p.call() != "" {
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

// has reports whether a message has one of the parts of another one. Calls are made once, but texts may be said again: they
// count only if the other one has nothing else.
func (p *piece) has(other *piece) bool {
	named := other.call() != ""
	for _, a := range p.parts {
		for _, b := range other.parts {
			if a.ID == b.ID && a.Kind == b.Kind && !(named && a.Kind == transcript.KindText) {
				return true
			}
		}
	}
	return false
}

// replaced returns which messages something else takes the place of, those from first on before kept, and that: none where a
// request does not have what the cut keeps. Then its agent has compacted it, or it is another conversation.
func (v *view) replaced() (first, kept int, by []byte) {
	c := v.cut
	if c == nil {
		return 0, 0, nil
	}
	first, kept = c.bounds(v.order)
	begin, instead := v.order[0], c.instead(v.order, first, kept)
	switch {
	case c.begins == nil &&
		(first == kept && c.before != nil || first < kept && !v.sendable(instead, first, kept)):
		v.cut = c.before
		return v.replaced()
	case first == kept, c.begins != nil && c.begins != begin && !begin.has(c.begins):
		return 0, 0, nil
	default:
		c.begins, c.before = begin, nil
		return first, kept, bytes.Join(instead, []byte(","))
	}
}

// instead returns what is sent in place of messages: the summary, and after it those that define a tool which the model looked
// up (providers resolve its name there), the calls that they answer, and the reasoning before these calls.
func (c *cut) instead(order []*piece, first, kept int) [][]byte {
	var out [][]byte
	looked := map[string]bool{} // the calls that looked for tools
	for _, p := range order[first:kept] {
		for _, x := range p.parts {
			looked[x.ID] = looked[x.ID] || p.defines && x.Kind == transcript.KindResult
		}
	}
	stays := false
	for _, p := range slices.Backward(order[first:kept]) {
		stays = slices.ContainsFunc(p.parts, func(x transcript.Part) bool { return looked[x.ID] }) || p.defines ||
			stays && p.sealed && len(p.parts) == 0
		if stays {
			out = append(out, p.bytes())
		}
	}
	slices.Reverse(out)
	return append([][]byte{c.message}, out...)
}

// bounds returns where the cut is: its messages are equal if it is nowhere.
func (c *cut) bounds(order []*piece) (first, kept int) {
	kept = len(order) - 1
	// The last one has a call, which is nowhere else. Agents join messages of one role.
	for i := len(c.kept) - 1; i >= 0; i-- {
		for kept >= 0 && !order[kept].has(c.kept[i]) {
			kept--
		}
		if kept < 0 {
			return 0, 0
		}
	}
	for kept > 0 && order[kept].role == transcript.RoleAssistant && order[kept-1].role == transcript.RoleAssistant {
		kept-- // to the beginning of the answer: reasoning stays with what it led to
	}
	for first < len(order) && order[first].role != transcript.RoleAssistant {
		first++
	}
	if first >= kept {
		return 0, 0
	}
	return first, kept
}

// sendable reports whether a provider takes what a view is sent as. Messages of the system are not looked at: agents put them
// anywhere.
func (v *view) sendable(instead [][]byte, first, kept int) bool {
	var messages [][]byte
	for i, p := range v.order {
		switch {
		case i == first && kept > first:
			messages = append(messages, instead...)
		case i > first && i < kept || p.role == transcript.RoleSystem:
		default:
			messages = append(messages, p.bytes())
		}
	}
	return transcript.Sendable(v.format, messages) == nil
}
