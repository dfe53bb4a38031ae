package tokens

import "unicode/utf8"

// Counts add up where a text is cut at a safe point:
//
//	Count(text) == Count(text[:i]) + Count(text[i:])
//
// and that stays true whatever precedes and follows, for a safe point follows from the two
// characters around it alone. It is where no piece reaches across and where no piece before
// it looks at what comes after:
//
//	between a character that is not white space and white space other than a newline
//	after a newline, unless white space or a slash follows (a slash may belong to "}\n/")
//	between a letter and a number
//	after a letter or number, before anything but a letter, a number, a mark (it joins
//	    words) and an apostrophe (it begins a contraction)
//
// The rules hold for both encodings.
//
// Source has a safe point every few bytes, and so has prose. A run of letters, of signs or of
// white space has none inside.

// safe reports whether i is a safe point of text. Around invalid UTF-8 there is none, and
// neither end of the text is one.
func safe(text []byte, i int) bool {
	if i <= 0 || i >= len(text) {
		return false
	}
	before, after := byteClass[text[i-1]], byteClass[text[i]]
	if (before|after)&high != 0 {
		return safeRunes(text, i)
	}
	return safeBetween(before, after, rune(text[i]))
}

// safeRunes is safe where a character is not ASCII.
func safeRunes(text []byte, i int) bool {
	left, n := utf8.DecodeLastRune(text[:i])
	right, m := utf8.DecodeRune(text[i:])
	if left == utf8.RuneError && n == 1 || right == utf8.RuneError && m == 1 {
		return false
	}
	t := classes()
	return safeBetween(t.of(left), t.of(right), right)
}

// safeBetween reports whether there is a safe point between two characters of these classes,
// of which right is the second.
func safeBetween(before, after class, right rune) bool {
	const word = letter | number
	switch {
	case after&(space|newline) == space:
		return before&space == 0
	case before&newline != 0:
		return after&space == 0 && right != '/'
	case before&word == 0:
		return false
	case after&word != 0:
		return before&word != after&word
	}
	mark := after&upper != 0
	return !mark && right != '\''
}
