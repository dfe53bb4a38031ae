package tokens

// The scanners of this file find the piece at start when nothing but ASCII decides where it
// ends, and return 0 when a byte of 0x80 or above has a say: then the scanner over runes is
// asked. They are those rules with what cannot happen in ASCII left out.

// asciiO200k returns the end of the o200k_base piece that starts at start, or 0.
func asciiO200k(text []byte, start int) int {
	c := byteClass[text[start]]
	switch {
	case c&letter != 0:
		return asciiWord(text, start)
	case c&number != 0:
		return asciiNumber(text, start)
	case c == high:
		return 0
	}
	if start+1 < len(text) && c&newline == 0 && byteClass[text[start+1]]&letter != 0 {
		return asciiWord(text, start+1)
	}
	return asciiRest(text, start, true)
}

// asciiWord matches upper-case letters, then lower-case letters, then a contraction.
func asciiWord(text []byte, i int) int {
	for i < len(text) && byteClass[text[i]]&upper != 0 {
		i++
	}
	for i < len(text) && byteClass[text[i]]&lower != 0 {
		i++
	}
	if i == len(text) {
		return i
	}
	if text[i] == '\'' {
		return i + contraction(text, i)
	}
	return unlessHigh(text, i)
}

// asciiCL100k returns the end of the cl100k_base piece that starts at start, or 0.
func asciiCL100k(text []byte, start int) int {
	c := byteClass[text[start]]
	switch {
	case c&number != 0:
		return asciiNumber(text, start)
	case c == high:
		return 0
	}
	if n := contraction(text, start); n > 0 {
		return start + n
	}
	i := start
	if c&noPrefix == 0 {
		i++
	}
	word := i
	for i < len(text) && byteClass[text[i]]&letter != 0 {
		i++
	}
	if i > word {
		return unlessHigh(text, i)
	}
	return asciiRest(text, start, false)
}

// asciiNumber matches up to three digits.
func asciiNumber(text []byte, start int) int {
	i := start
	for i < len(text) && i < start+3 && byteClass[text[i]]&number != 0 {
		i++
	}
	if i == start+3 {
		return i
	}
	return unlessHigh(text, i)
}

// asciiRest matches punctuation and white space.
func asciiRest(text []byte, start int, slash bool) int {
	i := start
	if text[i] == ' ' {
		i++
	}
	punct := i
	for i < len(text) && byteClass[text[i]]&other != 0 {
		i++
	}
	if i == punct {
		return asciiSpace(text, start)
	}
	if unlessHigh(text, i) == 0 {
		return 0
	}
	return i + punctTail(text[i:], slash)
}

// asciiSpace matches white space.
func asciiSpace(text []byte, start int) int {
	end, afterNewline := start, 0
	for end < len(text) {
		c := byteClass[text[end]]
		if c&space == 0 {
			break
		}
		end++
		if c&newline != 0 {
			afterNewline = end
		}
	}
	if unlessHigh(text, end) == 0 {
		return 0
	}
	return spaceEnd(text, start, end-1, end, afterNewline)
}

// unlessHigh returns i, or 0 when the character at i is not ASCII.
func unlessHigh(text []byte, i int) int {
	if i < len(text) && text[i] >= 0x80 {
		return 0
	}
	return i
}
