package transcript

import (
	"strings"

	"ctxledger.dev/internal/fault"
)

// buildItem writes a message as an item: texts alone, or one call, or one result.
func buildItem(m Message) ([]byte, error) {
	var blocks []string
	typ := "input_text"
	if m.Role == RoleAssistant {
		typ = "output_text"
	}
	for _, p := range m.Parts {
		switch {
		case p.Kind == KindText:
			blocks = append(blocks, string(textBlock(typ, quote(p.Text))))
		case p.Sealed || p.Kind != KindCall && p.Kind != KindResult || p.Media > 0:
			return nil, noWireForm(p)
		case len(m.Parts) > 1:
			return nil, fault.New(fault.Invalid, op, "in this format a %s is an item of its own", p.Kind)
		default:
			return buildPair(p)
		}
	}
	if len(blocks) == 1 {
		return newChat(m.Role, m.Parts[0].Text), nil
	}
	return messageBytes(m.Role, joined("[", strings.Join(blocks, ","), "]")), nil
}

// buildPair writes a call or a result.
func buildPair(p Part) ([]byte, error) {
	id := string(quote(p.ID))
	if p.Kind == KindResult {
		return joined(`{"type":"function_call_output","call_id":`, id, `,"output":`, string(quote(p.Text)), `}`), nil
	}
	args, err := argumentsOf(p)
	if err != nil {
		return nil, err
	}
	return joined(`{"type":"function_call","call_id":`, id, `,"name":`, string(quote(p.Name)),
		`,"arguments":`, string(quote(string(args))), `}`), nil
}
