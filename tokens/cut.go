package tokens

import "math/bits"

// batch is how many pieces are cut before they are counted: enough that the processor overlaps
// looking them up.
const batch = 256

// cutter is the working memory of cut.
type cutter struct {
	ends  [batch]int
	masks masks
}

// cut returns the ends of the next pieces of text[start:], at least one where text has any left,
// valid until the next call. Where the next two bytes are ASCII, a window may find many.
func (c *cutter) cut(t *tokenizer, text []byte, start int) []int {
	m, ends := &c.masks, &c.ends
	n := 0
	for start < len(text) && n <= batch-windowSize {
		if start+windowSize <= len(text) && (text[start]|text[start+1]) < 0x80 {
			m.classify((*[windowSize]byte)(text[start:]))
			base := start
			for s := t.starts(m) &^ 1; s != 0; s &= s - 1 {
				start = base + bits.TrailingZeros64(s)
				ends[n&(batch-1)] = start
				n++
			}
			if start > base {
				continue
			}
		}
		start = t.next(text, start)
		ends[n] = start
		n++
	}
	return ends[:n]
}

// next returns the end of the piece that starts at start, which is before the end of text.
func (t *tokenizer) next(text []byte, start int) int {
	return min(t.scan(text, start), start+maxPiece)
}
