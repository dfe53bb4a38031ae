package transcript

import (
	"encoding/json"
	"strings"

	"ctxledger.dev/internal/jsonspan"
)

// anthropicCodec is Anthropic's Messages API.
var anthropicCodec = codec{
	format:     Anthropic,
	decode:     decodeAnthropic,
	result:     anthropicResult,
	empty:      `{"role":"user","content":""}`,
	edit:       editAnthropic,
	merge:      mergeAnthropic,
	arrange:    resultsFirst,
	newMessage: newMessage,
	roles:      []Role{RoleUser, RoleAssistant, RoleTool},
	valid:      validAnthropic,
	textType:   plainText,
	fits:       fitsAnthropic,
}

// anthropicBlock is one content block.
type anthropicBlock struct {
	block
	typ string
}

func decodeAnthropic(raw []byte) (Message, error) {
	a, err := readAnthropic(raw)
	if err != nil {
		return Message{}, err
	}
	m := Message{Role: Role(a.role), Raw: raw}
	if a.first(a.content) == '"' {
		m.Parts = []Part{{Kind: KindText, Text: textAt(raw, a.content)}}
		return m, nil
	}
	m.Parts = a.parts()
	if m.Role == RoleUser && onlyResults(m.Parts) {
		m.Role = RoleTool
	}
	return m, nil
}

// onlyResults reports whether parts carry results and no words of the user's own. Images next to the results come
// from tools as well.
func onlyResults(parts []Part) bool {
	results := 0
	for _, p := range parts {
		switch p.Kind {
		case KindResult:
			results++
		case KindText:
			return false
		}
	}
	return results > 0
}

func readAnthropic(raw []byte) (blockMessage, error) {
	var a blockMessage
	var err, inner error
	a.node, err = readWithin(raw, "message", func(name string, w *jsonspan.Walker) {
		if name == "content" && w.Peek() == '[' {
			inner = eachNode(w, raw, "block", func(n node) error {
				b, err := readAnthropicBlock(n)
				a.blocks = append(a.blocks, b)
				return err
			})
		}
	})
	if inner != nil { // what is wrong with the rest is said first
		a.node, err = readDocument(raw, "message")
	}
	if err != nil {
		return a, err
	}
	if a.role, err = a.str("role", true); err != nil {
		return a, err
	}
	a.content = a.get("content")
	switch a.first(a.content) {
	case '"':
		return a, nil
	case '[':
	case 0:
		return a, invalid(a.at.From, "message without content")
	default:
		return a, invalid(a.content.From, "content is neither a string nor an array of blocks")
	}
	return a, inner
}

func readAnthropicBlock(n node) (block, error) {
	b := anthropicBlock{block: block{node: n}}
	var err error
	if b.typ, err = b.str("type", true); err != nil {
		return b.block, err
	}
	switch {
	case b.typ == "text":
		b.part.Kind, b.data = KindText, b.get("text")
		b.part.Text, err = b.str("text", true)
	case b.typ == "thinking":
		b.part.Kind = KindReasoning
		b.part.Text, err = b.str("thinking", true)
	case b.typ == "redacted_thinking":
		b.part.Kind = KindReasoning
	case b.typ == "image", b.typ == "document":
		b.part.Kind, b.part.Pixels = KindImage, pixelsOf(b.node)
	case b.typ == "tool_use", b.typ == "server_tool_use", b.typ == "mcp_tool_use":
		err = b.readCall()
	case b.typ == "tool_result", strings.HasSuffix(b.typ, "_tool_result"):
		err = b.readResult()
	default:
		b.part.Kind = KindOther
	}
	return b.block, err
}

func (b *anthropicBlock) readCall() (err error) {
	b.part.Kind = KindCall
	b.part.Sealed = b.typ != "tool_use"
	if b.part.ID, err = b.str("id", true); err != nil {
		return err
	}
	if b.part.Name, err = b.str("name", true); err != nil {
		return err
	}
	b.data = b.get("input")
	b.part.Args = json.RawMessage(b.data.In(b.src))
	return nil
}

// readResult reads the result of a call: of the host's tools ("tool_result"), or of a tool that the
// provider ran ("mcp_tool_result", "web_search_tool_result" and the like).
func (b *anthropicBlock) readResult() (err error) {
	b.part.Kind = KindResult
	b.part.Sealed = b.typ != "tool_result"
	if b.part.ID, err = b.str("tool_use_id", true); err != nil {
		return err
	}
	switch at := b.get("is_error"); b.first(at) {
	case 0, 'f', 'n':
	case 't':
		b.part.IsError = true
	default:
		return invalid(at.From, `"is_error" is not a boolean`)
	}
	switch at := b.get("content"); b.first(at) {
	case 0, 'n':
		return nil
	case '"':
		b.part.Text = b.text(at)
		return nil
	case '[':
		return b.readResultBlocks(at)
	case '{':
		if b.part.Sealed {
			b.part.Text, b.part.Media, err = sealedText(b.src, at)
			return err
		}
		fallthrough
	default:
		return invalid(at.From, "content of a result is neither a string nor an array of blocks")
	}
}

func (b *anthropicBlock) readResultBlocks(at Span) error {
	inner, err := readInner(b.src, at)
	if err != nil {
		return err
	}
	var texts []string
	for _, in := range inner {
		switch {
		case in.typ == "text":
			texts = append(texts, in.text)
		case b.part.Sealed:
			text, media, err := sealedText(b.src, in.at)
			if err != nil {
				return err
			}
			if b.part.Media += media; text != "" {
				texts = append(texts, text)
			}
		default:
			b.part.Media++
			b.part.Pixels = append(b.part.Pixels, pixelsOf(in.node)...)
		}
	}
	b.part.Text = strings.Join(texts, "\n")
	return nil
}

// sealedText returns the lines that a model reads of what a provider's own tool returned; media is 1
// when there are none.
func sealedText(src []byte, at Span) (text string, media int, err error) {
	n, err := readNode(src, at, "result")
	if err != nil {
		return "", 0, err
	}
	var lines []string
	for _, name := range []string{"title", "url", "text", "stdout", "stderr", "error_code"} {
		if v := n.get(name); n.first(v) == '"' && v.To-v.From > 2 {
			lines = append(lines, textAt(src, v))
		}
	}
	if len(lines) == 0 {
		return "", 1, nil
	}
	return strings.Join(lines, "\n"), 0, nil
}
