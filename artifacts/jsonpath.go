package artifacts

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// jsonPath is a parsed path: the small subset of RFC 9535 that needs no expressions.
//
//	$              the whole value
//	.name  ['name']  a member; quotes of either kind, with \ before a quote or a \
//	.*  [*]        all members or elements
//	[2]  [-1]      an element, counted from the start or the end
//	[1:3]  [-5:]   a range of elements, the second bound excluded
//	..name         members of that name at any depth, the start included
//
// Names without quotes consist of letters, digits, _ and -.
type jsonPath []jsonStep

type jsonStep struct {
	kind   stepKind
	text   string // as written in the path, for messages
	name   string
	lo, hi *int // index (lo alone) or bounds of a range, nil when left out
}

type stepKind uint8

const (
	stepMember stepKind = iota
	stepAll
	stepIndex
	stepRange
	stepDeep
)

// pathExample shows the right form in errors.
const pathExample = `json_path="$.items[0].name"`

// parseJSONPath reads a path. Errors: invalid, with the position.
func parseJSONPath(s string) (jsonPath, error) {
	rest, ok := strings.CutPrefix(strings.TrimSpace(s), "$")
	if !ok {
		return nil, bad(pathExample, "json_path=%q does not start with $", s)
	}
	var path jsonPath
	for rest != "" {
		step, n := parseStep(rest)
		if n == 0 {
			return nil, bad(pathExample, "json_path=%q cannot be parsed starting at %q", s, rest)
		}
		step.text = rest[:n]
		path = append(path, step)
		rest = rest[n:]
	}
	return path, nil
}

// parseStep reads the step at the start of s and returns its length, 0 when there is none.
func parseStep(s string) (jsonStep, int) {
	switch {
	case strings.HasPrefix(s, ".."):
		n := nameLen(s[2:])
		if n == 0 {
			return jsonStep{}, 0
		}
		return jsonStep{kind: stepDeep, name: s[2 : 2+n]}, 2 + n
	case strings.HasPrefix(s, ".*"):
		return jsonStep{kind: stepAll}, 2
	case s[0] == '.':
		n := nameLen(s[1:])
		if n == 0 {
			return jsonStep{}, 0
		}
		return jsonStep{name: s[1 : 1+n]}, 1 + n
	case s[0] == '[':
		return parseBracket(s)
	}
	return jsonStep{}, 0
}

// nameLen returns the length of the name at the start of s.
func nameLen(s string) int {
	n := strings.IndexFunc(s, func(r rune) bool {
		return r == utf8.RuneError || !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' && r != '-'
	})
	if n < 0 {
		return len(s)
	}
	return n
}

// parseBracket reads a step in brackets.
func parseBracket(s string) (jsonStep, int) {
	if len(s) > 1 && (s[1] == '\'' || s[1] == '"') {
		name, n := parseQuoted(s[1:])
		if n == 0 || !strings.HasPrefix(s[1+n:], "]") {
			return jsonStep{}, 0
		}
		return jsonStep{name: name}, 1 + n + 1
	}
	end := strings.IndexByte(s, ']')
	if end < 0 {
		return jsonStep{}, 0
	}
	inner := strings.TrimSpace(s[1:end])
	if inner == "*" {
		return jsonStep{kind: stepAll}, end + 1
	}
	first, second, isRange := strings.Cut(inner, ":")
	lo, okLo := parseBound(first)
	hi, okHi := parseBound(second)
	switch {
	case !okLo || !okHi || !isRange && lo == nil:
		return jsonStep{}, 0
	case isRange:
		return jsonStep{kind: stepRange, lo: lo, hi: hi}, end + 1
	}
	return jsonStep{kind: stepIndex, lo: lo}, end + 1
}

// parseQuoted reads a name in quotes and returns its length with them, 0 when it has no end.
func parseQuoted(s string) (name string, n int) {
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == s[0]:
			return b.String(), i + 1
		case s[i] == '\\' && i+1 < len(s) && strings.IndexByte(`\'"`, s[i+1]) >= 0:
			i++
		}
		b.WriteByte(s[i])
	}
	return "", 0
}

// parseBound reads a number, or nothing.
func parseBound(s string) (n *int, ok bool) {
	if s = strings.TrimSpace(s); s == "" {
		return nil, true
	}
	v, err := strconv.Atoi(s)
	return &v, err == nil
}

// String returns the path in the form in which it was given.
func (p jsonPath) String() string {
	s := "$"
	for _, step := range p {
		s += step.text
	}
	return s
}

// within returns the bounds of a range step, or of an index, in a list of n elements.
func (s jsonStep) within(n int) (from, to int) {
	at := func(v *int, unset int) int {
		switch {
		case v == nil:
			return unset
		case *v < 0:
			return max(*v+n, 0)
		}
		return min(*v, n)
	}
	if s.kind == stepIndex {
		if *s.lo >= n || *s.lo < -n {
			return 0, 0
		}
		from = at(s.lo, 0)
		return from, from + 1
	}
	return at(s.lo, 0), at(s.hi, n)
}

// missing says which step of a path found nothing.
func (p jsonPath) missing(step int) string {
	return fmt.Sprintf("0 values: %s has no %s", p[:step], p[step].text)
}
