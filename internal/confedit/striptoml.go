package confedit

import (
	"bytes"
	"slices"
	"time"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"ctxledger.dev/internal/fault"
)

// Tables returns the tables right below a table, by their names, in whatever form they are written; nil: there is no such
// table. Errors: invalid for a text that is not TOML; too_large.
func Tables(text []byte, path []string) (map[string]map[string]any, error) {
	all, err := parseTOML(text)
	if err != nil {
		return nil, err
	}
	holder, ok := value(all, path).(map[string]any)
	if !ok {
		return nil, nil
	}
	out := map[string]map[string]any{}
	for name, v := range holder {
		if m, ok := v.(map[string]any); ok {
			out[name] = m
		}
	}
	return out, nil
}

// StripTables takes tables out of a text, with the tables below them, in whatever form they are written: with a head of
// their own, inside another table, as keys with dots, or in braces. What holds them goes with the last of them if fresh: it
// was not there before. gone is false if that is not possible; then the text is as it was. Errors: those of Tables.
func StripTables(text []byte, paths [][]string, fresh bool) (out []byte, gone bool, err error) {
	all, err := parseTOML(text)
	if err != nil || len(paths) == 0 {
		return text, err == nil, err
	}
	holder := paths[0][:len(paths[0])-1]
	held, _ := value(all, holder).(map[string]any)
	for _, path := range paths {
		delete(held, path[len(path)-1])
	}
	if len(held) == 0 && fresh {
		paths = append(slices.Clip(paths), holder)
		delete(all, holder[0]) // there is one name in it
	}
	mark, rest := split(text)
	cuts := tomlCuts(rest, paths)
	slices.SortFunc(cuts, func(a, b change) int { return b.from - a.from })
	for _, c := range cuts {
		rest = splice(rest, c.from, c.to, "")
	}
	out = append([]byte(mark), rest...)
	have, err := parseTOML(out)
	if err != nil || !sameValues(have, all) {
		return text, false, nil
	}
	return out, true, nil
}

// sameValues compares what two texts say. A table without anything is as one that is not there. Nothing is printed for it:
// a table deep inside others has all their names in its head.
func sameValues(a, b any) bool {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok {
			return false
		}
		for name, v := range a {
			if other, there := b[name]; !(there && sameValues(v, other)) && !(!there && hollow(v)) {
				return false
			}
		}
		for name, v := range b {
			if _, there := a[name]; !there && !hollow(v) {
				return false
			}
		}
		return true
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, sameValues)
	case float64:
		b, ok := b.(float64)
		return ok && (a == b || a != a && b != b)
	case time.Time:
		b, ok := b.(time.Time)
		return ok && a.Equal(b)
	case string, bool, int64, toml.LocalDate, toml.LocalTime, toml.LocalDateTime:
		return a == b
	}
	return false
}

// hollow reports whether a value is a table that holds nothing.
func hollow(v any) bool {
	m, ok := v.(map[string]any)
	for _, inner := range m {
		ok = ok && hollow(inner)
	}
	return ok
}

// statement is an expression of a text: the head of a table, or a key with its value.
type statement struct {
	path     []string // whole
	head     bool
	from, to int         // of its lines, without what follows them
	keyEnd   int         // where its last key ends
	end      int         // where its value ends
	braced   bool        // it is in braces
	inner    []statement // those in its braces
}

// statements returns the expressions of a text. Their lines are without the comments and blank lines in front of what
// follows.
func statements(text []byte) (out []statement) {
	p := unstable.Parser{}
	p.Reset(text)
	var table []string
	for p.NextExpression() {
		e := p.Expression()
		s := statement{head: e.Kind != unstable.KeyValue}
		if s.head {
			table = nil
		}
		s.read(e, table)
		s.from = bytes.LastIndexByte(text[:s.from], '\n') + 1
		if s.head {
			table = s.path
		}
		if n := len(out); n > 0 {
			out[n-1].to = out[n-1].from + len(ownLines(text[out[n-1].from:s.from]))
		}
		out = append(out, s)
	}
	if n := len(out); n > 0 {
		out[n-1].to = out[n-1].from + len(ownLines(text[out[n-1].from:]))
	}
	return out
}

// read takes what a node says. table is what its keys are in.
func (s *statement) read(e *unstable.Node, table []string) {
	s.path = slices.Clone(table)
	first := true
	for k := e.Key(); k.Next(); {
		n := k.Node()
		if first {
			s.from, first = int(n.Raw.Offset), false
		}
		s.path = append(s.path, string(n.Data))
		s.keyEnd = int(n.Raw.Offset + n.Raw.Length)
	}
	if e.Kind != unstable.KeyValue {
		return
	}
	s.end = int(e.Raw.Offset + e.Raw.Length)
	s.to = s.end
	if v := e.Value(); v.Kind == unstable.InlineTable {
		for it := v.Children(); it.Next(); {
			if n := it.Node(); n.Kind == unstable.KeyValue {
				in := statement{braced: true}
				in.read(n, s.path)
				s.inner = append(s.inner, in)
			}
		}
	}
}

