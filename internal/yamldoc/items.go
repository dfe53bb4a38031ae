package yamldoc

import (
	"go.yaml.in/yaml/v3"

	"ctxledger.dev/internal/fault"
)

// Items returns the elements of the list that is the field's value, in their order, each with the field's key
// and its own place; no value is none. Errors: invalid, with the line, for a value that is not a list.
func (f Field) Items() ([]Field, error) {
	value := f.value
	if value.Kind == yaml.AliasNode {
		value = value.Alias
	}
	if value.Kind == yaml.ScalarNode && value.Tag == "!!null" {
		return nil, nil
	}
	if value.Kind != yaml.SequenceNode {
		return nil, fault.New(fault.Invalid, "yamldoc.items", "line %d: a list is expected", value.Line)
	}
	items := make([]Field, 0, len(value.Content))
	for _, n := range value.Content {
		items = append(items, Field{Key: f.Key, Line: n.Line, Column: n.Column, value: n})
	}
	return items, nil
}
