package tokens

// This file holds the rules by which families cut text whose vocabulary a user brings, as scanners:
// each returns the end of the piece that starts at start. See rune.go for how they are written down.
// DeepSeek's stand in deepseek.go.

// scanCL100k cuts as cl100k_base does, and Llama 3.
func scanCL100k(t *classTable) func(text []byte, start int) int {
	return func(text []byte, start int) int {
		if end := asciiCL100k(text, start); end > 0 {
			return end
		}
		return t.runeCL100k(text, start)
	}
}

// scanQwen2 cuts as cl100k_base does, but for numbers: each of their characters is a piece.
func scanQwen2(t *classTable) func(text []byte, start int) int {
	cl100k := scanCL100k(t)
	return func(text []byte, start int) int {
		if c, size := t.at(text, start); c&number != 0 {
			return start + size
		}
		return cl100k(text, start)
	}
}

// scanGPT2 cuts as GPT-2 does:
//
//	c  |  " "?\p{L}+  |  " "?\p{N}+  |  " "?O+  |  \s+(?!\S)  |  \s+
//
// where c is a contraction in small ASCII letters.
func scanGPT2(t *classTable) func(text []byte, start int) int {
	return func(text []byte, start int) int {
		if n := contraction(text, start); n > 0 && isLower(text[start+1:start+n]) {
			return start + n
		}
		i := start
		if text[i] == ' ' {
			i++
		}
		for _, want := range []class{letter, number, other} {
			if end := t.run(text, i, want); end > i {
				return end
			}
		}
		end, last := start, start
		for c, size := t.at(text, end); c&space != 0; c, size = t.at(text, end) {
			last = end
			end += size
		}
		return spaceEnd(text, start, last, end, 0)
	}
}

// isLower reports whether text holds small ASCII letters only.
func isLower(text []byte) bool {
	for _, b := range text {
		if b < 'a' || b > 'z' {
			return false
		}
	}
	return true
}
