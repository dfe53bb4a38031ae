package scriptedmodel

import (
	"maps"
	"strings"
)

// Script is what the model does, in order. A Step without calls ends the agent's turn, and the
// next prompt of the same session continues with the step after it. When the script is used up, the
// model says so and ends the turn.
type Script []Step

// Step is one answer of the model: reasoning, a text, and tool calls to be made in parallel. The
// fields are sent in this order; empty ones are left out.
type Step struct {
	Think string // reasoning, sent as a thinking block with a made-up signature
	Text  string // what the assistant says
	Calls []Call // none: the turn ends
}

// Call is one tool call. Tool is the tool's name as the agent lists it, or the last part of the
// name of an MCP tool ("echo" for "mcp__server__echo"). The strings in Input, at any depth, may
// hold placeholders.
type Call struct {
	Tool  string
	Input map[string]any
}

// Say returns the step that ends a turn with a text.
func Say(text string) Step { return Step{Text: text} }

// Do returns the step that makes calls in parallel after saying text, which may be empty.
func Do(text string, calls ...Call) Step { return Step{Text: text, Calls: calls} }

// Vars are the values of placeholders: Vars{"dir": "/x"} replaces {{dir}} by /x in a script's
// texts and inputs. Unknown placeholders stay as they are.
type Vars map[string]string

// fill replaces the placeholders in every string of v, which it does not modify.
func (v Vars) fill(x any) any {
	switch x := x.(type) {
	case string:
		return v.text(x)
	case map[string]any:
		out := maps.Clone(x)
		for key, value := range out {
			out[key] = v.fill(value)
		}
		return out
	case []any:
		out := make([]any, len(x))
		for i, value := range x {
			out[i] = v.fill(value)
		}
		return out
	default:
		return x
	}
}

// text replaces the placeholders in s.
func (v Vars) text(s string) string {
	for name, value := range v {
		s = strings.ReplaceAll(s, "{{"+name+"}}", value)
	}
	return s
}
