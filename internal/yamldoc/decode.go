// Package yamldoc reads YAML documents, and is the only package that knows the YAML library.
//
// Start at Decode. It refuses what is too long or holds more than one document, and its errors
// are of code invalid and name the line. It never panics on input; documents that grow through
// aliases are refused by the library.
//
// The package deliberately does not write YAML: what we write is small enough to be written by
// hand, quoted so that every reader agrees on it.
package yamldoc

import (
	"bytes"
	"errors"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"

	"ctxledger.dev/internal/fault"

	"ctxledger.dev/internal/pattern"
)

// Max is the longest document that Decode reads, in bytes: configuration and front matter are
// written by people, and this is far more than one writes.
const Max = 1 << 20

// Decode reads the one document in data into a pointer: a struct with yaml tags, a map, or any.
// An empty document leaves it as it is. Keys that a struct does not have are ignored.
//
// Errors: too_large beyond Max; invalid, with the line, for anything that is not one YAML
// document of the right shape.
func Decode(data []byte, into any) error {
	const op = "yamldoc.decode"
	if len(data) > Max {
		return fault.New(fault.TooLarge, op, "a YAML document of %d bytes is longer than the limit of %d", len(data),
			Max)
	}
	dec := yaml.NewDecoder(bytes.NewReader(data))
	if err := dec.Decode(into); err != nil {
		if errors.Is(err, io.EOF) {
			return nil
		}
		return fault.New(fault.Invalid, op, "%s", message(err))
	}
	var more yaml.Node
	switch err := dec.Decode(&more); {
	case errors.Is(err, io.EOF):
		return nil
	case err != nil:
		return fault.New(fault.Invalid, op, "%s", message(err))
	}
	return fault.New(fault.Invalid, op, "line %d: a second YAML document begins here; only one is expected", more.Line)
}

// message turns the library's text ("yaml: line 3: …", or a list of such lines) into one line.
func message(err error) string {
	if te, ok := errors.AsType[*yaml.TypeError](err); ok {
		return mismatch().ReplaceAllStringFunc(strings.Join(te.Errors, "; "), expected)
	}
	return strings.Join(strings.Fields(strings.TrimPrefix(err.Error(), "yaml: ")), " ")
}

// mismatch is how the library says that a value does not fit: the value's tag, the beginning of a scalar, Go's type.
var mismatch = pattern.Lazy("cannot unmarshal !!([a-z]+)(?: (`[^`]*`))? into ([^; ]+)")

// expected says the same in words of YAML.
func expected(text string) string {
	m := mismatch().FindStringSubmatch(text)
	got := m[2]
	switch {
	case m[1] == "seq":
		got = "a list"
	case m[1] == "map":
		got = "a mapping"
	case got == "":
		got = "nothing"
	}
	want := "a mapping"
	switch t := strings.TrimPrefix(m[3], "*"); {
	case t == "string":
		want = "a string"
	case t == "bool":
		want = "true or false"
	case strings.HasPrefix(t, "int"), strings.HasPrefix(t, "uint"), strings.HasPrefix(t, "float"):
		want = "a number"
	case strings.HasPrefix(t, "[]"):
		want = "a list"
	}
	return want + " is expected, not " + got
}
