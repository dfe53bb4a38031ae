package tokens

// This file defines the pieces: what the published regular expressions match, as plain
// scanners over runes. ascii.go is faster where it applies, and must agree.
//
//	o200k_base: words are split at a change to upper case and take a contraction along:
//	    P?U*W+C?  |  P?U+W*C?  |  \p{N}{1,3}  |  " "?O+[\r\n/]*  |  white space
//	cl100k_base: contractions first, words are letters only:
//	    C  |  P?\p{L}+  |  \p{N}{1,3}  |  " "?O+[\r\n]*  |  white space
//
// where U, W, O are the classes upper, lower, other; P is anything but a letter, a number or
// a newline; C is one of 's 't 're 've 'm 'll 'd in any case. The first alternative that
// matches wins. White space is \s*[\r\n]+ | \s+(?!\S) | \s+.
//
// No piece is scanned more than a fixed number of times, and a scan looks at most one rune
// beyond the run that it measures, so that cutting a text takes linear time.

// runeO200k returns the end of the o200k_base piece that starts at start.
func (t *classTable) runeO200k(text []byte, start int) int {
	c, size := t.at(text, start)
	mixed, title := t.word(text, start)
	if c&noPrefix == 0 {
		mixedAfter, titleAfter := t.word(text, start+size)
		switch {
		case mixedAfter > 0:
			mixed = mixedAfter
		case mixed == 0 && titleAfter > 0:
			title = titleAfter
		}
	}
	switch {
	case mixed > 0:
		return mixed + contraction(text, mixed)
	case title > 0:
		return title + contraction(text, title)
	}
	return t.rest(text, start, true)
}

// word returns where U*W+ ends when it is matched at i, and where U+W* does; 0 is no match.
func (t *classTable) word(text []byte, i int) (mixed, title int) {
	start := i
	c, size := t.at(text, i)
	for ; c&upper != 0; c, size = t.at(text, i) {
		i += size
		if c&lower != 0 {
			mixed = i // where U* gives back so that W+ has something to match
		}
	}
	uppers := i
	for ; c&lower != 0; c, size = t.at(text, i) {
		i += size
	}
	if i > uppers {
		mixed = i
	}
	if uppers > start {
		title = i
	}
	return mixed, title
}

// runeCL100k returns the end of the cl100k_base piece that starts at start.
func (t *classTable) runeCL100k(text []byte, start int) int {
	if n := contraction(text, start); n > 0 {
		return start + n
	}
	c, size := t.at(text, start)
	word := start
	if c&noPrefix == 0 {
		word += size
	}
	if end := t.run(text, word, letter); end > word {
		return end
	}
	return t.rest(text, start, false)
}

// rest matches the alternatives after the words. The tail of punctuation is newlines and,
// with slash, slashes.
func (t *classTable) rest(text []byte, start int, slash bool) int {
	c, size := t.at(text, start)
	if c&number != 0 {
		i := start + size
		for range 2 {
			if c, size = t.at(text, i); c&number != 0 {
				i += size
			}
		}
		return i
	}
	i := start
	if text[i] == ' ' {
		i++
	}
	if end := t.run(text, i, other); end > i {
		return end + punctTail(text[end:], slash)
	}
	return t.space(text, start)
}

// run returns the end of the run of characters at i that have the class want.
func (t *classTable) run(text []byte, i int, want class) int {
	for {
		c, size := t.at(text, i)
		if c&want == 0 {
			return i
		}
		i += size
	}
}

// space returns the end of the white-space piece at start, which is white space.
func (t *classTable) space(text []byte, start int) int {
	end, last, afterNewline := start, start, 0
	for {
		c, size := t.at(text, end)
		if c&space == 0 {
			return spaceEnd(text, start, last, end, afterNewline)
		}
		last = end
		end += size
		if c&newline != 0 {
			afterNewline = end
		}
	}
}

// spaceEnd decides where a white-space piece ends. Its run is text[start:end], the last
// character of the run starts at last, and its last newline ends at afterNewline, 0 if none.
func spaceEnd(text []byte, start, last, end, afterNewline int) int {
	switch {
	case afterNewline > 0:
		return afterNewline
	case end == len(text) || last == start:
		return end
	default:
		return last // the last one stays to go before the next piece
	}
}

// punctTail returns the length of the newlines and slashes at the start of text.
func punctTail(text []byte, slash bool) int {
	for i, b := range text {
		if b != '\n' && b != '\r' && (b != '/' || !slash) {
			return i
		}
	}
	return len(text)
}

// contraction returns the length of the contraction at text[i:], 0 if there is none. Letters
// match in both cases, and s also as U+017F, its partner under simple case folding.
func contraction(text []byte, i int) int {
	if i+1 >= len(text) || text[i] != '\'' {
		return 0
	}
	first, second := text[i+1]|0x20, byte(0)
	if i+2 < len(text) {
		second = text[i+2]
	}
	switch {
	case first == 's' || first == 't' || first == 'm' || first == 'd':
		return 2
	case (first == 'r' || first == 'v') && second|0x20 == 'e',
		first == 'l' && second|0x20 == 'l',
		text[i+1] == 0xC5 && second == 0xBF:
		return 3
	}
	return 0
}
