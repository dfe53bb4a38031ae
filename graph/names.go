package graph

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"ctxledger.dev/internal/pattern"
)

// maxID is the longest id, in characters.
const maxID = 128

// trailingID finds the id of a heading, well formed or not.
var trailingID = pattern.Lazy(`[ \t]*\{id=([^{}]*)\}[ \t]*$`)

// takeID separates the id of a heading from its text. found is false where there is none, and id is "" where it is malformed.
func takeID(title string) (text, id string, at Span, found bool) {
	var m []int
	if strings.Contains(title, "{id=") {
		m = trailingID().FindStringSubmatchIndex(title)
	}
	if m == nil {
		return title, "", Span{}, false
	}
	text, id, at = title[:m[0]], title[m[2]:m[3]], Span{m[2], m[3]}
	if !isID(id) {
		id = ""
	}
	return text, id, at, true
}

// isID reports whether a name may be an id: a letter, then letters, digits, "-" and "_".
func isID(name string) bool {
	n := 0
	for i, r := range name {
		letter := unicode.IsLetter(r)
		if !letter && (i == 0 || !unicode.IsDigit(r) && !unicode.IsMark(r) && r != '-' && r != '_') {
			return false
		}
		n++
	}
	return n > 0 && n <= maxID && utf8.ValidString(name)
}

// Slug returns the name that a heading's text gives its block: lower-case letters, marks and numbers, and "-" between them.
// "" is no name.
func Slug(title string) string {
	return dashed(strings.ToLower(norm.NFKC.String(title)), func(r rune) bool {
		return unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsNumber(r)
	})
}

// LegacySlug returns the name that Fractalic gives the block: as Slug, of ASCII alone.
func LegacySlug(title string) string {
	var ascii strings.Builder
	for _, r := range norm.NFKD.String(title) {
		if r < utf8.RuneSelf {
			ascii.WriteRune(r)
		}
	}
	return strings.ToLower(dashed(ascii.String(), func(r rune) bool {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
	}))
}

// dashed writes "-" for each run of other characters, but at the ends.
func dashed(text string, keep func(rune) bool) string {
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool { return !keep(r) }), "-")
}

// folded returns a name as it compares: by simple case folding.
func folded(name string) string {
	if ascii(name) {
		return strings.ToUpper(name) // the least of each
	}
	return strings.Map(func(r rune) rune {
		least := r
		for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
			least = min(least, next)
		}
		return least
	}, name)
}
