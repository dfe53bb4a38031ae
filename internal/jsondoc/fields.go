package jsondoc

import (
	"encoding/json"
	"slices"
	"strings"

	"ctxledger.dev/internal/fault"
)

// Field is a known member of an object: its name as it is written, and a pointer to where its value is kept. A time is
// written in UTC.
type Field struct {
	Name     string
	Value    any
	Optional bool // left out where it is zero, or empty
}

// Decode reads an object into fields, whatever the case of the names, and returns the other members. Errors: invalid.
func Decode(raw []byte, fields []Field) (unknown Object, err error) {
	o, err := Parse(raw)
	for _, m := range o {
		i := slices.IndexFunc(fields, func(f Field) bool { return strings.EqualFold(f.Name, m.Name) })
		if i < 0 {
			unknown = append(unknown, m)
		} else if err := m.Into(fields[i].Value); err != nil {
			return nil, err
		}
	}
	return unknown, err
}

// Encode makes an object of fields, in their order, and of other members. A nil list is written as an empty one.
func Encode(fields []Field, unknown Object) Object {
	var o Object
	for _, f := range fields {
		o.Add(f.Name, f.Value)
		last := len(o) - 1
		switch string(o[last].Value) {
		case "null", `""`, "0", "false", "[]", "{}":
			if f.Optional {
				o = o[:last]
			} else if string(o[last].Value) == "null" {
				o[last].Value = json.RawMessage("[]")
			}
		}
	}
	return append(o, unknown...)
}

// List reads a member that is a list. An element that cannot be read is left out and counted.
func List[T any](m Member, rep *Report) (list []T) {
	var raws []json.RawMessage
	if err := m.Into(&raws); err != nil {
		rep.note(err)
		return nil
	}
	for _, raw := range raws {
		list = take(list, raw, rep)
	}
	return list
}

// take appends an element of a list, unless it cannot be read, which is counted.
func take[T any](list []T, raw []byte, rep *Report) []T {
	var v T
	if err := json.Unmarshal(raw, &v); err != nil {
		rep.note(fault.Wrap(fault.Invalid, "jsondoc.read", err))
		return list
	}
	return append(list, v)
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
