package transcript

import (
	"encoding/json"
)

// geminiCodec is the contents of Gemini's generateContent. Names of members are read in both of the
// spellings that its JSON has: functionCall and function_call.
var geminiCodec = codec{
	format:     Gemini,
	decode:     decodeGemini,
	result:     geminiResult,
	empty:      `{"role":"user","parts":[]}`,
	edit:       editGemini,
	merge:      mergeGemini,
	newMessage: newGemini,
	alternates: true,
	derives:    true,
	roles:      []Role{RoleUser, RoleAssistant, RoleTool},
	valid:      validGemini,
	fits:       fitsGemini,
}

// geminiPart is one part of a content. Of a result, data is the member that it is about.
type geminiPart struct{ block }

func decodeGemini(raw []byte) (Message, error) {
	c, err := readGemini(raw)
	if err != nil {
		return Message{}, err
	}
	m := Message{Role: RoleUser, Parts: c.parts(), Raw: raw}
	switch {
	case c.role == "model":
		m.Role = RoleAssistant
	case c.role != "" && c.role != "user" && c.role != "function":
		m.Role = Role(c.role)
	case onlyResults(m.Parts):
		m.Role = RoleTool
	}
	return m, nil
}

func readGemini(raw []byte) (blockMessage, error) {
	var c blockMessage
	var err error
	if c.node, err = readDocument(raw, "content"); err != nil {
		return c, err
	}
	if c.role, err = c.str("role", false); err != nil {
		return c, err
	}
	c.content = c.get("parts")
	switch c.first(c.content) {
	case '[':
	case 0:
		return c, invalid(c.at.From, "content without parts")
	default:
		return c, invalid(c.content.From, "parts is not an array")
	}
	spans, err := elements(raw, c.content)
	if err != nil {
		return c, err
	}
	c.blocks = make([]block, len(spans))
	calls, results := map[string]int{}, map[string]int{}
	var p geminiPart // one for all of them, since it is allocated
	for i, e := range spans {
		p = geminiPart{}
		if p.node, err = readNode(raw, e, "part"); err != nil {
			return c, err
		}
		if err = p.read(); err != nil {
			return c, err
		}
		switch {
		case p.part.Sealed:
		case p.part.Kind == KindCall:
			p.identify(calls)
		case p.part.Kind == KindResult:
			p.identify(results)
		}
		c.blocks[i] = p.block
	}
	return c, nil
}

// identify gives a part without an id one that its name and its place among its like derive. An id that
// looks like a derived one is none.
func (p *geminiPart) identify(count map[string]int) {
	if _, _, derived := Derived(p.part.ID); p.part.ID == "" || derived {
		count[p.part.Name]++
		p.part.ID = derivedID(p.part.Name, count[p.part.Name])
	}
}

// either returns a member by one of its two spellings.
func (n node) either(camel, snake string) Span {
	if at := n.get(camel); !at.Empty() {
		return at
	}
	return n.get(snake)
}

// geminiReaders are the members that say what a part is, with what reads them.
var geminiReaders = []struct {
	camel, snake string
	read         func(p *geminiPart, n node) error
}{
	{"functionCall", "function_call", (*geminiPart).readCall},
	{"functionResponse", "function_response", (*geminiPart).readResponse},
	{"executableCode", "executable_code", (*geminiPart).readCode},
	{"codeExecutionResult", "code_execution_result", (*geminiPart).readOutcome},
}

// read finds out what a part is.
func (p *geminiPart) read() error {
	p.signed = !p.either("thoughtSignature", "thought_signature").Empty()
	if at := p.get("text"); p.first(at) != 0 && p.first(at) != 'n' {
		text, err := p.str("text", true)
		p.data, p.part = at, Part{Kind: KindText, Text: text}
		if thought := p.get("thought"); p.first(thought) == 't' || text == "" && p.signed {
			p.part.Kind = KindReasoning
		}
		return err
	}
	for _, r := range geminiReaders {
		at := p.either(r.camel, r.snake)
		if p.first(at) == 0 || p.first(at) == 'n' {
			continue
		}
		n, err := readNode(p.src, at, r.camel)
		if err != nil {
			return err
		}
		p.data = at
		return r.read(p, n)
	}
	p.part.Kind = KindOther
	if !p.either("inlineData", "inline_data").Empty() || !p.either("fileData", "file_data").Empty() {
		p.part.Kind, p.part.Pixels = KindImage, pixelsOf(p.node)
	}
	return nil
}

func (p *geminiPart) readCall(n node) error {
	p.part.Kind = KindCall
	p.data = n.get("args")
	p.part.Args = json.RawMessage(p.data.In(p.src))
	return p.readName(n)
}

func (p *geminiPart) readName(n node) (err error) {
	if p.part.Name, err = n.str("name", true); err != nil {
		return err
	}
	p.part.ID, err = n.str("id", false)
	return err
}

// readResponse reads the result of a call: what a model reads of it is its one text, or the whole object.
func (p *geminiPart) readResponse(n node) error {
	p.part.Kind = KindResult
	if media := n.get("parts"); n.first(media) == '[' {
		spans, err := elements(p.src, media)
		if err != nil {
			return err
		}
		p.part.Media = len(spans)
		for _, at := range spans {
			if in, err := readNode(p.src, at, "part"); err == nil {
				p.part.Pixels = append(p.part.Pixels, pixelsOf(in)...)
			}
		}
	}
	if at := n.get("response"); !at.Empty() {
		text, failed, err := readObject(p.src, at)
		if err != nil {
			return err
		}
		p.part.IsError = failed
		if p.part.Text = string(at.In(p.src)); !text.Empty() {
			p.part.Text = p.text(text)
		}
	}
	return p.readName(n)
}

// readObject looks at what a tool returned, which may be any object. text is its one member that is a
// text, where everything else in it is a number, a truth value or nothing; failed says that it has an
// error.
func readObject(src []byte, at Span) (text Span, failed bool, err error) {
	if src[at.From] != '{' {
		return Span{}, false, invalid(at.From, "response is not an object")
	}
	texts := 0
	w := walk(src, at)
	for key, val := range w.Members {
		switch src[val.From] {
		case '"':
			texts, text = texts+1, val
		case '{', '[':
			texts = 2 // the text alone would not be all
		}
		if src[val.From] != 'n' && textAt(src, key) == "error" {
			failed = true
		}
	}
	if texts != 1 {
		text = Span{}
	}
	return text, failed, syntax(w.Err())
}

// readCode reads code that the provider runs.
func (p *geminiPart) readCode(n node) error {
	code := n.get("code")
	p.part = Part{Kind: KindCall, Sealed: true, Name: "code_execution", Args: json.RawMessage(code.In(p.src))}
	return nil
}

// readOutcome reads what such code wrote.
func (p *geminiPart) readOutcome(n node) (err error) {
	p.part = Part{Kind: KindResult, Sealed: true}
	p.part.Text, err = n.str("output", false)
	return err
}
