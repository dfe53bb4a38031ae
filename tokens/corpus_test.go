package tokens

import (
	"math/rand/v2"
	"strconv"
	"strings"
)

// alphabet is weighted to what splits badly; the last row is new in Unicode 15.1 and 16.0.
var alphabet = []string{
	"a", "b", "c", "x", "y", "z", "A", "B", "C", "X", "Y", "Z",
	"'", "'s", "'LL", "'t", "'re", "'Ve", "'\u017F", "\u017F", "'d", "'m", " ", " ", "  ", "\n", "\r\n", "\t", "\n\n",
	"/", "//", "{", "}", "(", ")", "_", "-", "=", "1", "22",
	"333", "é", "É", "中", "文", "，", "\u00A0", "\u3000", "\u0085",
	"\u2028", "\uFEFF", "\u0301", "\u01C5", "\u02B0", "\u0661", "\u00B2", "\u2160", "\u1E9E", "😀", "\u200D", "\uFE0F",
	"\x00", "\x7F", "\v", "\f", "\u16A0", "\u0915", "\u094D", "\u1F88", "\u24B6", "\uA7F7", "\U0001D400", "\U0001E900",
	"\U0001E922", "\U00020000", "\U00016E40", "\U0001FBF0", "the", " func", "return ", "HTTPServer", "\uFFFD",
	"\u1C89", "\uA7CB", "\U0002EBF0", "\U00010D40", "\u0897",
}

// invalid are parts of ill-formed UTF-8.
var invalid = []string{"\xFF", "\x80", "\xC5", "\xC0\xAF", "\xE4\xB8", "\xED\xA0\x80", "\xF0\x9F\x98",
	"\xF4\x90\x80\x80", "\xE0\x80", "\xBF"}

// randomText joins n random elements of the alphabets.
func randomText(rng *rand.Rand, n int, alphabets ...[]string) string {
	var b strings.Builder
	for range n {
		from := alphabets[rng.IntN(len(alphabets))]
		b.WriteString(from[rng.IntN(len(from))])
	}
	return b.String()
}

// longTexts are the texts of about size bytes that break counters, by name.
func longTexts(size int) map[string]string {
	rng := rand.New(rand.NewPCG(1, 2))
	random := func(from string) string {
		b := make([]byte, size)
		for i := range b {
			b[i] = from[rng.IntN(len(from))]
		}
		return string(b)
	}
	return map[string]string{
		"a":        strings.Repeat("a", size),
		"ab":       strings.Repeat("ab", size/2),
		"equals":   strings.Repeat("=", size),
		"spaces":   strings.Repeat(" ", size),
		"newlines": strings.Repeat("\n", size),
		"cjk":      strings.Repeat("中文字", size/9),
		"marks":    strings.Repeat("\u0301", size/2),
		"invalid":  strings.Repeat("\xFF", size),
		"accented": strings.Repeat("A", size-2) + "é",
		"indented": strings.Repeat(" ", size-3) + "\u3000x",
		"restart":  strings.Repeat("\u0301A", size/3),
		"trailing": "\n" + strings.Repeat(" ", size-3) + "\u00A0",
		"letters":  random("abcdefghijklmnopqrstuvwxyz"),
		"mixed":    randomText(rng, size/3, alphabet, invalid),
	}
}

func sizeName(n int) string { return strconv.Itoa(n) + "B" }
