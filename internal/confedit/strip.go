package confedit

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"ctxledger.dev/internal/fault"
)

// Verdict says what becomes of a value.
type Verdict int

// The verdicts.
const (
	Keep  Verdict = iota // it stays as it is
	Take                 // it goes
	Enter                // what it holds is judged by itself
)

// Element stands for an element of a list in a path.
const Element = "[]"

// Judge says what becomes of the value at a path. line is where it begins, from 1.
type Judge func(path []string, value json.RawMessage, line int) Verdict

// Former returns what a text held at a path before anything was added to it; nil: nothing. known is false if nobody knows.
type Former func(path []string) (value json.RawMessage, known bool)

// FormerText returns what a text that is known held.
func FormerText(text []byte) Former {
	_, rest := split(text)
	if len(bytes.TrimSpace(rest)) == 0 {
		return func([]string) (json.RawMessage, bool) { return nil, true }
	}
	t, err := parse(rest)
	if err != nil {
		return FormerUnknown
	}
	return func(path []string) (json.RawMessage, bool) {
		v, rest, err := t.walk(path)
		switch {
		case slices.Contains(path, Element) || err != nil:
			return nil, false
		case len(rest) > 0:
			return nil, true
		}
		return t.raw(v), true
	}
}

// FormerUnknown knows nothing.
func FormerUnknown([]string) (json.RawMessage, bool) { return nil, false }

// Strip takes out of a text what is judged to go, with the commas and the white space that were there for it. Objects and
// lists that become empty go with it if they were not there before; those that were empty before get back what was between
// their brackets. A member in the place of another value gives that back. Everything else stays, byte by byte.
// Errors: invalid for a text that is not a JSON object; too_large.
func Strip(text []byte, judge Judge, former Former) ([]byte, error) {
	mark, rest := split(text)
	if len(bytes.TrimSpace(rest)) == 0 {
		return text, nil
	}
	t, err := parse(rest)
	if err != nil {
		return nil, err
	}
	s := stripper{tree: t, judge: judge, former: former}
	s.enter(nil, t.top)
	if len(s.edits) == 0 {
		return text, nil
	}
	out := s.applied(0, len(rest), s.edits)
	if _, err := parse(out); err != nil {
		return nil, fault.Wrap(fault.Internal, op, err)
	}
	return append([]byte(mark), out...), nil
}

// Nothing reports whether a text holds no value and no comment: it is blank, or an empty object.
func Nothing(text []byte) bool {
	_, rest := split(text)
	return slices.Contains([]string{"", "{}"}, strings.Join(strings.Fields(string(rest)), ""))
}

// change is a part of a text that another text replaces.
type change struct {
	from, to int
	with     string
}

// stripper collects what is to change in a text. The changes do not overlap.
type stripper struct {
	tree
	judge  Judge
	former Former
	edits  []change
}

// enter judges what a value holds. It reports whether the value is to go with it.
func (s *stripper) enter(path []string, v hujson.Value) (goes bool) {
	items, _ := s.items(v)
	first := len(s.edits)
	gone, n := make([]bool, len(items)), 0
	for i, x := range items {
		name := x.name
		if v.Value.Kind() == '[' {
			name = Element
		}
		at := append(slices.Clip(path), name)
		switch s.judge(at, s.raw(x.value), s.line(x.start)) {
		case Take:
			if was, known := s.former(at); known && was != nil && name != Element {
				s.edits = append(s.edits, change{x.value.StartOffset, x.value.EndOffset, string(was)})
				continue
			}
			gone[i] = true
		case Enter:
			gone[i] = s.enter(at, x.value)
		}
		if gone[i] {
			n++
		}
	}
	if n == 0 {
		return false
	}
	s.cut(items, gone)
	if n < len(items) {
		return false
	}
	return s.emptied(path, v, first)
}

// cut takes out items, each with the comma and the white space that were there for it. It begins with the last one, so that
// it knows where the text goes on behind items that follow one another.
func (s *stripper) cut(items []item, gone []bool) {
	next, rest := -1, -1 // where the cut behind begins, and where what stays behind it
	for i, x := range slices.Backward(items) {
		if !gone[i] {
			continue
		}
		from, open := s.gap(x)
		to := x.end
		if x.comma == x.end {
			to++
		}
		if to != next {
			rest = to
		}
		if open && !s.endsLine(rest) { // what follows would become a part of the comment
			from = x.start
		}
		next = from
		s.edits = append(s.edits, change{from: from, to: to})
		if x.comma > x.end { // a comment before it stays
			s.edits = append(s.edits, change{from: x.comma, to: x.comma + 1})
		}
	}
	if items[len(items)-1].comma >= 0 { // as one that stays may have behind it
		return
	}
	for i, x := range slices.Backward(items) {
		if !gone[i] {
			if x.comma >= 0 {
				s.edits = append(s.edits, change{from: x.comma, to: x.comma + 1})
			}
			break
		}
	}
}

// gap returns where the white space directly before an item begins. open is true if a comment is before that which ends with
// its line.
func (s *stripper) gap(x item) (from int, open bool) {
	from = x.start - x.before
	for at := from; at < x.start; at++ {
		if end := commentEnd(s.text, at); end > at {
			open = s.text[at+1] == '/'
			from, at = end, end-1
		}
	}
	if open {
		from = len(bytes.TrimRight(s.text[:from], "\r\n"))
	}
	return from, open
}

// endsLine reports whether only white space is behind an offset in its line.
func (s *stripper) endsLine(at int) bool {
	return bytes.HasPrefix(bytes.TrimLeft(s.text[at:], " \t\r"), []byte("\n"))
}

// emptied says what becomes of a value that holds nothing any more, and reports whether it is to go. first is the first of
// the changes inside it.
func (s *stripper) emptied(path []string, v hujson.Value, first int) (goes bool) {
	from, to := v.StartOffset+1, v.EndOffset-1
	inside := bytes.TrimSpace(s.applied(from, to, s.edits[first:]))
	was, known := s.former(path)
	if len(path) > 0 && known && was == nil && len(inside) == 0 {
		s.edits = s.edits[:first]
		return true
	}
	if len(was) < 2 || was[0] != s.text[v.StartOffset] {
		return false
	}
	if within := was[1 : len(was)-1]; bytes.Equal(bytes.TrimSpace(within), inside) {
		s.edits = append(s.edits[:first], change{from, to, string(within)})
	}
	return false
}

// applied returns a part of the text with the changes made.
func (s *stripper) applied(from, to int, edits []change) (out []byte) {
	edits = slices.Clone(edits)
	slices.SortFunc(edits, func(a, b change) int { return a.from - b.from })
	for _, e := range edits {
		out = append(append(out, s.text[from:e.from]...), e.with...)
		from = e.to
	}
	return append(out, s.text[from:to]...)
}
