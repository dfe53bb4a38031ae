package confedit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"ctxledger.dev/internal/fault"
)

// Bounds of a text. Claude Code keeps figures of all projects in its own file, which has some megabytes at most.
const (
	MaxSize  = 32 << 20 // bytes
	maxDepth = 200      // nested objects and lists
)

const op = "confedit"

// bom is the byte order mark with which some editors on Windows begin a file.
const bom = "\ufeff"

// Entry is a value in a JSON text: the member at the end of a path, or an element of the list there.
type Entry struct {
	Path  []string        `json:"path"`           // names of members, from the top
	List  bool            `json:"list,omitempty"` // it is an element of the list at Path
	Value json.RawMessage `json:"value"`          // without white space around its parts
}

// Mine says how an element of a list that does not have the value of an entry is a form of it all the same.
type Mine func(value json.RawMessage) State

// State says how an entry is there.
type State int

// The states of an entry.
const (
	Absent    State = iota
	Same            // there, with the same value
	Different       // there, with another value
)

// item is a member of an object, or an element of a list.
type item struct {
	name       string
	before     int // bytes of white space and comments before it, from the bracket or comma there
	start, end int // of the member with its name, or of the element
	value      hujson.Value
	comma      int // where the comma behind it is; -1: there is none
}

// tree is a parsed text.
type tree struct {
	text  []byte // without a byte order mark
	top   hujson.Value
	lines []int // where lines begin
}

// parse reads a text. Errors: invalid, too_large.
func parse(text []byte) (tree, error) {
	if len(text) > MaxSize {
		return tree{}, fault.New(fault.TooLarge, op, "it has more than %d bytes", MaxSize)
	}
	if deeper(text, maxDepth) {
		return tree{}, fault.New(fault.Invalid, op, "it is nested deeper than %d", maxDepth)
	}
	v, err := hujson.Parse(text)
	if err != nil {
		return tree{}, fault.New(fault.Invalid, op, "it is not JSON: %s", strings.TrimPrefix(err.Error(), "hujson: "))
	}
	if _, ok := v.Value.(*hujson.Object); !ok {
		return tree{}, fault.New(fault.Invalid, op, "it is not a JSON object")
	}
	lines := []int{0}
	for i, c := range text {
		if c == '\n' {
			lines = append(lines, i+1)
		}
	}
	return tree{text, v, lines}, nil
}

// line returns the number of the line of an offset, from 1.
func (t tree) line(at int) int {
	n, _ := slices.BinarySearch(t.lines, at+1)
	return n
}

// deeper reports whether brackets are nested deeper than a limit, outside strings and comments.
func deeper(text []byte, limit int) bool {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		case '/':
			end := commentEnd(text, i)
			i = max(end-1, i)
		case '{', '[':
			if depth++; depth > limit {
				return true
			}
		case '}', ']':
			depth--
		}
	}
	return false
}

// commentEnd returns where the comment ends that begins at i; i if none does.
func commentEnd(text []byte, i int) int {
	mark, rest := "", text[i:]
	switch {
	case bytes.HasPrefix(rest, []byte("//")):
		mark = "\n"
	case bytes.HasPrefix(rest, []byte("/*")):
		mark = "*/"
	default:
		return i
	}
	if n := bytes.Index(rest[2:], []byte(mark)); n >= 0 {
		return i + 2 + n + len(mark)
	}
	return len(text)
}

// items returns what an object or a list holds. ok is false for other values.
func (t tree) items(v hujson.Value) (out []item, ok bool) {
	switch c := v.Value.(type) {
	case *hujson.Object:
		for _, m := range c.Members {
			out = append(out, item{name: m.Name.Value.(hujson.Literal).String(),
				before: len(m.Name.BeforeExtra), start: m.Name.StartOffset, end: m.Value.EndOffset, value: m.Value})
		}
	case *hujson.Array:
		for _, e := range c.Elements {
			out = append(out, item{before: len(e.BeforeExtra), start: e.StartOffset, end: e.EndOffset, value: e})
		}
	default:
		return nil, false
	}
	for i := range out {
		out[i].comma = -1
		if at := out[i].end + len(out[i].value.AfterExtra); at < len(t.text) && t.text[at] == ',' {
			out[i].comma = at
		}
	}
	return out, true
}

// raw returns the text of a value.
func (t tree) raw(v hujson.Value) []byte { return t.text[v.StartOffset:v.EndOffset] }

