package compaction

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"ctxledger.dev/internal/chars"
)

// clean makes stored text harmless as text: terminal escapes, control and bidirectional control
// characters go, line ends become "\n", invalid bytes U+FFFD. All else stays as it was.
func clean(s string) string {
	if !dirty(s) {
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
		case !hidden(r):
			b.WriteRune(r)
		}
		i += n
	}
	return b.String()
}

func dirty(s string) bool {
	for i := 0; i < len(s); {
		if c := s[i]; c < utf8.RuneSelf {
			if c < 0x20 && c != '\n' && c != '\t' || c == 0x7f {
				return true
			}
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 || hidden(r) || r == '\u2028' || r == '\u2029' {
			return true
		}
		i += n
	}
	return false
}

// hidden reports whether r changes how text looks without being seen.
func hidden(r rune) bool { return chars.Hostile(r) }

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

// oneLine returns s as one line of at most limit characters: white space becomes single spaces,
// and "…" stands for what was cut.
func oneLine(s string, limit int) string {
	s = s[:min(len(s), 8*limit+64)] // enough for limit characters of any width
	return clip(strings.Join(strings.Fields(clean(s)), " "), limit)
}

// clip returns the first limit characters of s, with "…" when something was cut.
func clip(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	if head := chars.Head(s, limit); len(head) < len(s) {
		return strings.TrimRight(head, " ") + "…"
	}
	return s
}

// turnRange prints "turn 3" or "turns 3–7".
func turnRange(from, to int) string {
	if from == to {
		return "turn " + strconv.Itoa(from)
	}
	return "turns " + strconv.Itoa(from) + "–" + strconv.Itoa(to)
}

// times prints " ×4", and nothing for once.
func times(n int) string {
	if n < 2 {
		return ""
	}
	return " ×" + strconv.Itoa(n)
}
