package transcript

import (
	"encoding/json"
	"slices"
	"strings"
)

// responsesCodec is the list of input items of OpenAI's responses. Each item is a message of the
// neutral model: what a model answers with is several of them in a row.
var responsesCodec = codec{
	format:     OpenAIResponses,
	decode:     decodeItem,
	result:     itemResult,
	edit:       editItem,
	newMessage: newMessage, // an item without a type is a message
	itemised:   true,
	roles:      []Role{RoleSystem, RoleUser, RoleAssistant, RoleTool},
	valid:      validItems,
	textType:   itemText,
	fits:       fitsItems,
}

// The types of items that are read by name. Others are recognised by the ends of theirs, and kept.
const (
	itemMessage   = "message"
	itemReasoning = "reasoning"
	itemShell     = "shell_call_output"
)

// compactedItems are the types of items that replace everything before them.
var compactedItems = []string{"compaction", "compaction_summary", "context_compaction"}

// itemText is codec.textType of items.
func itemText(role string) string {
	if role == string(RoleAssistant) {
		return "output_text"
	}
	return "input_text"
}

// item is an item, taken apart.
type item struct {
	node
	typ    string
	role   Role
	args   Span   // of a call: the span of its arguments
	output string // of a result: the member that holds its text
	parts  []Part
}

func decodeItem(raw []byte) (Message, error) {
	it, err := readItem(raw)
	if err != nil {
		return Message{}, err
	}
	return Message{Role: it.role, Parts: it.parts, Raw: raw}, nil
}

func readItem(raw []byte) (item, error) {
	var it item
	var err error
	if it.node, err = readDocument(raw, "item"); err != nil {
		return it, err
	}
	if it.typ, err = it.str("type", false); err != nil {
		return it, err
	}
	switch {
	case it.typ == "" || it.typ == itemMessage:
		return it, it.readMessage()
	case it.typ == itemReasoning:
		it.role, it.parts = RoleAssistant, []Part{{Kind: KindReasoning}}
		it.parts[0].Text, err = it.reasoning()
	case strings.HasSuffix(it.typ, "_output") && it.called():
		err = it.readOutput()
	case strings.HasSuffix(it.typ, "_call"):
		err = it.readCall()
	case slices.Contains(compactedItems, it.typ):
		it.role, it.parts = RoleAssistant, []Part{{Kind: KindCompacted}}
	case strings.HasSuffix(it.typ, "_response"):
		it.role, it.parts = RoleUser, []Part{{Kind: KindOther}} // of the user, to a request for approval
	default:
		it.role, it.parts = RoleAssistant, []Part{{Kind: KindOther}}
	}
	return it, err
}

func (it *item) readMessage() error {
	role, err := it.str("role", true)
	if err != nil {
		return err
	}
	it.role = openaiRole(role)
	if it.get("content").Empty() {
		return invalid(it.at.From, "message without content")
	}
	it.parts, err = openaiContent(it.node)
	return err
}

// reasoning returns what is readable of reasoning: its summary and its content.
func (it *item) reasoning() (string, error) {
	var texts []string
	for _, name := range []string{"summary", "content"} {
		at := it.get(name)
		if it.first(at) != '[' {
			continue
		}
		spans, err := elements(it.src, at)
		if err != nil {
			return "", err
		}
		for _, e := range spans {
			n, err := readNode(it.src, e, "part of reasoning")
			if err != nil {
				return "", err
			}
			if text, err := n.str("text", false); err == nil && text != "" {
				texts = append(texts, text)
			}
		}
	}
	return strings.Join(texts, "\n"), nil
}

// called reports whether the item says which call it is about: then the host runs the tool.
func (it *item) called() bool { return it.first(it.get("call_id")) == '"' }

// readCall reads a call: of the host's tools, or, sealed, of a tool that the provider ran, whose result
// is in the item.
func (it *item) readCall() error {
	p := Part{Kind: KindCall, Sealed: !it.called(), Name: strings.TrimSuffix(it.typ, "_call")}
	var err error
	id := "call_id"
	if p.Sealed {
		id = "id"
	}
	if p.ID, err = it.str(id, false); err != nil {
		return err
	}
	if name := it.get("name"); it.first(name) == '"' {
		p.Name = it.text(name)
		// Codex has the server of a tool in a field of its own; its hooks call the tool by both.
		if space := it.get("namespace"); it.first(space) == '"' && strings.HasPrefix(it.text(space), "mcp__") {
			p.Name = it.text(space) + "__" + p.Name
		}
	}
	for _, member := range []string{"arguments", "input", "action", "operation", "code"} {
		if it.args = it.get(member); !it.args.Empty() {
			break
		}
	}
	switch {
	case it.args.Empty():
	case it.typ == "custom_tool_call": // its input is a text, even where it looks like JSON
		p.Args = json.RawMessage(it.args.In(it.src))
	default:
		p.Args = openaiArguments(it.src, it.args)
	}
	if out := it.get("output"); p.Sealed && it.first(out) == '"' {
		p.Text = it.text(out)
	}
	it.role, it.parts = RoleAssistant, []Part{p}
	return nil
}

// readOutput reads the result of a call.
func (it *item) readOutput() error {
	p := Part{Kind: KindResult}
	var err error
	if p.ID, err = it.str("call_id", true); err != nil {
		return err
	}
	it.output = "output"
	if it.typ == itemShell {
		p.Text, _, err = it.shellOutput(nil)
	} else {
		err = openaiResult(it.node, it.output, &p)
	}
	if at := it.get("status"); it.first(at) == '"' && it.text(at) == "failed" {
		p.IsError = true
	}
	it.role, it.parts = RoleTool, []Part{p}
	return err
}

// shellOutput returns what commands wrote, and the splices that put a literal in the place of all that.
func (it *item) shellOutput(literal []byte) (string, []splice, error) {
	at := it.get(it.output)
	if it.first(at) != '[' {
		return "", nil, invalid(it.at.From, "the output of a shell is not an array")
	}
	spans, err := elements(it.src, at)
	if err != nil {
		return "", nil, err
	}
	var texts []string
	var splices []splice
	for _, e := range spans {
		n, err := readNode(it.src, e, "output of a command")
		if err != nil {
			return "", nil, err
		}
		for _, name := range []string{"stdout", "stderr"} {
			v := n.get(name)
			if n.first(v) != '"' {
				continue
			}
			if text := it.text(v); text != "" {
				texts = append(texts, text)
			}
			splices = append(splices, splice{v, literal})
			literal = []byte(`""`)
		}
	}
	return strings.Join(texts, "\n"), splices, nil
}
