// Package chars cuts texts between characters as people see them, makes stored ones safe to show, and
// prints figures.
//
// A character is a Unicode code point; what joins the one in front of it (combining marks, variation
// selectors, zero-width joiners, the line feed of CR LF) is never parted from it.
package chars

import (
	"unicode"
	"unicode/utf8"
)

const (
	zeroWidthJoiner    = '\u200d'
	zeroWidthNonJoiner = '\u200c'
)

// Head returns the first n characters of s, or fewer where the cut would part what belongs together.
func Head(s string, n int) string {
	for i := range s {
		if n <= 0 {
			return s[:back(s, i)]
		}
		n--
	}
	return s
}

// Short returns a text of at most n characters: where it is cut, the last one says so.
func Short(s string, n int) string {
	if len(Head(s, n)) == len(s) {
		return s
	}
	return Head(s, n-1) + "…"
}

// First returns the first n code points of s, whatever the cut parts: stored texts are measured so.
func First(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}

// Cut is First, with "…" behind it where something was cut off.
func Cut(s string, n int) string {
	if head := First(s, n); len(head) < len(s) {
		return head + "…"
	}
	return s
}

// Tail returns the last n characters of s, or fewer where the cut would part what belongs together.
func Tail(s string, n int) string {
	i := len(s)
	for ; n > 0 && i > 0; n-- {
		_, size := utf8.DecodeLastRuneInString(s[:i])
		i -= size
	}
	for i < len(s) && parts(s, i) {
		_, size := utf8.DecodeRuneInString(s[i:])
		i += size
	}
	return s[i:]
}

// back moves a cut towards the start until it parts nothing.
func back(s string, i int) int {
	for i > 0 && parts(s, i) {
		_, size := utf8.DecodeLastRuneInString(s[:i])
		i -= size
	}
	return i
}

// parts reports whether a cut at byte i, which begins a character, would part what belongs together.
func parts(s string, i int) bool {
	if i == 0 {
		return false
	}
	after, _ := utf8.DecodeRuneInString(s[i:])
	before, _ := utf8.DecodeLastRuneInString(s[:i])
	return before == zeroWidthJoiner || after == zeroWidthJoiner || unicode.Is(unicode.M, after) ||
		before == '\r' && after == '\n'
}
