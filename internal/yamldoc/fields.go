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

// Fields returns the keys at the top of a document in their order, for a caller that matches keys
// on its own terms or says where they stand. An empty document has none.
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
	top := document.Content[0]
	if top.Kind == yaml.ScalarNode && top.Tag == "!!null" {
		return nil, nil // nothing but comments
	}
	if top.Kind != yaml.MappingNode {
		return nil, fault.New(fault.Invalid, "yamldoc.fields", "line %d: a mapping is expected, \"key: value\"", top.Line)
	}
	fields := make([]Field, 0, len(top.Content)/2)
	for i := 0; i+1 < len(top.Content); i += 2 {
		key := top.Content[i]
		fields = append(fields, Field{Key: key.Value, Line: key.Line, Column: key.Column, value: top.Content[i+1]})
	}
	return fields, nil
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
