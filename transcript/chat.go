package transcript

// chatCodec is OpenAI's chat completions, and what many other providers and local servers speak.
var chatCodec = codec{
	format:     OpenAIChat,
	decode:     decodeChat,
	build:      buildChat,
	edit:       editChat,
	newMessage: newChat,
	roles:      []Role{RoleSystem, RoleUser, RoleAssistant, RoleTool},
	valid:      validChat,
	fits:       fitsChat,
}

// chatMessage is a message of a chat completion, taken apart into spans.
type chatMessage struct {
	node
	role  string
	calls []chatCall
}

// chatCall is one of the calls that a message makes.
type chatCall struct {
	node
	args Span // the literal of its arguments
	part Part
}

func decodeChat(raw []byte) (Message, error) {
	c, err := readChat(raw)
	if err != nil {
		return Message{}, err
	}
	m := Message{Role: openaiRole(c.role), Raw: raw}
	if m.Role == RoleTool {
		result, err := c.result()
		m.Parts = []Part{result}
		return m, err
	}
	m.Parts, err = c.parts()
	return m, err
}

func readChat(raw []byte) (chatMessage, error) {
	var c chatMessage
	at, err := document(raw)
	if err != nil {
		return c, err
	}
	if c.node, err = readNode(raw, at, "message"); err != nil {
		return c, err
	}
	if c.role, err = c.str("role", true); err != nil {
		return c, err
	}
	switch at := c.get("tool_calls"); c.first(at) {
	case 0, 'n':
	case '[':
		c.calls, err = readChatCalls(raw, at)
	default:
		err = invalid(at.From, `"tool_calls" is not an array`)
	}
	return c, err
}

func readChatCalls(src []byte, at Span) ([]chatCall, error) {
	spans, err := elements(src, at)
	if err != nil {
		return nil, err
	}
	calls := make([]chatCall, len(spans))
	for i, e := range spans {
		if calls[i], err = readChatCall(src, e); err != nil {
			return nil, err
		}
	}
	return calls, nil
}

// readChatCall reads a call of a function, with its arguments as JSON, or of a custom tool, with a text.
func readChatCall(src []byte, at Span) (chatCall, error) {
	c := chatCall{part: Part{Kind: KindCall}}
	var err error
	if c.node, err = readNode(src, at, "call"); err != nil {
		return c, err
	}
	if c.part.ID, err = c.str("id", true); err != nil {
		return c, err
	}
	member, input := "function", "arguments"
	if !c.has(member) {
		member, input = "custom", "input"
	}
	f, err := readNode(src, c.get(member), "function of a call")
	if err != nil {
		return c, invalid(at.From, "the call has no function")
	}
	if c.part.Name, err = f.str("name", true); err != nil {
		return c, err
	}
	c.args = f.get(input)
	c.part.Args = openaiArguments(src, c.args)
	return c, nil
}

// parts returns the parts of a message that is not a tool's.
func (c chatMessage) parts() ([]Part, error) {
	var parts []Part
	for _, name := range []string{"reasoning_content", "reasoning"} { // of other providers
		if at := c.get(name); c.first(at) == '"' {
			parts = append(parts, Part{Kind: KindReasoning, Text: unquote(c.src[at.From:at.To])})
		}
	}
	content, err := openaiContent(c.node)
	if err != nil {
		return nil, err
	}
	parts = append(parts, content...)
	if at := c.get("refusal"); c.first(at) == '"' {
		parts = append(parts, Part{Kind: KindText, Text: unquote(c.src[at.From:at.To])})
	}
	for _, call := range c.calls {
		parts = append(parts, call.part)
	}
	return parts, nil
}

// result returns the result that a tool's message is.
func (c chatMessage) result() (Part, error) {
	p := Part{Kind: KindResult}
	var err error
	if p.ID, err = c.str("tool_call_id", true); err != nil {
		return p, err
	}
	return p, openaiResult(c.node, "content", &p)
}
