package transcript

import (
	"bytes"
	"maps"
	"slices"
	"strings"

	"ctxledger.dev/internal/fault"
)

// How a message is edited that is an array of blocks, one for each of its parts: Anthropic's and
// Gemini's are.

// blockMessage is such a message, taken apart into spans.
type blockMessage struct {
	node
	role    string
	content Span    // of the array; of Anthropic's it may be a string
	blocks  []block // of the array
}

// block is one block of the array.
type block struct {
	node
	part   Part
	data   Span // of a text its literal, of a call its arguments, if it has any
	signed bool // by the provider, with a text: it stays as it is
}

// parts returns the blocks in the neutral model.
func (m blockMessage) parts() []Part {
	parts := make([]Part, len(m.blocks))
	for i, b := range m.blocks {
		parts[i] = b.part
	}
	return parts
}

// replacer returns the splices that put a string literal in the place of a result's text.
type replacer func(b block, literal []byte) ([]splice, error)

// edit returns the message with the edits; nil if nothing of it stays.
func (m blockMessage) edit(e Edits, result func(Part) []byte, replace replacer) ([]byte, error) {
	added, err := built(e.AddResults, result)
	if err != nil {
		return nil, err
	}
	parts := m.parts()
	drop := dropped(parts, e)
	if len(added) == 0 && len(drop) > 0 && !slices.Contains(drop, false) {
		return nil, nil
	}
	splices, err := m.replaceResults(drop, e.Results, replace)
	if err != nil {
		return nil, err
	}
	shorter, err := m.shorten(e, drop, replace)
	if err != nil {
		return nil, err
	}
	spans := make([]Span, len(m.blocks))
	for i, b := range m.blocks {
		spans[i] = b.at
	}
	splices = append(append(splices, shorter...), without(spans, drop)...)
	if len(added) > 0 {
		splices = append(splices, m.insert(added, spans, drop))
	}
	return apply(m.src, splices), nil
}

// shorten returns the splices of what e.Shorten changes. What is signed stays.
func (m blockMessage) shorten(e Edits, drop []bool, replace replacer) (out []splice, err error) {
	if e.Shorten == nil {
		return nil, nil
	}
	if m.first(m.content) == '"' {
		if text, changed := e.Shorten(Part{Kind: KindText, Text: m.text(m.content)}); changed {
			out = []splice{{m.content, quote(text)}}
		}
		return out, nil
	}
	for i, b := range m.blocks {
		kind := b.part.Kind
		if _, replaced := e.Results[b.part.ID]; drop[i] || b.signed || b.part.Sealed || replaced && kind == KindResult {
			continue
		}
		if kind != KindText && kind != KindResult && kind != KindCall {
			continue
		}
		text, changed := e.Shorten(b.part)
		switch {
		case !changed:
		case kind == KindText:
			out = append(out, splice{b.data, quote(text)})
		case kind == KindResult:
			splices, err := replace(b, quote(text))
			if err != nil {
				return nil, err
			}
			out = append(out, splices...)
		case !b.data.Empty(): // a call without arguments has none to shorten
			out = append(out, splice{b.data, []byte(text)})
		}
	}
	return out, nil
}

// mergeBlocks joins messages of one speaker: results first, then the other blocks in order.
func mergeBlocks(raws [][]byte, read func(raw []byte) (blockMessage, error), speaker func(role string) string) ([]byte,
	error) {
	var head blockMessage
	var results, rest [][]byte
	for i, raw := range raws {
		m, err := read(raw)
		if err != nil {
			return nil, fault.New(fault.Invalid, op, "record %d: %v", i, err)
		}
		if i == 0 {
			head = m
		}
		if speaker(m.role) != speaker(head.role) {
			return nil, fault.New(fault.Invalid, op, "record %d has role %q, the first one %q", i, m.role, head.role)
		}
		if lit := m.content.In(raw); lit[0] == '"' && len(lit) > 2 {
			rest = append(rest, textBlock("text", lit))
		}
		for _, b := range m.blocks {
			if b.part.Kind == KindResult && !b.part.Sealed {
				results = append(results, b.at.In(raw))
			} else {
				rest = append(rest, b.at.In(raw))
			}
		}
	}
	blocks := bytes.Join(append(results, rest...), []byte(","))
	return apply(raws[0], []splice{{head.content, joined("[", string(blocks), "]")}}), nil
}

// dropped says which blocks go. Where a call goes, reasoning that would then end the message goes
// with it: the provider refuses a message that ends in reasoning.
func dropped(parts []Part, e Edits) []bool {
	drop := make([]bool, len(parts))
	seen := map[string]int{}
	calls := false
	for i, p := range parts {
		switch p.Kind {
		case KindCall:
			drop[i] = e.DropCalls[p.ID]
			calls = calls || drop[i]
		case KindResult:
			keep, named := e.KeepResults[p.ID]
			drop[i] = named && seen[p.ID] >= keep
			seen[p.ID]++
		}
	}
	for i, p := range parts {
		drop[i] = drop[i] || e.TextOnly && !p.says()
	}
	for i := len(drop) - 1; calls && i >= 0; i-- {
		if !drop[i] && parts[i].Kind != KindReasoning {
			break
		}
		drop[i] = true
	}
	return drop
}

// says reports whether a part is a text that says something.
func (p Part) says() bool { return p.Kind == KindText && strings.TrimSpace(p.Text) != "" }

// replaceResults returns the splices that put texts in the place of results.
func (m blockMessage) replaceResults(drop []bool, texts map[string]string, replace replacer) ([]splice, error) {
	var out []splice
	missing := maps.Clone(texts)
	for i, b := range m.blocks {
		p := b.part
		text, named := texts[p.ID]
		if p.Kind != KindResult || !named {
			continue
		}
		delete(missing, p.ID)
		if drop[i] || p.Sealed {
			continue
		}
		splices, err := replace(b, quote(text))
		if err != nil {
			return nil, err
		}
		out = append(out, splices...)
	}
	return out, notThere(missing)
}

// insert returns the splice that puts blocks into the array, which are at spans: behind its last result that
// stays, or in front of everything else, since results come first.
func (m blockMessage) insert(blocks []byte, spans []Span, drop []bool) splice {
	if lit := m.content.In(m.src); lit[0] == '"' {
		out := append([]byte{'['}, blocks...)
		if len(lit) > 2 {
			out = append(append(out, ','), textBlock("text", lit)...)
		}
		return splice{m.content, append(out, ']')}
	}
	first, result := -1, -1
	for i, b := range m.blocks {
		if drop[i] {
			continue
		}
		if first < 0 {
			first = i
		}
		if b.part.Kind == KindResult {
			result = i
		}
	}
	switch {
	case result >= 0:
		at := spans[result].To
		return splice{emptyAt(at), append([]byte{','}, blocks...)}
	case first >= 0:
		at := spans[first].From
		return splice{emptyAt(at), append(slices.Clip(blocks), ',')}
	}
	at := m.content.From + 1
	return splice{emptyAt(at), blocks}
}
