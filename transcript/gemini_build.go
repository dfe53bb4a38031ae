package transcript

import "ctxledger.dev/internal/fault"

// geminiRole is what Gemini calls a role: results travel in contents of the user.
func geminiRole(r Role) Role {
	if r == RoleAssistant {
		return "model"
	}
	return wireRole(r)
}

func newGemini(role Role, text string) []byte {
	return geminiBytes(role, textPart(text))
}

func textPart(text string) []byte { return joined(`{"text":`, string(quote(text)), `}`) }

func geminiBytes(role Role, parts []byte) []byte {
	return joined(`{"role":`, string(quote(string(geminiRole(role)))), `,"parts":[`, string(parts), `]}`)
}

func buildGemini(m Message) ([]byte, error) {
	parts, err := buildParts(m.Parts, buildGeminiPart)
	if err != nil {
		return nil, err
	}
	return geminiBytes(m.Role, parts), nil
}

// buildGeminiPart writes a part. An id that was derived is left out again.
func buildGeminiPart(p Part) ([]byte, error) {
	id := `"id":` + string(quote(p.ID)) + `,`
	if name, _, derived := Derived(p.ID); derived || p.ID == "" {
		id = ""
		if p.Name == "" {
			p.Name = name
		}
	}
	head := id + `"name":` + string(quote(p.Name))
	switch {
	case p.Sealed || p.Media > 0:
	case p.Kind == KindText:
		return textPart(p.Text), nil
	case p.Kind == KindCall:
		args, err := argumentsOf(p)
		if err != nil {
			return nil, err
		}
		return joined(`{"functionCall":{`, head, `,"args":`, string(args), `}}`), nil
	case p.Kind == KindResult && p.Name == "":
		return nil, fault.New(fault.Invalid, op, "the result of call %s does not name its function", p.ID)
	case p.Kind == KindResult:
		return joined(`{"functionResponse":{`, head, `,"response":`, string(response(quote(p.Text), p.IsError)), `}}`),
			nil
	}
	return nil, noWireForm(p)
}

// response is the object that holds a result.
func response(literal []byte, failed bool) []byte {
	member := `{"output":`
	if failed {
		member = `{"error":`
	}
	return joined(member, string(literal), `}`)
}
