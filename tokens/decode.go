package tokens

import "unicode/utf8"

// decodeRune returns the first rune of p, which must not be empty, and its length in bytes.
// A maximal subpart of an ill-formed sequence (Unicode 16.0, section 3.9) is one U+FFFD:
// unlike utf8.DecodeRune, which gives one for each byte of it, this is what web decoders do,
// and so what a provider counts.
func decodeRune(p []byte) (rune, int) {
	r, size := utf8.DecodeRune(p)
	if r == utf8.RuneError && size == 1 {
		return r, subpart(p)
	}
	return r, size
}

// subpart returns the length of the maximal subpart at the start of p, which is ill-formed:
// the longest prefix of a well-formed sequence, or one byte.
func subpart(p []byte) int {
	lo, hi, want := byte(0x80), byte(0xBF), 0 // limits of the second byte; length of the sequence
	switch b := p[0]; {
	case b < 0xC2 || b > 0xF4:
		return 1
	case b < 0xE0:
		return 1 // the second byte is the wrong one
	case b < 0xF0:
		want = 3
	default:
		want = 4
	}
	switch p[0] {
	case 0xE0:
		lo = 0xA0
	case 0xED:
		hi = 0x9F
	case 0xF0:
		lo = 0x90
	case 0xF4:
		hi = 0x8F
	}
	n := 1
	for n < want && n < len(p) && lo <= p[n] && p[n] <= hi {
		lo, hi = 0x80, 0xBF
		n++
	}
	return n
}

// appendValid appends p to dst with each maximal ill-formed subpart replaced by one U+FFFD.
func appendValid(dst, p []byte) []byte {
	for len(p) > 0 {
		r, size := decodeRune(p)
		dst = utf8.AppendRune(dst, r)
		p = p[size:]
	}
	return dst
}