// walk follows a path as far as there are members. It returns the value that it came to, and the rest of the path.
// Errors: invalid for a value on the way that holds no members, or a name that is there twice.
func (t tree) walk(path []string) (at hujson.Value, rest []string, err error) {
	at = t.top
	for i, name := range path {
		o, ok := at.Value.(*hujson.Object)
		if !ok {
			return at, nil, fault.New(fault.Invalid, op, "%q is not an object", strings.Join(path[:i], "."))
		}
		found, n := hujson.Value{}, 0
		for _, m := range o.Members {
			if m.Name.Value.(hujson.Literal).String() == name {
				found, n = m.Value, n+1
			}
		}
		switch n {
		case 0:
			return at, path[i:], nil
		case 1:
			at = found
		default:
			return at, nil, fault.New(fault.Invalid, op, "%q occurs %d times", strings.Join(path[:i+1], "."), n)
		}
	}
	return at, nil, nil
}

// Find says whether an entry is there, and returns the value that is. Errors: invalid for a text that is not a JSON object
// or has no place for the entry; too_large.
func Find(text []byte, e Entry, mine Mine) (State, json.RawMessage, error) {
	text = bytes.TrimPrefix(text, []byte(bom))
	if len(bytes.TrimSpace(text)) == 0 {
		return Absent, nil, nil
	}
	t, err := parse(text)
	if err != nil {
		return Absent, nil, err
	}
	v, rest, err := t.walk(e.Path)
	switch {
	case err != nil:
		return Absent, nil, err
	case len(rest) > 0:
		return Absent, nil, t.place(v, rest, e)
	case !e.List:
		return compared(t.raw(v), e.Value), t.raw(v), nil
	}
	want, _ := canonical(e.Value)
	elements, ok := v.Value.(*hujson.Array)
	if !ok {
		return Absent, nil, notList(e.Path)
	}
	state, found := Absent, json.RawMessage(nil)
	for _, x := range elements.Elements {
		raw := t.raw(x)
		own := mine(raw)
		if have, ok := canonical(raw); own == Same || ok && bytes.Equal(have, want) {
			return Same, raw, nil
		}
		if state == Absent && own == Different {
			state, found = Different, raw
		}
	}
	return state, found, nil
}

// place checks that something can be added to a value.
func (t tree) place(v hujson.Value, rest []string, e Entry) error {
	if _, ok := v.Value.(*hujson.Object); !ok {
		return fault.New(fault.Invalid, op, "%q is not an object", strings.Join(e.Path[:len(e.Path)-len(rest)], "."))
	}
	return nil
}

func notList(path []string) error {
	return fault.New(fault.Invalid, op, "%q is not a list", strings.Join(path, "."))
}

// SameValue compares two values, whatever their form.
func SameValue(a, b json.RawMessage) bool { return compared(a, b) == Same }

// compared compares two values, whatever their form.
func compared(a, b []byte) State {
	x, ok := canonical(a)
	y, also := canonical(b)
	if ok && also && bytes.Equal(x, y) {
		return Same
	}
	return Different
}

// Plain returns a value without comments and trailing commas, so that encoding/json can read it.
func Plain(value json.RawMessage) (json.RawMessage, bool) {
	if deeper(value, maxDepth) {
		return nil, false
	}
	raw, err := hujson.Standardize(bytes.Clone(value))
	return raw, err == nil
}

// Beyond says what in a text is more than plain JSON, and where: the first comment, or the first comma after a last item.
// "" is a text without either, or one that is not JSON at all.
func Beyond(text []byte) string {
	text = bytes.TrimPrefix(text, []byte(bom))
	var wrong *json.SyntaxError
	var any json.RawMessage
	if !errors.As(json.Unmarshal(text, &any), &wrong) {
		return ""
	}
	at := int(wrong.Offset) - 1
	if _, ok := Plain(text); !ok || at < 0 || at >= len(text) {
		return ""
	}
	what := "a comment"
	if text[at] != '/' {
		what, at = "a comma after the last item", bytes.LastIndexByte(text[:at], ',')
	}
	return fmt.Sprintf("%s on line %d", what, 1+bytes.Count(text[:max(at, 0)], []byte("\n")))
}

// canonical returns a value with its members in the order of their names.
func canonical(value []byte) ([]byte, bool) {
	raw, ok := Plain(value)
	if !ok {
		return nil, false
	}
	var v any
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if d.Decode(&v) != nil {
		return nil, false
	}
	out, err := json.Marshal(v)
	return out, err == nil
}
