package core

import (
	"strings"
	"unicode/utf8"

	"ctxledger.dev/internal/fault"
)

// Bounds of what requests say in words. What is stored with an entry is cut to them, because a
// session file cannot be mended; what a caller asks for is refused.
const (
	maxLabel = 300   // bytes of a name, title, hint, model or id
	MaxQuery = 1_000 // bytes of a search
	maxKinds = 32    // kinds of events in one filter
	maxList  = 1_000 // elements of one list
)

// Text is one string of a request, with what it is called in an error.
type Text struct {
	What, Value string
	Most        int // bytes
}

// Label is a text of at most maxLabel bytes.
func Label(what, value string) Text { return Text{what, value, maxLabel} }

// CheckTexts refuses the first text that is too long.
func CheckTexts(op string, texts ...Text) error {
	for _, t := range texts {
		if len(t.Value) > t.Most {
			return fault.New(fault.TooLarge, op, "the %s has %d bytes, more than %d", t.What, len(t.Value), t.Most)
		}
	}
	return nil
}

// CutLabel shortens what describes an entry to maxLabel bytes of valid UTF-8.
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

// Fitting returns the elements at the beginning of list that together take at most room bytes, by
// size, but at least one.
func Fitting[T any](list []T, room int, size func(T) int) []T {
	for i, e := range list {
		if room -= size(e); room < 0 && i > 0 {
			return list[:i]
		}
	}
	return list
}
