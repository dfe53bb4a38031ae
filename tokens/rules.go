package tokens

// This file holds the rules by which families cut text whose vocabulary a user brings, as scanners:
// each returns the end of the piece that starts at start. See rune.go for how they are written down.
// DeepSeek's are in deepseek.go.

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
