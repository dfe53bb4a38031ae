package yamldoc

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"ctxledger.dev/internal/fault"
)

// Field is one key of the mapping at the top of a document, with its value.
type Field struct {
	Key    string
	Line   int // of the key, from 1
	Column int // of the key, in characters, from 1

	value *yaml.Node
}

// Text returns a field that no document has, with a text as its value.
func Text(key, text string) Field {
	return Field{Key: key, value: &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text}}
}

// Fields returns the keys at the top of a document in their order, for a caller that matches keys
// on its own terms or says where they are. An empty document has none.
//
// Errors: those of Decode; invalid, with the line, for a document that is not a mapping.
func Fields(data []byte) ([]Field, error) {
	var document yaml.Node
	if err := Decode(data, &document); err != nil {
		return nil, err
	}
	if len(document.Content) == 0 {
		return nil, nil
	}
	return fieldsOf(document.Content[0])
}

// Fields returns the keys of the mapping that is the field's value, in their order; no value is none.
// Errors: invalid, with the line, for a value that is not a mapping.
func (f Field) Fields() ([]Field, error) {
	value := f.value
	if value.Kind == yaml.AliasNode {
		value = value.Alias
	}
	return fieldsOf(value)
}

func fieldsOf(node *yaml.Node) ([]Field, error) {
	if node.Kind == yaml.ScalarNode && node.Tag == "!!null" {
		return nil, nil // nothing but comments
	}
	if node.Kind != yaml.MappingNode {
		return nil, fault.New(fault.Invalid, "yamldoc.fields", "line %d: a mapping is expected, \"key: value\"",
			node.Line)
	}
	fields := make([]Field, 0, len(node.Content)/2)
	for i := 0; i+1 < len(node.Content); i += 2 {
		key := node.Content[i]
		fields = append(fields, Field{Key: key.Value, Line: key.Line, Column: key.Column, value: node.Content[i+1]})
	}
	return fields, nil
}

// Value returns where the field's value begins, line and column from 1, and its text if it is a single value.
func (f Field) Value() (line, column int, text string) {
	if f.value.Kind == yaml.ScalarNode {
		text = f.value.Value
	}
	return f.value.Line, f.value.Column, text
}

// Decode reads the field's value into a pointer. Errors: invalid, with the position.
func (f Field) Decode(into any) error {
	if err := f.value.Decode(into); err != nil {
		text := message(err)
		where := fmt.Sprintf("line %d", f.value.Line)
		text = strings.TrimPrefix(text, where+": ")
		return fault.New(fault.Invalid, "yamldoc.fields", "%s, column %d: %s: %s", where, f.value.Column, f.Key, text)
	}
	return nil
}

// IsNull reports whether the field has no value.
func (f Field) IsNull() bool {
	return f.value == nil || f.value.Kind == yaml.ScalarNode && f.value.Tag == "!!null"
}

// IsText reports whether the field's value is a text, not a number, a truth value, a date, nothing, a list or a mapping.
func (f Field) IsText() bool {
	return f.value != nil && f.value.Kind == yaml.ScalarNode && f.value.Tag == "!!str"
}
