package records

import (
	"strings"
	"unicode"

	"ctxledger.dev/internal/chars"
)

// flat returns stored text as one line. It is not yet safe to show, because secrets have to be masked before characters
// are escaped.
func flat(s string) string {
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return unicode.IsSpace(r) || r == separator }), " ")
}

// shown makes text safe to show and normalizes Windows line ends.
func shown(s string) string { return chars.Plain(strings.ReplaceAll(s, "\r\n", "\n")) }

// cutWords cuts a text to at most n characters, at the end of a word unless it is very long.
func cutWords(s string, n int) string {
	short := chars.Short(s, n)
	if at := strings.LastIndexByte(short, ' '); short != s && at > len(short)/2 {
		return short[:at] + "…"
	}
	return short
}

// fields joins the parts that are not empty.
func fields(sep string, parts ...string) string {
	var known []string
	for _, p := range parts {
		if p != "" {
			known = append(known, p)
		}
	}
	return strings.Join(known, sep)
}

// named returns a line of a tooltip, "" without a value.
func named(name, value string) string {
	if value == "" {
		return ""
	}
	return name + ": " + flat(value)
}
