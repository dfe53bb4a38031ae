package transcript

// chatCodec is OpenAI's chat completions, and what many other providers and local servers speak.
var chatCodec = codec{
	format:     OpenAIChat,
	decode:     decodeChat,
	result:     chatResult,
	edit:       editChat,
	newMessage: newMessage,
	roles:      []Role{RoleSystem, RoleUser, RoleAssistant, RoleTool},
	derives:    true,
	valid:      validChat,
	textType:   plainText,
	fits:       fitsChat,
}

// How a call was made, and its result named, before there were tools: without an id.
const (
	legacyCall   = "function_call" // the member of the message that makes the call
	roleFunction = "function"      // of the message that holds the result
)

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
	if c.isResult() {
		result, err := c.result()
		m.Role, m.Parts = RoleTool, []Part{result}
		return m, err
	}
	m.Parts, err = c.parts()
	return m, err
}

func readChat(raw []byte) (chatMessage, error) {
	var c chatMessage
	var err error
	if c.node, err = readDocument(raw, "message"); err != nil {
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
	if at := c.get(legacyCall); err == nil && c.first(at) != 0 && c.first(at) != 'n' {
		err = c.readLegacyCall(at)
	}
	return c, err
}

// readLegacyCall reads the one call that a message could make before there were tools. It has no id.
func (c *chatMessage) readLegacyCall(at Span) error {
	if len(c.calls) > 0 {
		return invalid(at.From, "the message makes calls as \"tool_calls\" and as %q", legacyCall)
	}
	call := chatCall{part: Part{Kind: KindCall}}
	var err error
	if call.node, err = readNode(c.src, at, "call"); err != nil {
		return err
	}
	if err := call.readFunction(call.node, "arguments"); err != nil {
		return err
	}
	call.part.ID = derivedID(call.part.Name, 1)
	c.calls = append(c.calls, call)
	return nil
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
	if c.part.ID, err = c.explicitID("id"); err != nil {
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
	return c, c.readFunction(f, input)
}

// readFunction reads which function a call is of, and its arguments.
func (c *chatCall) readFunction(f node, input string) (err error) {
	if c.part.Name, err = f.str("name", true); err != nil {
		return err
	}
	c.args = f.get(input)
	c.part.Args = openaiArguments(c.src, c.args)
	return nil
}

// explicitID returns the id of a call. It refuses one that looks like the ids of calls without ids: the two could
// not be distinguished.
func (n node) explicitID(name string) (string, error) {
	id, err := n.str(name, true)
	if _, _, looks := Derived(id); err == nil && looks {
		return "", invalid(n.get(name).From, "%q looks like the ids given to calls without one", name)
	}
	return id, err
}

// parts returns the parts of a message that is not a tool's.
func (c chatMessage) parts() ([]Part, error) {
	var parts []Part
	for _, name := range []string{"reasoning_content", "reasoning"} { // of other providers
		if at := c.get(name); c.first(at) == '"' {
			parts = append(parts, Part{Kind: KindReasoning, Text: c.text(at)})
		}
	}
	content, err := openaiContent(c.node)
	if err != nil {
		return nil, err
	}
	parts = append(parts, content...)
	if at := c.get("refusal"); c.first(at) == '"' {
		parts = append(parts, Part{Kind: KindText, Text: c.text(at)})
	}
	for _, call := range c.calls {
		parts = append(parts, call.part)
	}
	return parts, nil
}

// isResult reports whether the message is the result of a call.
func (c chatMessage) isResult() bool { return c.role == string(RoleTool) || c.role == roleFunction }

// result returns the result that a tool's message is.
func (c chatMessage) result() (Part, error) {
	p := Part{Kind: KindResult}
	var err error
	if c.role == roleFunction {
		p.Name, err = c.str("name", true)
		p.ID = derivedID(p.Name, 1)
	} else {
		p.ID, err = c.explicitID("tool_call_id")
	}
	if err != nil {
		return p, err
	}
	return p, openaiResult(c.node, "content", &p)
}
