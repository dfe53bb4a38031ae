package transcript

import (
	"bytes"
	"maps"
	"slices"

	"ctxledger.dev/internal/fault"
)

func editAnthropic(raw []byte, e Edits) ([]byte, error) {
	a, err := readAnthropic(raw)
	if err != nil {
		return nil, err
	}
	added, err := buildBlocks(e.AddResults)
	if err != nil {
		return nil, err
	}
	drop := a.dropped(e)
	if len(added) == 0 && len(drop) > 0 && !slices.Contains(drop, false) {
		return nil, nil
	}
	splices, err := a.replaceResults(e.Results, drop)
	if err != nil {
		return nil, err
	}
	shorter, err := a.shorten(e, drop)
	if err != nil {
		return nil, err
	}
	splices = append(splices, shorter...)
	spans := make([]Span, len(a.blocks))
	for i, b := range a.blocks {
		spans[i] = b.at
	}
	splices = append(splices, without(spans, drop)...)
	if len(added) > 0 {
		splices = append(splices, a.insert(added, drop))
	}
	return apply(raw, splices), nil
}

// buildBlocks writes parts as blocks with commas between them.
func buildBlocks(parts []Part) ([]byte, error) {
	blocks := make([][]byte, len(parts))
	for i, p := range parts {
		b, err := buildBlock(p)
		if err != nil {
			return nil, err
		}
		blocks[i] = b
	}
	return bytes.Join(blocks, []byte(",")), nil
}

// dropped says which blocks go. Where a call goes, reasoning that would then end the message goes
// with it: the provider refuses a message that ends in reasoning.
func (a anthropicMessage) dropped(e Edits) []bool {
	drop := make([]bool, len(a.blocks))
	seen := map[string]int{}
	calls := false
	for i, b := range a.blocks {
		switch b.part.Kind {
		case KindCall:
			drop[i] = e.DropCalls[b.part.ID]
			calls = calls || drop[i]
		case KindResult:
			keep, named := e.KeepResults[b.part.ID]
			drop[i] = named && seen[b.part.ID] >= keep
			seen[b.part.ID]++
		}
	}
	for i := len(drop) - 1; calls && i >= 0; i-- {
		if !drop[i] && a.blocks[i].part.Kind != KindReasoning {
			break
		}
		drop[i] = true
	}
	return drop
}

// replaceResults returns the splices that put texts in the place of results.
func (a anthropicMessage) replaceResults(texts map[string]string, drop []bool) ([]splice, error) {
	var out []splice
	missing := maps.Clone(texts)
	for i, b := range a.blocks {
		text, named := texts[b.part.ID]
		if b.part.Kind != KindResult || !named {
			continue
		}
		delete(missing, b.part.ID)
		if drop[i] || b.part.Sealed {
			continue
		}
		splices, err := b.replaceText(quote(text))
		if err != nil {
			return nil, err
		}
		out = append(out, splices...)
	}
	if len(missing) > 0 {
		id := slices.Min(slices.Collect(maps.Keys(missing)))
		return nil, fault.New(fault.NotFound, op, "the message has no result of call %s", id)
	}
	return out, nil
}

// shorten returns the splices of what e.Shorten changes. Reasoning is signed, and stays.
func (a anthropicMessage) shorten(e Edits, drop []bool) ([]splice, error) {
	if e.Shorten == nil {
		return nil, nil
	}
	if lit := a.src[a.content.From:a.content.To]; lit[0] == '"' {
		if text, changed := e.Shorten(Part{Kind: KindText, Text: unquote(lit)}); changed {
			return []splice{{a.content, quote(text)}}, nil
		}
		return nil, nil
	}
	var out []splice
	for i, b := range a.blocks {
		if _, stands := e.Results[b.part.ID]; drop[i] || b.part.Sealed || stands && b.part.Kind == KindResult {
			continue
		}
		splices, err := b.shorten(e.Shorten)
		if err != nil {
			return nil, err
		}
		out = append(out, splices...)
	}
	return out, nil
}

// shorten returns the splices that a block's text, result or arguments take.
func (b anthropicBlock) shorten(shorten func(Part) (string, bool)) ([]splice, error) {
	switch b.part.Kind {
	case KindText, KindResult, KindCall:
	default:
		return nil, nil
	}
	text, changed := shorten(b.part)
	switch {
	case !changed:
		return nil, nil
	case b.part.Kind == KindResult:
		return b.replaceText(quote(text))
	case b.part.Kind == KindText:
		return []splice{{b.get("text"), quote(text)}}, nil
	}
	at := b.get("input")
	if at.Empty() {
		return nil, nil // a call without arguments has none to shorten
	}
	return []splice{{at, []byte(text)}}, nil
}

// replaceText returns the splices that put a string literal in the place of a result's text: of its
// string, or of its first text block, while the other text blocks go and the rest stays.
func (b anthropicBlock) replaceText(literal []byte) ([]splice, error) {
	at := b.get("content")
	switch b.first(at) {
	case 0:
		end := b.at.To - 1
		return []splice{{Span{end, end}, append([]byte(`,"content":`), literal...)}}, nil
	case '[':
	default:
		return []splice{{at, literal}}, nil
	}
	inner, err := readInner(b.src, at)
	if err != nil {
		return nil, err
	}
	var out []splice
	spans, drop := make([]Span, len(inner)), make([]bool, len(inner))
	for i, in := range inner {
		spans[i] = in.at
		if in.typ != "text" {
			continue
		}
		if drop[i] = out != nil; !drop[i] {
			out = append(out, splice{in.get("text"), literal})
		}
	}
	if out == nil {
		block := textBlock(literal)
		if len(inner) > 0 {
			block = append(block, ',')
		}
		return []splice{{Span{at.From + 1, at.From + 1}, block}}, nil
	}
	return append(out, without(spans, drop)...), nil
}

// insert returns the splice that puts blocks behind the message's last own result, or in front of
// everything else: results come first.
func (a anthropicMessage) insert(blocks []byte, drop []bool) splice {
	if lit := a.src[a.content.From:a.content.To]; lit[0] == '"' {
		out := append([]byte{'['}, blocks...)
		if len(lit) > 2 {
			out = append(append(out, ','), textBlock(lit)...)
		}
		return splice{a.content, append(out, ']')}
	}
	first, result := -1, -1
	for i, b := range a.blocks {
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
		at := a.blocks[result].at.To
		return splice{Span{at, at}, append([]byte{','}, blocks...)}
	case first >= 0:
		at := a.blocks[first].at.From
		return splice{Span{at, at}, append(blocks, ',')}
	}
	at := a.content.From + 1
	return splice{Span{at, at}, blocks}
}
