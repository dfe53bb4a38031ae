package transcript

import (
	"bytes"

	"ctxledger.dev/internal/fault"
)

// wireRole is what providers call a role that have none for tools: results travel in messages of the user.
func wireRole(r Role) Role {
	if r == RoleTool {
		return RoleUser
	}
	return r
}

// geminiRole is what Gemini calls a role.
func geminiRole(r Role) Role {
	if r == RoleAssistant {
		return "model"
	}
	return wireRole(r)
}

// newMessage writes a message of one text, where content is a string.
func newMessage(role Role, text string) []byte { return messageBytes(role, quote(text)) }

func newGemini(role Role, text string) []byte {
	return joined(`{"role":`, string(quote(string(geminiRole(role)))), `,"parts":[{"text":`, string(quote(text)), `}]}`)
}

func messageBytes(role Role, content []byte) []byte {
	return joined(`{"role":`, string(quote(string(wireRole(role)))), `,"content":`, string(content), `}`)
}

// built writes results that are added, separated by commas: nothing else has a wire form without its original.
func built(results []Part, write func(Part) []byte) ([]byte, error) {
	all := make([][]byte, len(results))
	for i, p := range results {
		if all[i] = write(p); p.Kind != KindResult || p.Sealed || p.Media > 0 || all[i] == nil {
			return nil, fault.New(fault.Invalid, op, "part %d: a %s of call %s has no wire form without its original", i,
				p.Kind, p.ID)
		}
	}
	return bytes.Join(all, []byte(",")), nil
}

func anthropicResult(p Part) []byte {
	failed := ""
	if p.IsError {
		failed = `,"is_error":true`
	}
	return joined(`{"type":"tool_result","tool_use_id":`, string(quote(p.ID)), `,"content":`, string(quote(p.Text)),
		failed, `}`)
}

func chatResult(p Part) []byte {
	whose := `"tool","tool_call_id":` + string(quote(p.ID))
	if name, _, derived := Derived(p.ID); derived { // it answers a call that has no id
		whose = `"function","name":` + string(quote(name))
	}
	return joined(`{"role":`, whose, `,"content":`, string(quote(p.Text)), `}`)
}

func itemResult(p Part) []byte {
	return joined(`{"type":"function_call_output","call_id":`, string(quote(p.ID)), `,"output":`, string(quote(p.Text)),
		`}`)
}

// geminiResult leaves an id out that was derived. It is nil for the result of no function.
func geminiResult(p Part) []byte {
	id := `"id":` + string(quote(p.ID)) + `,`
	if name, _, derived := Derived(p.ID); derived || p.ID == "" {
		id = ""
		if p.Name == "" {
			p.Name = name
		}
	}
	if p.Name == "" {
		return nil
	}
	return joined(`{"functionResponse":{`, id, `"name":`, string(quote(p.Name)), `,"response":`,
		string(response(quote(p.Text), p.IsError)), `}}`)
}

// response writes the object of a result.
func response(literal []byte, failed bool) []byte {
	member := `{"output":`
	if failed {
		member = `{"error":`
	}
	return joined(member, string(literal), `}`)
}
