package jsondoc

import (
	"bytes"
	"encoding/json"
	"strings"
)

// Report says what of a document could not be read.
type Report struct {
	Skipped int    `json:"skipped"`       // complete entries that are not what they should be
	Lost    int64  `json:"lost"`          // bytes at the end that are not complete, or no JSON
	Why     string `json:"why,omitempty"` // what was wrong first
}

// note keeps the first reason.
func (r *Report) note(err error) {
	if r.Why == "" {
		r.Why = err.Error()
	}
}

// Read hands every complete entry of a document to entry, in order, and returns the other members of
// the root. An entry that is no object, or that entry refuses, is skipped and counted. A document that
// is cut off or broken gives what stands before. Errors: invalid for what is no such document at all.
func Read(raw []byte, list string, entry func(Object) error) (Object, Report, error) {
	raw = bytes.TrimPrefix(raw, []byte("\xef\xbb\xbf"))
	var rep Report
	d := json.NewDecoder(bytes.NewReader(raw))
	if err := open(d, '{'); err != nil {
		return nil, rep, err
	}
	var root Object
	for d.More() {
		at := d.InputOffset()
		m, err := rootMember(d, list, entry, &rep)
		if err != nil {
			rep.note(err)
			rep.Lost = int64(len(raw)) - max(at, m.end)
			return root, rep, nil
		}
		if !m.list && len(root) < maxMembers {
			root = root.with(m.Member)
		}
	}
	if err := open(d, '}'); err != nil {
		rep.note(err)
	} else {
		raw = bytes.TrimRight(raw, " \t\r\n")
	}
	rep.Lost = max(0, int64(len(raw))-d.InputOffset())
	return root, rep, nil
}

// rooted is a member of the root: the list of entries, or another one.
type rooted struct {
	Member
	list bool
	end  int64 // up to where the list was complete
}

// rootMember reads one member of the root.
func rootMember(d *json.Decoder, list string, entry func(Object) error, rep *Report) (rooted, error) {
	name, err := d.Token()
	if err != nil {
		return rooted{}, invalid(err)
	}
	m := rooted{}
	m.Name, _ = name.(string) // the decoder takes nothing else for a name
	if m.list = strings.EqualFold(m.Name, list); !m.list {
		err := d.Decode(&m.Value)
		if err == nil && nesting(m.Value) > maxDepth {
			m.Value = json.RawMessage("null")
			rep.Skipped++
		}
		return m, invalid(err)
	}
	if err := open(d, '['); err != nil {
		return m, err
	}
	for m.end = d.InputOffset(); d.More(); m.end = d.InputOffset() {
		var raw json.RawMessage
		if err := d.Decode(&raw); err != nil {
			return m, invalid(err)
		}
		o, err := Parse(raw)
		if err == nil {
			err = entry(o)
		}
		if err != nil {
			rep.note(err)
			rep.Skipped++
		}
	}
	return m, open(d, ']')
}
