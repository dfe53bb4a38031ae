package chars

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Hostile reports whether a character could drive a terminal or hide or reorder text: control and formatting
// characters, line separators, and all that has no width. Line feeds, tabs and the joiners and selectors that scripts
// and emoji need are not hostile.
func Hostile(r rune) bool {
	if r < 0x7f {
		return r < ' ' && r != '\n' && r != '\t'
	}
	switch r {
	case zeroWidthJoiner, zeroWidthNonJoiner, '\ufe0f', '\ufe0e':
		return false
	case '\u2028', '\u2029': // some programs break lines there
		return true
	}
	return unicode.IsControl(r) || Invisible(r)
}

// Invisible reports whether a character shows nothing: Unicode's formatting characters, those that it has programs
// ignore by default, and variation selectors, which can carry a hidden text byte by byte.
func Invisible(r rune) bool {
	switch { // most texts, without a search: a test holds this against the tables
	case r < 0xad, 0x2070 <= r && r < 0xfe00:
		return r == 0x3164
	case 0x2000 <= r && r < 0x2070:
		return 0x200b <= r && r <= 0x200f || 0x202a <= r && r <= 0x202e || r >= 0x2060
	}
	return unicode.In(r, Unseen()...)
}

// Unseen returns the tables of the characters that are invisible.
func Unseen() []*unicode.RangeTable {
	return []*unicode.RangeTable{unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector}
}

// Safe reports whether a text is valid UTF-8 without a hostile character. Most texts are ASCII, which needs no decoding.
func Safe(s string) bool {
	for i := range len(s) {
		if c := s[i]; c >= 0x7f {
			return utf8.ValidString(s[i:]) && strings.IndexFunc(s[i:], Hostile) < 0
		} else if c < ' ' && c != '\n' && c != '\t' {
			return false
		}
	}
	return true
}

// Plain makes stored text safe to show: hostile characters become visible escapes (those of JSON), and bytes that are
// not UTF-8 become U+FFFD. Line feeds and tabs stay.
func Plain(s string) string {
	if Safe(s) {
		return s
	}
	var b strings.Builder
	for _, r := range s { // an invalid byte reads as U+FFFD
		switch {
		case !Hostile(r):
			b.WriteRune(r)
		case r <= 0xffff:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			const planes, half = 0x10000, 10
			fmt.Fprintf(&b, `\u%04x\u%04x`, 0xd800+(r-planes)>>half, 0xdc00+(r-planes)&(1<<half-1))
		}
	}
	return b.String()
}

// Title returns the title of a session, or the line that asks for something, without the marks that Markdown has around code:
// where titles stand nothing shows them as code.
func Title(s string) string { return strings.ReplaceAll(s, "`", "") }

// Line makes stored text one line that is safe to show.
func Line(s string) string {
	if single(s) {
		return Plain(s)
	}
	return Plain(strings.Join(strings.Fields(s), " "))
}

// single reports whether a text is one line, with one space between words.
func single(s string) bool {
	space := true // so is the beginning
	for _, r := range s {
		if r != ' ' && unicode.IsSpace(r) || r == ' ' && space {
			return false
		}
		space = r == ' '
	}
	return !space
}
