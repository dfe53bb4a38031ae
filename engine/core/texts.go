package core

import (
	"strings"
	"unicode/utf8"

	"ctxledger.dev/internal/fault"
)

// Limits of the texts in requests. A request with a longer text is refused. Texts of a recorded session are cut
// instead: nobody can edit a session file.
const (
	maxLabel = 300   // bytes of a name, title, hint, model or id
	maxTitle = 120   // characters of a session's title
	MaxQuery = 1_000 // bytes of a search
)

// LimitedText is a text of a request with its limit.
type LimitedText struct {
	name, value string
	limit       int // bytes
}

// Text is a text of at most limit bytes. name is how errors call it.
func Text(name, value string, limit int) LimitedText { return LimitedText{name, value, limit} }

// Label is a text of at most maxLabel bytes.
func Label(name, value string) LimitedText { return Text(name, value, maxLabel) }

// CheckTexts returns an error for the first text that is too long.
func CheckTexts(op string, texts ...LimitedText) error {
	for _, t := range texts {
		if len(t.value) > t.limit {
			return fault.New(fault.TooLarge, op, "the %s has %d bytes, more than %d", t.name, len(t.value), t.limit)
		}
	}
	return nil
}

// CutLabel shortens a text to a label: at most maxLabel bytes of valid UTF-8.
func CutLabel(s string) string { return CutText(s, maxLabel) }

// CutText shortens s to at most n bytes of valid UTF-8, with a mark for the cut.
func CutText(s string, n int) string {
	const mark = "…"
	if len(s) > n {
		s = s[:n-len(mark)]
		for len(s) > 0 && !utf8.RuneStart(s[len(s)-1]) {
			s = s[:len(s)-1]
		}
		if r, size := utf8.DecodeLastRuneInString(s); r == utf8.RuneError && size == 1 {
			s = s[:len(s)-1]
		}
		s += mark
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}

// FirstLine returns the first line of a text, shortened to a title.
func FirstLine(s string) string {
	s, _, _ = strings.Cut(strings.TrimLeft(s, "# \t\r\n"), "\n")
	s = strings.TrimSpace(s)
	if utf8.RuneCountInString(s) > maxTitle {
		s = string([]rune(s)[:maxTitle-1]) + "…"
	}
	return s
}
