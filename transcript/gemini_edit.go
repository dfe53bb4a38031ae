package transcript

import (
	"bytes"
	"slices"

	"ctxledger.dev/internal/fault"
)

func editGemini(raw []byte, e Edits) ([]byte, error) {
	c, err := readGemini(raw)
	if err != nil {
		return nil, err
	}
	c.rename(e.IDs)
	added, err := buildParts(e.AddResults, buildGeminiPart)
	if err != nil {
		return nil, err
	}
	parts := c.parts()
	drop := dropped(parts, e)
	if len(added) == 0 && len(drop) > 0 && !slices.Contains(drop, false) {
		return nil, nil
	}
	splices, err := replaceResults(parts, drop, e.Results, func(i int, literal []byte) ([]splice, error) {
		return c.all[i].replaceText(literal)
	})
	if err != nil {
		return nil, err
	}
	shorter, err := c.shorten(e, drop)
	if err != nil {
		return nil, err
	}
	splices = append(append(splices, shorter...), without(c.spans(), drop)...)
	if len(added) > 0 {
		splices = append(splices, insert(added, c.array, c.spans(), parts, drop))
	}
	return apply(raw, splices), nil
}

// rename gives the calls and results of a content the ids by which edits name them.
func (c geminiContent) rename(ids []string) {
	m := Message{Parts: c.parts()}
	Identify(&m, ids)
	for i := range c.all {
		c.all[i].part.ID = m.Parts[i].ID
	}
}

// replaceText returns the splices that put a literal in the place of a result's text.
func (p geminiPart) replaceText(literal []byte) ([]splice, error) {
	n, err := readNode(p.src, p.data, "functionResponse")
	if err != nil {
		return nil, err
	}
	at := n.get("response")
	if at.Empty() {
		end := n.at.To - 1
		return []splice{{emptyAt(end), joined(`,"response":`, string(response(literal, false)))}}, nil
	}
	text, _, err := readObject(p.src, at)
	if err != nil {
		return nil, err
	}
	if !text.Empty() {
		return []splice{{text, literal}}, nil
	}
	return []splice{{at, response(literal, p.part.IsError)}}, nil
}

// shorten returns the splices of what e.Shorten changes. What is signed stays.
func (c geminiContent) shorten(e Edits, drop []bool) ([]splice, error) {
	if e.Shorten == nil {
		return nil, nil
	}
	var out []splice
	for i, p := range c.all {
		if _, stands := e.Results[p.part.ID]; drop[i] || p.signed || p.part.Sealed || stands && p.part.Kind == KindResult {
			continue
		}
		splices, err := p.shorten(e.Shorten)
		if err != nil {
			return nil, err
		}
		out = append(out, splices...)
	}
	return out, nil
}

func (p geminiPart) shorten(shorten func(Part) (string, bool)) ([]splice, error) {
	switch p.part.Kind {
	case KindText, KindResult, KindCall:
	default:
		return nil, nil
	}
	text, changed := shorten(p.part)
	switch {
	case !changed:
		return nil, nil
	case p.part.Kind == KindText:
		return []splice{{p.data, quote(text)}}, nil
	case p.part.Kind == KindResult:
		return p.replaceText(quote(text))
	}
	n, err := readNode(p.src, p.data, "functionCall")
	at := n.get("args")
	if err != nil || at.Empty() {
		return nil, err
	}
	return []splice{{at, []byte(text)}}, nil
}

// mergeGemini joins contents of one role: results first, then the other parts in order.
func mergeGemini(raws [][]byte) ([]byte, error) {
	var head geminiContent
	var results, rest [][]byte
	for i, raw := range raws {
		c, err := readGemini(raw)
		if err != nil {
			return nil, fault.New(fault.Invalid, op, "record %d: %v", i, err)
		}
		if i == 0 {
			head = c
		}
		if (c.role == "model") != (head.role == "model") {
			return nil, fault.New(fault.Invalid, op, "record %d has role %q, the first one %q", i, c.role, head.role)
		}
		for _, p := range c.all {
			part := p.at.In(raw)
			if p.part.Kind == KindResult && !p.part.Sealed {
				results = append(results, part)
			} else {
				rest = append(rest, part)
			}
		}
	}
	parts := bytes.Join(append(results, rest...), []byte(","))
	return apply(raws[0], []splice{{head.array, joined("[", string(parts), "]")}}), nil
}
