package termtext

import (
	"unicode"

	eastasian "golang.org/x/text/width"
)

// isC1 reports whether r is a control character beyond ASCII, or what Unicode made of one.
func isC1(r rune) bool { return r >= 0x80 && r < 0xa0 }

// width returns the columns that a character beyond ASCII takes: 0 for what combines with the one
// before it, 2 for what Unicode calls wide (UAX #11), else 1.
func width(r rune) int {
	switch {
	case r < 0x300:
		return 1
	case r >= 0x2100 && r < 0x2c00: // arrows, lines, shapes: what programs draw with, and nothing that combines
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf), unicode.Is(vowels, r):
		return 0
	}
	switch eastasian.LookupRune(r).Kind() {
	case eastasian.EastAsianWide, eastasian.EastAsianFullwidth:
		return 2
	}
	return 1
}

// vowels are the letters of Hangul that are written into the syllable before them.
var vowels = &unicode.RangeTable{R16: []unicode.Range16{{0x1160, 0x11ff, 1}, {0xd7b0, 0xd7ff, 1}}}
