package jsondoc

import (
	"bytes"
	"cmp"
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

// note counts something that could not be read, and keeps the first reason.
func (r *Report) note(err error) {
	r.Skipped++
	r.Why = cmp.Or(r.Why, err.Error())
}

// Read returns the complete entries of a document, in order, and the other members of the root. An entry that cannot be
// read is skipped and counted. A document that is cut off or broken gives what stands before. Errors: invalid for what is
// no such document at all.
func Read[T any](raw []byte, list string) (entries []T, root Object, rep Report, err error) {
	raw = bytes.TrimPrefix(raw, []byte("\xef\xbb\xbf"))
	w := jsonspan.New(raw, jsonspan.MaxDepth)
	if w.Peek() != '{' {
		return nil, nil, rep, fault.New(fault.Invalid, "jsondoc.read", "expected an object")
	}
	whole := w.Pos() + 1 // up to where all is complete
	for name := range w.Inside {
		if strings.EqualFold(jsonspan.Unquote(name.In(raw)), list) {
			if w.Peek() == '[' {
				whole = w.Pos() + 1
			}
			for value := range w.Elements {
				entries = take(entries, value.In(raw), &rep)
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
		rep.Why = cmp.Or(rep.Why, err.Error())
		rep.Lost = int64(len(raw) - whole)
	} else {
		rep.Lost = int64(len(bytes.TrimRight(raw, " \t\r\n")) - w.Pos())
	}
	return entries, root, rep, nil
}
