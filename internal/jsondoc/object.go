package jsondoc

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/jsonspan"
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
	var o Object
	w := jsonspan.New(raw, jsonspan.MaxDepth)
	for name, value := range w.Members {
		m := member(raw, name, value)
		if m.deep() {
			return nil, fault.New(fault.TooLarge, "jsondoc.read", "%.1000q is nested more than %d levels deep", m.Name, maxDepth)
		}
		if o = o.with(m); len(o) > maxMembers {
			return nil, fault.New(fault.TooLarge, "jsondoc.read", "an object has more than %d members", maxMembers)
		}
	}
	return o, fault.Wrap(fault.Invalid, "jsondoc.read", w.Err())
}

// member copies a member.
func member(raw []byte, name, value jsonspan.Span) Member {
	return Member{Name: jsonspan.Unquote(name.In(raw)), Value: bytes.Clone(value.In(raw))}
}

// deep reports whether the value, which is valid, is nested deeper than allowed.
func (m Member) deep() bool {
	_, err := jsonspan.Whole(m.Value, maxDepth)
	return err != nil
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

// Into reads a member's value into v, a pointer. Errors: invalid, naming the member.
func (m Member) Into(v any) (err error) {
	switch v := v.(type) {
	case *time.Time:
		*v, err = m.time()
	case **time.Time:
		*v = new(time.Time)
		**v, err = m.time()
	default:
		err = json.Unmarshal(m.Value, v)
	}
	if err != nil {
		return &fault.Error{Code: fault.Invalid, Op: "jsondoc.read", Message: m.Name, Err: err}
	}
	return nil
}

// time reads a time: RFC 3339 with any fraction and offset; without an offset it is taken for UTC.
func (m Member) time() (time.Time, error) {
	var s string
	if err := json.Unmarshal(m.Value, &s); err != nil {
		return time.Time{}, err
	}
	at, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		at, err = time.ParseInLocation("2006-01-02T15:04:05.999999999", s, time.UTC)
	}
	if y := at.UTC().Year(); err == nil && (y < 0 || y > 9999) {
		err = errors.New("there is no such year")
	}
	return at.UTC(), err
}

// Add appends a member. A value that cannot be written in JSON is a defect of the caller, and written as null.
func (o *Object) Add(name string, v any) {
	switch at := v.(type) {
	case *time.Time:
		v = stamp(*at)
	case **time.Time:
		if *at != nil {
			v = stamp(**at)
		}
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(v) != nil {
		b.Reset()
		b.WriteString("null")
	}
	*o = append(*o, Member{name, bytes.TrimSpace(b.Bytes())})
}

// stamp writes a time in UTC: in milliseconds, as the documented examples have it, or finer when it is finer.
func stamp(at time.Time) string {
	layout := "2006-01-02T15:04:05.000Z07:00"
	if at.Nanosecond()%int(time.Millisecond) != 0 {
		layout = time.RFC3339Nano
	}
	return at.UTC().Format(layout)
}
