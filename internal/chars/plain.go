package chars

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Plain makes stored text safe to show: control and formatting characters, which could drive a
// terminal or hide text, become visible escapes (those of JSON), and bytes that are not UTF-8
// become U+FFFD. Line breaks and tabs stay.
func Plain(s string) string {
	if utf8.ValidString(s) && strings.IndexFunc(s, Hostile) < 0 {
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

// Line makes stored text one line that is safe to show.
func Line(s string) string { return Plain(strings.Join(strings.Fields(s), " ")) }

// Hostile reports whether a character could drive a terminal or hide text, so that Plain escapes it.
func Hostile(r rune) bool {
	if r < 0x7f {
		return r < ' ' && r != '\n' && r != '\t'
	}
	switch r {
	case zeroWidthJoiner, zeroWidthNonJoiner, '\ufe0f', '\ufe0e': // scripts and emoji need them
		return false
	case '\u2028', '\u2029': // some programs break lines there
		return true
	}
	return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || unicode.Is(unseen, r)
}

// unseen are letters and marks by their class that show nothing: fillers of scripts, and variation selectors, which can
// carry a hidden text byte by byte.
var unseen = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x034f, Hi: 0x034f, Stride: 1}, {Lo: 0x115f, Hi: 0x1160, Stride: 1}, {Lo: 0x17b4, Hi: 0x17b5, Stride: 1},
		{Lo: 0x180b, Hi: 0x180f, Stride: 1}, {Lo: 0x3164, Hi: 0x3164, Stride: 1}, {Lo: 0xfe00, Hi: 0xfe0d, Stride: 1}, {Lo: 0xffa0, Hi: 0xffa0, Stride: 1},
	},
	R32: []unicode.Range32{{Lo: 0xe0100, Hi: 0xe01ef, Stride: 1}},
}
