package transcript

import (
	"maps"
	"slices"

	"ctxledger.dev/internal/fault"
)

func editChat(raw []byte, e Edits) ([]byte, error) {
	c, err := readChat(raw)
	if err != nil {
		return nil, err
	}
	if err := addsNothing(e); err != nil {
		return nil, err
	}
	if e.TextOnly {
		return c.onlyText()
	}
	if c.isResult() {
		p, err := c.result()
		if err != nil {
			return nil, err
		}
		if len(e.IDs) == 1 {
			p.ID = e.IDs[0]
		}
		return editResult(raw, p, e, func(literal []byte) ([]splice, error) {
			return replaceText(c.node, "content", "text", literal)
		})
	}
	if err := notThere(e.Results); err != nil {
		return nil, err
	}
	c.rename(e.IDs)
	splices, left, err := c.dropCalls(e.DropCalls)
	if err != nil || !left {
		return nil, err
	}
	if e.Shorten != nil {
		shorter, err := shortenContent(c.node, e.Shorten)
		if err != nil {
			return nil, err
		}
		splices = append(append(splices, shorter...), c.shortenCalls(e)...)
	}
	return apply(raw, splices), nil
}

// onlyText removes everything but the texts from a message: blocks of its content, and other members of the
// message with content.
func (c chatMessage) onlyText() ([]byte, error) {
	parts, err := c.parts()
	if err != nil || c.isResult() || !slices.ContainsFunc(parts, Part.says) {
		return nil, err
	}
	splices := c.take("tool_calls", "function_call", "reasoning_content", "reasoning", "reasoning_details", "audio")
	at := c.get("content")
	if c.first(at) != '[' {
		return apply(c.src, splices), nil
	}
	inner, err := readInner(c.src, at)
	if err != nil {
		return nil, err
	}
	spans, drop := make([]Span, len(inner)), make([]bool, len(inner))
	for i, in := range inner {
		spans[i], drop[i] = in.at, in.typ != "refusal" && !Part{Kind: KindText, Text: in.text}.says()
	}
	return apply(c.src, append(splices, without(spans, drop)...)), nil
}

// rename gives the calls of a message the ids by which edits name them.
func (c chatMessage) rename(ids []string) {
	if len(ids) != len(c.calls) {
		return
	}
	for i := range c.calls {
		c.calls[i].part.ID = ids[i]
	}
}

// addsNothing refuses results that would have to be messages of their own.
func addsNothing(e Edits) error {
	if len(e.AddResults) > 0 {
		return fault.New(fault.Invalid, op, "in this format a result is a message of its own: it cannot be added "+
			"to another one")
	}
	return nil
}

// editResult edits a message that is one result. replace returns the splices that put a literal in the
// place of its text.
func editResult(src []byte, p Part, e Edits, replace func(literal []byte) ([]splice, error)) ([]byte, error) {
	missing := maps.Clone(e.Results)
	delete(missing, p.ID)
	if err := notThere(missing); err != nil {
		return nil, err
	}
	if keep, named := e.KeepResults[p.ID]; named && keep <= 0 {
		return nil, nil
	}
	text, changed := e.Results[p.ID]
	if !changed && e.Shorten != nil {
		text, changed = e.Shorten(p)
	}
	if !changed {
		return src, nil
	}
	splices, err := replace(quote(text))
	return apply(src, splices), err
}

// dropCalls returns the splices that take calls out, and whether anything is left that can be sent:
// reasoning alone cannot.
func (c chatMessage) dropCalls(drop map[string]bool) (splices []splice, left bool, err error) {
	spans, gone := make([]Span, len(c.calls)), make([]bool, len(c.calls))
	for i, call := range c.calls {
		spans[i], gone[i] = call.at, drop[call.part.ID]
	}
	switch {
	case !slices.Contains(gone, true):
		return nil, true, nil
	case slices.Contains(gone, false):
		return without(spans, gone), true, nil
	}
	parts, err := c.parts()
	left = slices.ContainsFunc(parts, func(p Part) bool {
		return p.Kind != KindReasoning && p.Kind != KindCall && !(p.Kind == KindText && p.Text == "")
	})
	return c.take("tool_calls", legacyCall), left, err
}

// shortenCalls returns the splices of arguments that are shown otherwise.
func (c chatMessage) shortenCalls(e Edits) []splice {
	var out []splice
	for _, call := range c.calls {
		if e.DropCalls[call.part.ID] || call.args.Empty() {
			continue
		}
		if text, changed := e.Shorten(call.part); changed {
			out = append(out, splice{call.args, openaiShorter(c.src, call.args, call.part.Args, text)})
		}
	}
	return out
}
