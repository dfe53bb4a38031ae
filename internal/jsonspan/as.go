package jsonspan

import "encoding/json"

// Object is a JSON object of which not all is known.
type Object = map[string]json.RawMessage

// As decodes what is expected to be of a type; the type's zero value for anything else.
func As[T any](raw json.RawMessage) (v T) {
	if json.Unmarshal(raw, &v) != nil {
		return *new(T)
	}
	return v
}
