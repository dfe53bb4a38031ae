package transcript

// wireRole is what providers call a role that have none for tools: results travel in messages of the user.
func wireRole(r Role) Role {
	if r == RoleTool {
		return RoleUser
	}
	return r
}

func newAnthropic(role Role, text string) []byte { return messageBytes(role, quote(text)) }

func messageBytes(role Role, content []byte) []byte {
	return joined(`{"role":`, string(quote(string(wireRole(role)))), `,"content":`, string(content), `}`)
}

func buildAnthropic(m Message) ([]byte, error) {
	if len(m.Parts) == 1 && m.Parts[0].Kind == KindText {
		return newAnthropic(m.Role, m.Parts[0].Text), nil
	}
	blocks, err := buildParts(m.Parts, buildBlock)
	if err != nil {
		return nil, err
	}
	return messageBytes(m.Role, joined("[", string(blocks), "]")), nil
}

// buildBlock writes a part as a content block.
func buildBlock(p Part) ([]byte, error) {
	id := string(quote(p.ID))
	switch {
	case p.Sealed || p.Media > 0:
	case p.Kind == KindText:
		return textBlock("text", quote(p.Text)), nil
	case p.Kind == KindCall:
		args, err := argumentsOf(p)
		if err != nil {
			return nil, err
		}
		return joined(`{"type":"tool_use","id":`, id, `,"name":`, string(quote(p.Name)), `,"input":`, string(args),
			`}`), nil
	case p.Kind == KindResult:
		failed := ""
		if p.IsError {
			failed = `,"is_error":true`
		}
		return joined(`{"type":"tool_result","tool_use_id":`, id, `,"content":`, string(quote(p.Text)), failed, `}`),
			nil
	}
	return nil, noWireForm(p)
}
