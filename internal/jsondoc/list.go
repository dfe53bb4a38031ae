package jsondoc

import (
	"encoding/json"
	"errors"

	"ctxledger.dev/internal/fault"
)

// List reads a member that is a list of objects. An element that is none, or that read refuses, is
// left out and counted.
func List[T any](m Member, read func(v *T, o Object) error, rep *Report) (list []T) {
	var raws []json.RawMessage
	if err := m.Into(&raws); err != nil {
		rep.note(err)
		rep.Skipped++
		return nil
	}
	for _, raw := range raws {
		var v T
		if rep.take(raw, func(o Object) error { return read(&v, o) }) {
			list = append(list, v)
		}
	}
	return list
}

// Err returns an error (invalid) when something was skipped.
func (r Report) Err() error {
	if r.Skipped == 0 {
		return nil
	}
	return fault.Wrap(fault.Invalid, "jsondoc.read", errors.New(r.Why))
}

// Objects makes a list for Object.Add.
func Objects[T any](list []T, object func(T) Object) []json.Marshaler {
	out := make([]json.Marshaler, 0, len(list))
	for _, v := range list {
		out = append(out, object(v))
	}
	return out
}

// MarshalJSON implements json.Marshaler.
func (o Object) MarshalJSON() ([]byte, error) {
	if len(o) == 0 {
		return []byte("{}"), nil
	}
	return o.line(), nil
}

// Size returns how many bytes an entry takes in a document.
func (o Object) Size() int { return len(o.layout(entryIndent)) + len(",\n"+entryIndent) }
