package mcp

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/jsonspan"
)

// schema is the input schema of a tool: one flat object with properties of one type each. The MCP library could check
// arguments too, but its errors name Go structs.
type schema struct {
	Properties map[string]property `json:"properties"`
	Required   []string            `json:"required"`
	forms      map[string]string
	alias      func(name string) string
}

type property struct {
	Type  string   `json:"type"`
	Enum  []string `json:"enum"`
	Items struct {
		Type string `json:"type"`
	} `json:"items"`
	Properties map[string]property `json:"properties"` // of an object; nil: it may have any
}

// maxProblems is the maximum number of wrong arguments that one answer names: each may repeat a part of the input.
const maxProblems = 3

// parseSchema reads the input schema of a tool.
func parseSchema(t tool) (schema, error) {
	s := schema{forms: t.forms, alias: t.alias}
	err := json.Unmarshal([]byte(t.wholeInput()), &s)
	return s, fault.Wrap(fault.Internal, "mcp.schema", err)
}

// wholeInput is the schema of the arguments, those included that only programs pass.
func (t tool) wholeInput() string {
	if t.accepts == "" {
		return t.input
	}
	return strings.Replace(t.input, `"properties":{`, `"properties":{`+t.accepts+`,`, 1)
}

// check returns the arguments as one object without null values. Errors: invalid, naming each wrong argument with its
// correct form, and the required arguments if there are any.
func (s schema) check(toolName string, raw json.RawMessage) (json.RawMessage, error) {
	raw = parsed(raw, '{')
	trimmed := strings.TrimSpace(string(raw[:min(len(raw), 64)]))
	if trimmed == "" || trimmed == "null" {
		raw = json.RawMessage("{}")
	} else if trimmed[0] != '{' {
		return nil, fault.New(fault.Invalid, "mcp.arguments", "the arguments of %s are not an object", toolName).
			WithHint("the right form: %s", s.example())
	}
	fields, twice := object(raw, nil)
	var wrong []string
	for name, value := range maps.Clone(fields) {
		if _, known := s.Properties[name]; known || s.alias == nil {
			continue
		}
		if now := s.alias(name); now != "" {
			if _, both := fields[now]; both {
				twice = fmt.Sprintf("%q is given twice, as %q", now, name)
			}
			delete(fields, name)
			fields[now] = value
		}
	}
	if twice != "" {
		wrong = append(wrong, "argument "+twice)
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		p, known := s.Properties[name]
		fields[name] = p.adapted(fields[name])
		if !known {
			wrong = append(wrong, unknown("", name, s.Properties))
		} else if string(fields[name]) == "null" {
			delete(fields, name)
		} else {
			wrong = append(wrong, p.problems(name, s.form(name), fields[name])...)
		}
	}
	for _, name := range s.Required {
		if v, given := fields[name]; !given || string(v) == `""` {
			wrong = append(wrong, fmt.Sprintf("argument %q is missing, for example %s", name, s.form(name)))
		}
	}
	if len(wrong) > 0 {
		e := fault.New(fault.Invalid, "mcp.arguments", "%s", strings.Join(wrong[:min(len(wrong), maxProblems)], "; "))
		if len(s.Required) > 0 {
			e = e.WithHint("the right form: %s", s.example())
		}
		return nil, e
	}
	return s.join(fields), nil
}

// join returns an object of the fields, each with its exact bytes.
func (s schema) join(fields map[string]json.RawMessage) json.RawMessage {
	out := []byte{'{'}
	for i, name := range slices.Sorted(maps.Keys(fields)) {
		if i > 0 {
			out = append(out, ',')
		}
		out = fmt.Appendf(out, "%q:", name) // known names: plain letters
		out = append(out, fields[name]...)
	}
	return append(out, '}')
}

// problems says why a value cannot be used: its type, and members that its property does not know, which would be ignored.
// form is an example.
func (p property) problems(path, form string, raw json.RawMessage) (wrong []string) {
	if !p.accepts(raw) {
		return []string{fmt.Sprintf("argument %q is %s, not %s, for example %s", path, kindOf(raw), p.wanted(), form)}
	}
	if p.Properties == nil {
		return nil
	}
	fields, twice := object(raw, nil)
	if twice != "" {
		wrong = append(wrong, fmt.Sprintf("argument %q: %s", path, twice))
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		known, ok := p.Properties[name]
		switch {
		case !ok:
			wrong = append(wrong, unknown(path+".", name, p.Properties))
		case string(fields[name]) != "null":
			wrong = append(wrong, known.problems(path+"."+name, known.example(name), fields[name])...)
		}
	}
	return wrong
}

// unknown reports an unknown argument below a path and suggests a similar one.
func unknown(path, name string, among map[string]property) string {
	plain := strings.NewReplacer("_", "", "-", "")
	known := slices.Sorted(maps.Keys(among))
	for _, k := range known {
		if strings.EqualFold(plain.Replace(name), plain.Replace(k)) {
			return fmt.Sprintf("unknown argument %q: use %q", path+clean(name), path+k)
		}
	}
	return fmt.Sprintf("unknown argument %.1000q; known: %s", path+clean(name), strings.Join(known, ", "))
}

// objectOf returns the schema of a value of type T, for programs: an object with those members that JSON gives it.
func objectOf[T any](says string) string {
	described, err := jsonschema.For[T](nil)
	if err != nil {
		panic(err) // a type that JSON does not have
	}
	described.Description = says
	raw, _ := json.Marshal(loose(described)) // plain values
	return string(raw)
}

