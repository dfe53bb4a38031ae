package records

import (
	"strings"
	"unicode"

	"ctxledger.dev/internal/chars"
)

// flat returns stored text as one line, which is not yet safe to show: secrets are masked first, in the text as
// it is.
func flat(s string) string {
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return unicode.IsSpace(r) || r == separator }), " ")
}

// shown returns text as it is safe to show. The line ends of Windows are line ends.
func shown(s string) string { return chars.Plain(strings.ReplaceAll(s, "\r\n", "\n")) }

// cutWords returns a text of at most n characters that ends with a word, unless that is a very long one.
func cutWords(s string, n int) string {
	short := chars.Short(s, n)
	if at := strings.LastIndexByte(short, ' '); short != s && at > len(short)/2 {
		return short[:at] + "…"
	}
	return short
}

// fields joins what is known of a thing, by what separates.
func fields(sep string, parts ...string) string {
	var known []string
	for _, p := range parts {
		if p != "" {
			known = append(known, p)
		}
	}
	return strings.Join(known, sep)
}

// named returns a line of a tooltip, "" where there is nothing to say.
func named(name, value string) string {
	if value == "" {
		return ""
	}
	return name + ": " + flat(value)
}
