package jsondoc

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"time"

	"ctxledger.dev/internal/fault"
)

// Member is one name of an object with its value, as it stood there.
type Member struct {
	Name  string
	Value json.RawMessage
}

// Object is the members of a JSON object in their order.
type Object []Member

// Bounds of a document: people write some five levels and twenty members.
const (
	maxDepth   = 64   // levels of nesting
	maxMembers = 1000 // of one object
)

// Parse reads an object. Of members whose names differ only in case the last one counts, and a null is
// as good as none. Errors: invalid.
func Parse(raw []byte) (Object, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	if err := open(d, '{'); err != nil {
		return nil, err
	}
	var o Object
	for d.More() {
		m, err := member(d)
		if err != nil {
			return nil, err
		}
		if o = o.with(m); len(o) > maxMembers {
			return nil, fault.New(fault.TooLarge, "jsondoc.read", "an object has more than %d members", maxMembers)
		}
	}
	return o, open(d, '}')
}

// with appends a member in place of an earlier one of that name.
func (o Object) with(m Member) Object {
	for i := range o {
		if strings.EqualFold(o[i].Name, m.Name) {
			o = append(o[:i:i], o[i+1:]...)
			break
		}
	}
	if string(m.Value) == "null" {
		return o
	}
	return append(o, m)
}

// open reads one delimiter.
func open(d *json.Decoder, want json.Delim) error {
	t, err := d.Token()
	if err == nil && t != want {
		err = errors.New("expected " + want.String())
	}
	return invalid(err)
}

// member reads a name and its value.
func member(d *json.Decoder) (Member, error) {
	name, err := d.Token()
	if err != nil {
		return Member{}, invalid(err)
	}
	m := Member{}
	m.Name, _ = name.(string) // the decoder takes nothing else for a name
	if err := d.Decode(&m.Value); err != nil {
		return m, invalid(err)
	}
	if nesting(m.Value) > maxDepth {
		return m, fault.New(fault.TooLarge, "jsondoc.read", "%.1000q is nested more than %d levels deep", m.Name, maxDepth)
	}
	return m, nil
}

// nesting returns how deep the lists and objects of a valid JSON value go.
func nesting(raw []byte) int {
	depth, most, quoted := 0, 0, false
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
			most = max(most, depth)
		case c == '}' || c == ']':
			depth--
		}
	}
	return most
}

// invalid gives an error of the decoder its code.
func invalid(err error) error {
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return fault.Wrap(fault.Invalid, "jsondoc.read", err)
}

// Into reads a member's value into v. Errors: invalid, naming the member.
func (m Member) Into(v any) error {
	if err := json.Unmarshal(m.Value, v); err != nil {
		return &fault.Error{Code: fault.Invalid, Op: "jsondoc.read", Message: m.Name, Err: err}
	}
	return nil
}

// Time reads a member's value as a time: RFC 3339 with any fraction and offset; without an offset it
// is taken for UTC. Errors: invalid.
func (m Member) Time(v *time.Time) error {
	var s string
	if err := m.Into(&s); err != nil {
		return err
	}
	at, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		at, err = time.ParseInLocation("2006-01-02T15:04:05.999999999", s, time.UTC)
	}
	if y := at.UTC().Year(); err == nil && (y < 0 || y > 9999) {
		err = errors.New("there is no such year")
	}
	if err != nil {
		return &fault.Error{Code: fault.Invalid, Op: "jsondoc.read", Message: m.Name, Err: err}
	}
	*v = at.UTC()
	return nil
}

// Add appends a member. A value that cannot be written in JSON is a defect of the caller, and left out.
func (o *Object) Add(name string, v any) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err == nil {
		*o = append(*o, Member{name, bytes.TrimSpace(b.Bytes())})
	}
}

// AddTime appends a time in UTC: in milliseconds, as the documented examples have it, or finer when it
// is finer.
func (o *Object) AddTime(name string, at time.Time) {
	layout := "2006-01-02T15:04:05.000Z07:00"
	if at.Nanosecond()%int(time.Millisecond) != 0 {
		layout = time.RFC3339Nano
	}
	o.Add(name, at.UTC().Format(layout))
}
