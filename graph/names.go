package graph

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// maxID is the longest id, in characters.
const maxID = 128

// takeID separates the id of a heading from its text. found is false where there is none, and id is "" where it is malformed.
func takeID(title string) (text, id string, at Span, found bool) {
	const opens = "{id="
	before, ended := strings.CutSuffix(strings.TrimRight(title, " \t"), "}")
	from := strings.LastIndexByte(before, '{')
	if !ended || from < 0 || !strings.HasPrefix(before[from:], opens) || strings.Contains(before[from:], "}") {
		return title, "", Span{}, false
	}
	at = Span{from + len(opens), len(before)}
	text, id = strings.TrimRight(title[:from], " \t"), at.In(title)
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
	if ascii(title) {
		return dashedASCII(title)
	}
	return dashed(strings.ToLower(norm.NFKC.String(title)), func(r rune) bool {
		return unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsNumber(r)
	})
}

// LegacySlug returns the name that Fractalic gives the block: as Slug, of ASCII alone.
func LegacySlug(title string) string {
	if ascii(title) {
		return dashedASCII(title)
	}
	var plain strings.Builder
	for _, r := range norm.NFKD.String(title) {
		if r < utf8.RuneSelf {
			plain.WriteRune(r)
		}
	}
	return dashedASCII(plain.String())
}

// dashedASCII is dashed of ASCII, in lower case.
func dashedASCII(text string) string {
	out := make([]byte, 0, len(text))
	apart := false
	for i := range len(text) {
		c := text[i]
		if !isLetter(c) && (c < '0' || c > '9') {
			apart = len(out) > 0
			continue
		}
		if apart {
			out = append(out, '-')
		}
		out, apart = append(out, c), false
	}
	return strings.ToLower(string(out))
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
