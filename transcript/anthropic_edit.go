package transcript

import (
	"slices"

	"ctxledger.dev/internal/jsonspan"
)

func editAnthropic(raw []byte, e Edits) ([]byte, error) {
	a, err := readAnthropic(raw)
	if err != nil {
		return nil, err
	}
	added, err := buildParts(e.AddResults, buildBlock)
	if err != nil {
		return nil, err
	}
	drop := dropped(a.parts(), e)
	if len(added) == 0 && len(drop) > 0 && !slices.Contains(drop, false) {
		return nil, nil
	}
	splices, err := replaceResults(a.parts(), drop, e.Results, func(i int, literal []byte) ([]splice, error) {
		return a.blocks[i].replaceText(literal)
	})
	if err != nil {
		return nil, err
	}
	shorter, err := a.shorten(e, drop)
	if err != nil {
		return nil, err
	}
	splices = append(splices, shorter...)
	splices = append(splices, without(a.spans(), drop)...)
	if len(added) > 0 {
		splices = append(splices, a.insert(added, drop))
	}
	return apply(raw, splices), nil
}

// shorten returns the splices of what e.Shorten changes. Reasoning is signed, and stays.
func (a anthropicMessage) shorten(e Edits, drop []bool) ([]splice, error) {
	if e.Shorten == nil {
		return nil, nil
	}
	if lit := a.content.In(a.src); lit[0] == '"' {
		if text, changed := e.Shorten(Part{Kind: KindText, Text: jsonspan.Unquote(lit)}); changed {
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

// replaceText returns the splices that put a string literal in the place of a result's text.
func (b anthropicBlock) replaceText(literal []byte) ([]splice, error) {
	return replaceText(b.node, "content", "text", literal)
}

// insert returns the splice that puts blocks behind the message's last own result, or in front of
// everything else: results come first.
func (a anthropicMessage) insert(added []byte, drop []bool) splice {
	if lit := a.content.In(a.src); lit[0] == '"' {
		out := append([]byte{'['}, added...)
		if len(lit) > 2 {
			out = append(append(out, ','), textBlock("text", lit)...)
		}
		return splice{a.content, append(out, ']')}
	}
	return insert(added, a.content, a.spans(), a.parts(), drop)
}

// spans returns where the blocks stand.
func (a anthropicMessage) spans() []Span {
	spans := make([]Span, len(a.blocks))
	for i, b := range a.blocks {
		spans[i] = b.at
	}
	return spans
}

// parts returns the parts that the blocks are.
func (a anthropicMessage) parts() []Part {
	parts := make([]Part, len(a.blocks))
	for i, b := range a.blocks {
		parts[i] = b.part
	}
	return parts
}