// tomlCuts returns what has to go for tables to go.
func tomlCuts(text []byte, paths [][]string) (out []change) {
	below := func(path []string) bool {
		return slices.ContainsFunc(paths, func(p []string) bool {
			return len(path) >= len(p) && slices.Equal(path[:len(p)], p)
		})
	}
	section := -1 // where a section that goes begins
	from := 0
	for _, s := range statements(text) {
		if section >= 0 && !s.head {
			out[section].to = s.to
			continue
		}
		section = -1
		switch {
		case below(s.path):
			if from = s.from; s.head {
				section = len(out)
			}
			out = append(out, change{from: from, to: s.to})
		default:
			out = append(out, s.innerCuts(text, below)...)
		}
	}
	return out
}

// innerCuts returns what has to go inside braces.
func (s statement) innerCuts(text []byte, below func([]string) bool) (out []change) {
	left := 0
	for i, in := range s.inner {
		if !below(in.path) {
			out = append(out, in.innerCuts(text, below)...)
			left = i + 1
			continue
		}
		switch {
		case i+1 < len(s.inner): // with the comma behind it
			out = append(out, change{from: in.from, to: s.inner[i+1].from})
		case left > 0: // the last: with the comma behind the one that stays, unless others between them took it
			from := s.inner[left-1].end
			out = slices.DeleteFunc(out, func(c change) bool { return c.from >= from })
			out = append(out, change{from: from, to: in.end})
		default:
			out = append(out, change{from: in.from, to: in.end})
		}
	}
	return out
}

// TableLine returns the line in which a table begins, from 1; 0 if that is not found.
func TableLine(text []byte, path []string) int {
	for _, s := range statements(bytes.TrimPrefix(text, []byte(bom))) {
		for _, x := range append([]statement{s}, s.inner...) {
			if len(x.path) >= len(path) && slices.Equal(x.path[:len(path)], path) {
				return 1 + bytes.Count(text[:x.from], []byte("\n"))
			}
		}
	}
	return 0
}

// UpdateTable gives the keys of a table that is there the values of the body, and leaves everything else in it: what its
// owner or the agent added, the form and the comments. Errors: those of Tables; invalid if it has a form in which that is
// not possible.
func UpdateTable(text []byte, t Table) ([]byte, error) {
	all, err := parseTOML(text)
	if err != nil {
		return nil, err
	}
	want, err := parseTOML([]byte(t.Body))
	if err != nil {
		return nil, err
	}
	have, _ := value(all, t.Path).(map[string]any)
	mark, rest := split(text)
	var edits []change
	var last *statement
	var there []string
	for _, s := range flat(statements(rest)) {
		if s.head || len(s.path) != len(t.Path)+1 || !slices.Equal(s.path[:len(t.Path)], t.Path) {
			continue
		}
		last = &s
		there = append(there, s.path[len(t.Path)])
	}
	for _, b := range statements([]byte(t.Body)) {
		key := b.path[0]
		if one := (map[string]any{key: want[key]}); sameTOML(have, one) {
			continue
		}
		text := bytes.TrimSpace([]byte(t.Body)[b.keyEnd:b.end])
		fresh := string(bytes.TrimSpace(bytes.TrimPrefix(text, []byte("="))))
		if slices.Contains(there, key) {
			edits = append(edits, valueOf(rest, t.Path, key, fresh))
		} else if fresh != "[]" && last != nil {
			at := last.end
			if !last.braced {
				at = len(bytes.TrimRight(rest[:last.to], "\r\n")) // behind its comment
			}
			edits = append(edits, change{at, at, last.between(rest, len(t.Path)) + key + " = " + fresh})
		}
	}
	slices.SortStableFunc(edits, func(a, b change) int { return b.from - a.from })
	for _, e := range edits {
		rest = splice(rest, e.from, e.to, e.with)
	}
	out := append([]byte(mark), rest...)
	state, found, err := FindTable(out, t)
	if err != nil || state != Same || len(found) < len(have) {
		return nil, fault.New(fault.Invalid, op, "the table is in an unrecognised form")
	}
	return out, nil
}

// flat returns statements with those inside their braces.
func flat(all []statement) (out []statement) {
	for _, s := range all {
		out = append(append(out, s), flat(s.inner)...)
	}
	return out
}

// valueOf returns the change of the value of a key.
func valueOf(text []byte, path []string, key, fresh string) change {
	for _, s := range flat(statements(text)) {
		if !s.head && len(s.path) == len(path)+1 && slices.Equal(s.path[:len(path)], path) && s.path[len(path)] == key {
			from := s.keyEnd + bytes.IndexByte(text[s.keyEnd:s.end], '=') + 1
			from += len(text[from:s.end]) - len(bytes.TrimLeft(text[from:s.end], " \t"))
			return change{from, s.end, fresh}
		}
	}
	return change{}
}

// between returns what separates a new key of the same table from a statement: with the dots that its key has.
func (s statement) between(text []byte, depth int) string {
	dots := text[s.from:s.keyEnd]
	dots = dots[:bytes.LastIndexByte(dots, '.')+1]
	if bytes.ContainsAny(dots, "\"'") || depth == 0 {
		dots = nil
	}
	if s.braced {
		return ", " + string(dots)
	}
	return lineEnd(text) + string(dots)
}

// TableText returns the lines of a table that has a head of its own, with those of the tables below it; "": there is none.
func TableText(text []byte, path []string) string {
	_, rest := split(text)
	var out []byte
	open := false
	for _, s := range statements(rest) {
		if s.head {
			open = len(s.path) >= len(path) && slices.Equal(s.path[:len(path)], path)
		}
		if open {
			out = append(out, rest[s.from:s.to]...)
		}
	}
	return string(out)
}
