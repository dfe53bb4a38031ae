package chars

import (
	"strings"
	"unicode/utf8"
)

// Strip makes stored text safe by taking out what Plain would show: terminal escape sequences and hostile characters.
// Line ends of every kind become "\n", invalid bytes U+FFFD. All else stays as it was.
func Strip(s string) string {
	if Safe(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == 0x1b || r == 0x9b:
			i += escapeLen(s[i:])
			continue
		case r == '\r' && strings.HasPrefix(s[i+1:], "\n"):
		case r == '\r' || r == '\u2028' || r == '\u2029' || r == '\u0085':
			b.WriteByte('\n')
		case !Hostile(r):
			b.WriteRune(r)
		}
		i += n
	}
	return b.String()
}

// escapeLen returns the length of the terminal escape sequence that s starts with. A sequence that
// does not end counts as its introducer alone.
func escapeLen(s string) int {
	n := 1
	if strings.HasPrefix(s, "\u009b") {
		n = 2
	}
	rest := s[n:]
	kind := byte('[')
	if s[0] == 0x1b {
		if rest == "" {
			return n
		}
		kind, rest = rest[0], rest[1:]
		n++
	}
	const longest = 4096
	rest = rest[:min(len(rest), longest)]
	switch kind {
	case '[':
		for i := range len(rest) {
			if c := rest[i]; c >= 0x40 && c <= 0x7e {
				return n + i + 1
			} else if c < 0x20 || c > 0x3f {
				break
			}
		}
	case ']', 'P', '^', '_', 'X':
		if i := strings.IndexAny(rest, "\a\x1b\n"); i >= 0 && rest[i] != '\n' {
			if rest[i] == 0x1b && i+1 < len(rest) && rest[i+1] == '\\' {
				i++
			}
			return n + i + 1
		}
	}
	if s[0] == 0x1b && kind < utf8.RuneSelf && kind != '\n' {
		return n
	}
	return 1
}
