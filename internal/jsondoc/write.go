package jsondoc

import (
	"bytes"
	"encoding/json"
	"io"
)

// Writer writes a document entry by entry: nothing of it is kept in memory.
type Writer struct {
	w     io.Writer
	list  string
	count int
	err   error // of w, the first one
}

// NewWriter begins a document with a list of that name.
func NewWriter(w io.Writer, list string) *Writer { return &Writer{w: w, list: list} }

// entryIndent is where entries start.
const entryIndent = "    "

// Entry writes the next entry, with one call of the underlying Write.
func (d *Writer) Entry(o Object) {
	sep := ",\n" + entryIndent
	if d.count == 0 {
		sep = "{\n  " + string(quoted(d.list)) + ": [\n" + entryIndent
	}
	d.count++
	d.write(append([]byte(sep), o.layout(entryIndent)...))
}

// Close writes the rest of the root behind the list, and returns the first error of the underlying
// writer, unchanged.
func (d *Writer) Close(rest Object) error {
	if d.count == 0 {
		d.write([]byte("{\n  " + string(quoted(d.list)) + ": []"))
	} else {
		d.write([]byte("\n  ]"))
	}
	for _, m := range rest {
		d.write([]byte(",\n  " + string(quoted(m.Name)) + ": "))
		d.write(layout(m.Value, "  "))
	}
	d.write([]byte("\n}\n"))
	return d.err
}

func (d *Writer) write(b []byte) {
	if d.err == nil {
		_, d.err = d.w.Write(b)
	}
}

// layout writes an object that starts at an indent: always a member a line.
func (o Object) layout(indent string) []byte {
	if len(o) == 0 {
		return []byte("{}")
	}
	b := []byte("{\n")
	for i, m := range o {
		if i > 0 {
			b = append(b, ",\n"...)
		}
		b = append(b, indent+"  "...)
		b = append(append(b, quoted(m.Name)...), ": "...)
		b = append(b, layout(m.Value, indent+"  ")...)
	}
	return append(b, "\n"+indent+"}"...)
}

// layout writes a value that starts at an indent.
func layout(raw json.RawMessage, indent string) []byte {
	raw = bytes.TrimSpace(raw)
	switch {
	case len(raw) == 0:
		return []byte("null")
	case raw[0] == '{':
		o, err := Parse(raw)
		if err != nil {
			return []byte("null") // no caller hands in what is no JSON
		}
		if len(o) > 0 && o.plain() {
			return o.line()
		}
		return o.layout(indent)
	case raw[0] == '[':
		return layoutList(raw, indent)
	}
	return raw
}

// layoutList writes a list: plain values on one line, else an element a line.
func layoutList(raw json.RawMessage, indent string) []byte {
	var list []json.RawMessage
	if err := json.Unmarshal(raw, &list); err != nil || len(list) == 0 {
		return []byte("[]")
	}
	open, sep, end := "[", ", ", "]"
	for _, v := range list {
		if !isPlain(v) {
			open, sep, end = "[\n"+indent+"  ", ",\n"+indent+"  ", "\n"+indent+"]"
			break
		}
	}
	b := []byte(open)
	for i, v := range list {
		if i > 0 {
			b = append(b, sep...)
		}
		b = append(b, layout(v, indent+"  ")...)
	}
	return append(b, end...)
}

// plain reports whether an object has neither objects nor lists in it.
func (o Object) plain() bool {
	for _, m := range o {
		if !isPlain(m.Value) {
			return false
		}
	}
	return true
}

func isPlain(v json.RawMessage) bool {
	v = bytes.TrimSpace(v)
	return len(v) > 0 && v[0] != '{' && v[0] != '['
}

// line writes an object of plain values on one line.
func (o Object) line() []byte {
	b := []byte("{ ")
	for i, m := range o {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = append(append(b, quoted(m.Name)...), ": "...)
		b = append(b, bytes.TrimSpace(m.Value)...)
	}
	return append(b, " }"...)
}

// quoted writes a name.
func quoted(name string) []byte {
	var o Object
	o.Add("", name)
	return o[0].Value
}
