package ignore

import "strings"

// wild reports whether a name matches a pattern of the shell, byte by byte as git's wildmatch does it: *, ?,
// [a-z], [!a-z], [[:digit:]] and \ before a character that means itself. What is malformed matches nothing.
//
// The last * is the only one that is tried again, so that time is bounded by the product of the lengths.
func wild(pattern, name string) bool {
	p, n := 0, 0
	star, tried := -1, 0 // where the last * is, and from where in name what follows it was tried
	for n < len(name) {
		if p < len(pattern) && pattern[p] == '*' {
			star, tried = p, n
			p++
			continue
		}
		if width := one(pattern[p:], name[n]); width > 0 {
			p += width
			n++
			continue
		}
		if star < 0 {
			return false
		}
		tried++
		p, n = star+1, tried
	}
	return strings.Trim(pattern[p:], "*") == ""
}

// one returns the length of the part of a pattern that b matches, or 0 if it does not. The pattern does not
// begin with *.
func one(pattern string, b byte) int {
	if pattern == "" {
		return 0
	}
	switch c := pattern[0]; {
	case c == '?':
		return 1
	case c == '[':
		return set(pattern, b)
	case c == '\\':
		if len(pattern) > 1 && pattern[1] == b {
			return 2
		}
		return 0
	case c == b:
		return 1
	}
	return 0
}

// set returns the length of the [set] at the start of a pattern if b is in it, else 0.
func set(pattern string, b byte) int {
	i := 1
	negated := i < len(pattern) && (pattern[i] == '!' || pattern[i] == '^')
	if negated {
		i++
	}
	found := false
	for first := true; ; first = false {
		if i >= len(pattern) {
			return 0 // it has no end
		}
		if pattern[i] == ']' && !first {
			break
		}
		in, width := member(pattern[i:], b)
		if width == 0 {
			return 0
		}
		found = found || in
		i += width
	}
	if found == negated {
		return 0
	}
	return i + 1
}

// member reports whether b is in the first member of a set, a byte, a range or a class, and the member's
// length, 0 if it is malformed.
func member(set string, b byte) (in bool, width int) {
	if rest, ok := strings.CutPrefix(set, "[:"); ok {
		if end := strings.IndexByte(rest, ']'); end < 0 {
			return false, 0
		} else if name, ok := strings.CutSuffix(rest[:end], ":"); ok {
			is, known := classes[name]
			if !known {
				return false, 0
			}
			return is(b), len("[:") + end + 1
		}
	}
	low, width := element(set)
	if width == 0 {
		return false, 0
	}
	if rest := set[width:]; len(rest) > 1 && rest[0] == '-' && rest[1] != ']' {
		high, n := element(rest[1:])
		if n == 0 {
			return false, 0
		}
		return low <= b && b <= high, width + 1 + n
	}
	return low == b, width
}

// element reads one byte of a set, which a \ may precede.
func element(set string) (b byte, width int) {
	if set[0] != '\\' {
		return set[0], 1
	}
	if len(set) == 1 {
		return 0, 0
	}
	return set[1], 2
}

// classes are those of POSIX, for ASCII.
var classes = map[string]func(b byte) bool{
	"alnum":  func(b byte) bool { return letter(b) || digit(b) },
	"alpha":  letter,
	"blank":  func(b byte) bool { return b == ' ' || b == '\t' },
	"cntrl":  func(b byte) bool { return b < ' ' || b == 0x7f },
	"digit":  digit,
	"graph":  func(b byte) bool { return ' ' < b && b < 0x7f },
	"lower":  func(b byte) bool { return 'a' <= b && b <= 'z' },
	"print":  func(b byte) bool { return ' ' <= b && b < 0x7f },
	"punct":  func(b byte) bool { return ' ' < b && b < 0x7f && !letter(b) && !digit(b) },
	"space":  func(b byte) bool { return b == ' ' || '\t' <= b && b <= '\r' },
	"upper":  func(b byte) bool { return 'A' <= b && b <= 'Z' },
	"xdigit": func(b byte) bool { return digit(b) || 'a' <= b|0x20 && b|0x20 <= 'f' },
}

func letter(b byte) bool { return 'a' <= b|0x20 && b|0x20 <= 'z' }

func digit(b byte) bool { return '0' <= b && b <= '9' }