// loose returns a schema that requires no member and no other value for null, as Go reads JSON.
func loose(s *jsonschema.Schema) *jsonschema.Schema {
	s.Required, s.AdditionalProperties = nil, nil
	if len(s.Types) == 2 { // null, and what a slice or a pointer has otherwise
		s.Type, s.Types = s.Types[1], nil
	}
	for _, member := range s.Properties {
		loose(member)
	}
	return s
}

// example returns a call with the required arguments.
func (s schema) example() string {
	var parts []string
	for _, name := range s.Required {
		parts = append(parts, s.form(name))
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// kinds are the types of properties: what a value of them is called, an example, and whether JSON is one.
var kinds = map[string]struct {
	wanted, form string
	is           func(raw json.RawMessage) bool
}{
	"string":           {"a string", `"…"`, begins('"')},
	"integer":          {"a whole number", "10", is[int32]},
	"number":           {"a number", "0.5", is[float64]},
	"boolean":          {"true or false", "true", is[bool]},
	"object":           {"an object", `"…"`, begins('{')},
	"array of strings": {"an array of strings", `["…"]`, is[[]string]},
	"array of objects": {"an array of objects", `[{"role": "user", "content": "…"}]`, begins('[')},
}

// is reports whether JSON is of a type.
func is[T any](raw json.RawMessage) bool {
	var v T
	return json.Unmarshal(raw, &v) == nil
}

// begins is a function like is for what may be long: it looks at the first byte of valid JSON alone.
func begins(first byte) func(json.RawMessage) bool {
	return func(raw json.RawMessage) bool { return raw[0] == first }
}

// kind names the type of a property.
func (p property) kind() string {
	if p.Type == "array" {
		return "array of " + p.Items.Type + "s"
	}
	return p.Type
}

// form returns an example of one argument.
func (s schema) form(name string) string {
	if value := s.forms[name]; value != "" {
		return fmt.Sprintf("%q: %s", name, value)
	}
	return s.Properties[name].example(name)
}

// example returns an example of a property.
func (p property) example(name string) string {
	value := kinds[p.kind()].form
	if len(p.Enum) > 0 {
		value = `"` + p.Enum[0] + `"`
	}
	return fmt.Sprintf("%q: %s", name, cmp.Or(value, `"…"`))
}

// adapted returns a value as the property's type, where its text has the right form: hosts and models put numbers and
// arrays in quotes, write texts that look like numbers without, and whole numbers with a fraction of zeros.
func (p property) adapted(raw json.RawMessage) json.RawMessage {
	number := func(b []byte) bool { return len(b) > 0 && len(bytes.Trim(b, "-0123456789")) == 0 }
	switch p.Type {
	case "string":
		if number(raw) {
			return fmt.Appendf(nil, "%q", raw)
		}
	case "integer", "boolean":
		text := raw
		if len(raw) > 2 && raw[0] == '"' {
			text = raw[1 : len(raw)-1]
		}
		whole, zeros, _ := bytes.Cut(text, []byte("."))
		if len(zeros) > 0 && len(bytes.Trim(zeros, "0")) == 0 {
			text = whole
		}
		if number(text) || string(text) == "true" || string(text) == "false" {
			return text
		}
	case "array":
		if array := parsed(raw, '['); p.accepts(array) {
			if p.Items.Type == "object" {
				return parsedEach(array)
			}
			return array
		}
	}
	return raw
}

// parsedEach returns an array of objects, each of which may be in a string.
func parsedEach(array json.RawMessage) json.RawMessage {
	var items []json.RawMessage
	inString := bytes.IndexByte(bytes.TrimSpace(array[1:]), '"') == 0 || bytes.Contains(array, []byte(`,"{`)) ||
		bytes.Contains(array, []byte(`, "{`))
	if !inString || json.Unmarshal(array, &items) != nil {
		return array
	}
	out := []byte{'['}
	for i, item := range items {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, parsed(item, '{')...)
	}
	return append(out, ']')
}

// parsed returns what is in a string that is JSON and begins with first, else raw: some hosts hand over arrays and
// objects in that way.
func parsed(raw json.RawMessage, first byte) json.RawMessage {
	literal := bytes.TrimSpace(raw)
	if len(literal) == 0 || literal[0] != '"' || !json.Valid(literal) {
		return raw
	}
	text := bytes.TrimSpace([]byte(jsonspan.Unquote(literal)))
	if len(text) == 0 || text[0] != first || !json.Valid(text) {
		return raw
	}
	return text
}

// accepts reports whether a value is of the property's type.
func (p property) accepts(raw json.RawMessage) bool {
	return kinds[p.kind()].is(raw) && (len(p.Enum) == 0 || string(raw) == `""` ||
		slices.Contains(p.Enum, jsonspan.Unquote(raw)))
}

// wanted describes the expected value.
func (p property) wanted() string {
	if len(p.Enum) > 0 {
		return "one of " + strings.Join(p.Enum, ", ")
	}
	return kinds[p.kind()].wanted
}

// kindOf describes a value.
func kindOf(raw json.RawMessage) string {
	switch raw[0] {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return fmt.Sprintf("the string %s", clean(string(raw[:min(len(raw), 40)])))
	}
	return string(raw[:min(len(raw), 40)])
}
