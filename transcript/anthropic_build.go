package transcript

import (
	"encoding/json"

	"ctxledger.dev/internal/fault"
)

// wireRole is what Anthropic calls a role: results travel in messages of the user.
func wireRole(r Role) Role {
	if r == RoleTool {
		return RoleUser
	}
	return r
}

func newAnthropic(role Role, text string) []byte {
	return messageBytes(role, quote(text))
}

func messageBytes(role Role, content []byte) []byte {
	out := append([]byte(`{"role":`), quote(string(wireRole(role)))...)
	out = append(out, `,"content":`...)
	out = append(out, content...)
	return append(out, '}')
}

func buildAnthropic(m Message) ([]byte, error) {
	if len(m.Parts) == 0 {
		return nil, fault.New(fault.Invalid, op, "message without parts")
	}
	if len(m.Parts) == 1 && m.Parts[0].Kind == KindText {
		return newAnthropic(m.Role, m.Parts[0].Text), nil
	}
	content := []byte{'['}
	for i, p := range m.Parts {
		block, err := buildBlock(p)
		if err != nil {
			return nil, fault.New(fault.Invalid, op, "part %d: %v", i, err)
		}
		if i > 0 {
			content = append(content, ',')
		}
		content = append(content, block...)
	}
	return messageBytes(m.Role, append(content, ']')), nil
}

// buildBlock writes a part as a content block.
func buildBlock(p Part) ([]byte, error) {
	switch {
	case p.Sealed:
		return nil, fault.New(fault.Invalid, op, "a call that the provider ran has no wire form without its original")
	case p.Kind == KindText:
		return textBlock(quote(p.Text)), nil
	case p.Kind == KindCall:
		args := []byte(p.Args)
		if len(args) == 0 {
			args = []byte("{}")
		}
		if !json.Valid(args) {
			return nil, fault.New(fault.Invalid, op, "arguments of call %s are not JSON", p.ID)
		}
		out := append([]byte(`{"type":"tool_use","id":`), quote(p.ID)...)
		out = append(append(out, `,"name":`...), quote(p.Name)...)
		out = append(append(out, `,"input":`...), args...)
		return append(out, '}'), nil
	case p.Kind == KindResult && p.Media == 0:
		out := append([]byte(`{"type":"tool_result","tool_use_id":`), quote(p.ID)...)
		out = append(append(out, `,"content":`...), quote(p.Text)...)
		if p.IsError {
			out = append(out, `,"is_error":true`...)
		}
		return append(out, '}'), nil
	}
	return nil, fault.New(fault.Invalid, op, "%s has no wire form without its original", p.Kind)
}

// textBlock wraps a string literal.
func textBlock(literal []byte) []byte {
	out := append([]byte(`{"type":"text","text":`), literal...)
	return append(out, '}')
}
