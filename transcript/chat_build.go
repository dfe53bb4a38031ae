package transcript

import (
	"strings"

	"ctxledger.dev/internal/fault"
)

// newChat is the same in chat completions and in responses.
func newChat(role Role, text string) []byte { return messageBytes(role, quote(text)) }

func buildChat(m Message) ([]byte, error) {
	if len(m.Parts) == 1 && m.Parts[0].Kind == KindResult && m.Parts[0].Media == 0 && !m.Parts[0].Sealed {
		p := m.Parts[0]
		if name, _, derived := Derived(p.ID); derived { // it answers a call that has no id
			return joined(`{"role":"function","name":`, string(quote(name)), `,"content":`, string(quote(p.Text)),
				`}`), nil
		}
		return joined(`{"role":"tool","tool_call_id":`, string(quote(p.ID)), `,"content":`, string(quote(p.Text)),
			`}`), nil
	}
	var texts, blocks, calls []string
	for _, p := range m.Parts {
		switch {
		case p.Kind == KindText:
			texts = append(texts, string(quote(p.Text)))
			blocks = append(blocks, string(textBlock("text", quote(p.Text))))
		case p.Kind == KindCall && !p.Sealed:
			call, err := buildChatCall(p)
			if err != nil {
				return nil, err
			}
			calls = append(calls, string(call))
		default:
			return nil, noWireForm(p)
		}
	}
	content := "null"
	switch len(texts) {
	case 0:
	case 1:
		content = texts[0]
	default:
		content = "[" + strings.Join(blocks, ",") + "]"
	}
	out := strings.TrimSuffix(string(messageBytes(m.Role, []byte(content))), "}")
	if len(calls) > 0 {
		out += `,"tool_calls":[` + strings.Join(calls, ",") + `]`
	}
	return []byte(out + "}"), nil
}

func buildChatCall(p Part) ([]byte, error) {
	args, err := argumentsOf(p)
	if err != nil {
		return nil, err
	}
	if _, _, derived := Derived(p.ID); derived {
		return nil, fault.New(fault.Invalid, op, "a call without an id has no wire form without its original")
	}
	return joined(`{"id":`, string(quote(p.ID)), `,"type":"function","function":{"name":`, string(quote(p.Name)),
		`,"arguments":`, string(quote(string(args))), `}}`), nil
}
