package transcript

import (
	"encoding/json"
	"strings"
)

// What chat completions and responses of OpenAI have in common.

// openaiRole is the neutral role: a developer's message is what a system's was before.
func openaiRole(role string) Role {
	if role == "developer" {
		return RoleSystem
	}
	return Role(role)
}

// openaiPart is the neutral part of a block of a content.
func openaiPart(b innerBlock) (Part, error) {
	switch b.typ {
	case "text", "input_text", "output_text":
		return Part{Kind: KindText, Text: b.text}, nil
	case "refusal":
		text, err := b.str("refusal", true)
		return Part{Kind: KindText, Text: text}, err
	case "image_url", "input_image", "computer_screenshot", "input_audio", "file", "input_file":
		return Part{Kind: KindImage, Pixels: pixelsOf(b.node)}, nil
	}
	return Part{Kind: KindOther}, nil
}

// openaiContent reads the content of a message: a string, an array of blocks, or nothing.
func openaiContent(n node) ([]Part, error) {
	at := n.get("content")
	switch n.first(at) {
	case 0, 'n':
		return nil, nil
	case '"':
		return []Part{{Kind: KindText, Text: n.text(at)}}, nil
	case '[':
	default:
		return nil, invalid(at.From, "content is neither a string nor an array of parts")
	}
	blocks, err := readInner(n.src, at)
	if err != nil {
		return nil, err
	}
	parts := make([]Part, len(blocks))
	for i, b := range blocks {
		if parts[i], err = openaiPart(b); err != nil {
			return nil, err
		}
	}
	return parts, nil
}

// openaiResult reads the text of a result, which is a string or an array of blocks.
func openaiResult(n node, member string, p *Part) error {
	at := n.get(member)
	switch n.first(at) {
	case 0, 'n':
		return nil
	case '"':
		p.Text = n.text(at)
		return nil
	case '{':
		p.Media = 1 // a picture of the screen
		if screen, err := readNode(n.src, at, member); err == nil {
			p.Pixels = pixelsOf(screen)
		}
		return nil
	case '[':
	default:
		return invalid(at.From, "%q of a result is neither a string nor an array of parts", member)
	}
	blocks, err := readInner(n.src, at)
	if err != nil {
		return err
	}
	var texts []string
	for _, b := range blocks {
		if isText(b.typ) {
			texts = append(texts, b.text)
		} else {
			p.Media++
			p.Pixels = append(p.Pixels, pixelsOf(b.node)...)
		}
	}
	p.Text = strings.Join(texts, "\n")
	return nil
}

// openaiArguments reads arguments, which are JSON inside of a string. What is not JSON, because the
// model wrote it so or broke off, stays the string that it is.
func openaiArguments(src []byte, at Span) json.RawMessage {
	if at.Empty() || src[at.From] != '"' {
		return json.RawMessage(at.In(src))
	}
	text := []byte(textAt(src, at))
	if len(text) == 0 {
		return nil
	}
	if _, err := document(text); err != nil {
		return json.RawMessage(at.In(src))
	}
	return text
}

// openaiShorter is the literal that replaces the arguments at a span: they stay inside of a string if they were in
// one.
func openaiShorter(src []byte, at Span, args json.RawMessage, text string) []byte {
	inString := src[at.From] == '"'
	wasText := len(args) > 0 && &args[0] == &src[at.From] // not JSON inside of the string
	if !inString || wasText && strings.HasPrefix(text, `"`) {
		return []byte(text)
	}
	return quote(text)
}

// shortenContent returns the splices of what shorten changes of a content.
func shortenContent(n node, shorten func(Part) (string, bool)) ([]splice, error) {
	at := n.get("content")
	switch n.first(at) {
	case '"':
		return shortenText(n.src, at, shorten), nil
	case '[':
	default:
		return nil, nil
	}
	blocks, err := readInner(n.src, at)
	if err != nil {
		return nil, err
	}
	var out []splice
	for _, b := range blocks {
		if isText(b.typ) {
			out = append(out, shortenText(n.src, b.get("text"), shorten)...)
		}
	}
	return out, nil
}

// shortenText returns the splice that a text literal takes, if shorten changes it.
func shortenText(src []byte, at Span, shorten func(Part) (string, bool)) []splice {
	text, changed := shorten(Part{Kind: KindText, Text: textAt(src, at)})
	if !changed {
		return nil
	}
	return []splice{{at, quote(text)}}
}
