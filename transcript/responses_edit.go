package transcript

import "slices"

func editItem(raw []byte, e Edits) ([]byte, error) {
	it, err := readItem(raw)
	if err != nil {
		return nil, err
	}
	if err := addsNothing(e); err != nil {
		return nil, err
	}
	if e.TextOnly && !slices.ContainsFunc(it.parts, Part.says) {
		return nil, nil
	}
	if it.output != "" {
		return editResult(raw, it.parts[0], e, it.replaceOutput)
	}
	if err := notThere(e.Results); err != nil {
		return nil, err
	}
	if len(it.parts) == 1 && it.parts[0].Kind == KindCall {
		return it.editCall(e), nil
	}
	if e.Shorten == nil || it.typ != "" && it.typ != itemMessage {
		return raw, nil
	}
	splices, err := shortenContent(it.node, e.Shorten)
	return apply(raw, splices), err
}

// replaceOutput returns the splices that put a literal in the place of a result's text.
func (it *item) replaceOutput(literal []byte) ([]splice, error) {
	switch {
	case it.typ == itemShell:
		_, splices, err := it.shellOutput(literal)
		return splices, err
	case it.first(it.get(it.output)) == '{':
		return nil, nil // a picture of the screen has no text
	}
	return replaceText(it.node, it.output, "input_text", literal)
}

// editCall edits a call; nothing is left of one that is dropped.
func (it *item) editCall(e Edits) []byte {
	p := it.parts[0]
	switch {
	case p.Sealed:
		return it.src
	case e.DropCalls[p.ID]:
		return nil
	case e.Shorten == nil || it.args.Empty():
		return it.src
	}
	text, changed := e.Shorten(p)
	if !changed {
		return it.src
	}
	return apply(it.src, []splice{{it.args, openaiShorter(it.src, it.args, p.Args, text)}})
}
