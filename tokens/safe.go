package tokens

import "unicode/utf8"

// safe reports whether the text may be cut before byte i, 0 < i < len(text): a letter or a number ends
// there and something else begins that is neither a mark, which may belong to the letter, nor an
// apostrophe, which may start a contraction. No piece reaches across such a point and no piece before it
// looks beyond, so count(text) = count(text[:i]) + count(text[i:]), whatever stands around it.
func safe(text []byte, i int) bool {
	after := text[i]
	c, b := byteClass[after], byteClass[text[i-1]]
	if c != high && b != high {
		return b&(letter|number) != 0 && c&(letter|number) == 0 && after != '\''
	}
	if after == '\'' || !utf8.RuneStart(after) {
		return false
	}
	t := classes()
	if c == high {
		r, size := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && size == 1 {
			return false
		}
		c = t.of(r)
	}
	if b == high {
		r, size := utf8.DecodeLastRune(text[:i])
		if r == utf8.RuneError && size == 1 {
			return false
		}
		b = t.of(r)
	}
	return b&(letter|number) != 0 && c&(letter|number|upper|lower) == 0
}
