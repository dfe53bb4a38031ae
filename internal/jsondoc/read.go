package jsondoc

import (
	"bytes"
	"encoding/json"
	"strings"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/jsonspan"
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
	var root Object
	w := jsonspan.New(raw, jsonspan.MaxDepth)
	if w.Peek() != '{' {
		return nil, rep, fault.New(fault.Invalid, "jsondoc.read", "expected an object")
	}
	whole := w.Pos() + 1 // up to where all is complete
	for name := range w.Inside {
		if strings.EqualFold(jsonspan.Unquote(name.In(raw)), list) {
			if w.Peek() == '[' {
				whole = w.Pos() + 1
			}
			for value := range w.Elements {
				rep.take(value.In(raw), entry)
				whole = w.Pos()
			}
		} else if value := w.Value(); w.Err() == nil && len(root) < maxMembers {
			m := member(raw, name, value)
			if m.deep() {
				m.Value = json.RawMessage("null")
				rep.Skipped++
			}
			root = root.with(m)
		}
		if w.Err() == nil {
			whole = w.Pos()
		}
	}
	if err := w.Err(); err != nil {
		rep.note(err)
		rep.Lost = int64(len(raw) - whole)
	} else {
		rep.Lost = int64(len(bytes.TrimRight(raw, " \t\r\n")) - w.Pos())
	}
	return root, rep, nil
}

// take reads an object. One that is none, or that read refuses, is left out and counted.
func (r *Report) take(raw json.RawMessage, read func(Object) error) bool {
	o, err := Parse(raw)
	if err == nil {
		err = read(o)
	}
	if err != nil {
		r.note(err)
		r.Skipped++
	}
	return err == nil
}
