package search

import "ctxledger.dev/internal/words"

// Bag has the words of a text, without their order. The zero value is that of a text without words.
type Bag struct {
	counts map[words.Stem]uint8 // how often each occurs, at most maxCount: more adds nothing to a score
	length int                  // words, repeated ones too
	only   map[words.Stem]int   // the words that it keeps; nil: all
}

// maxCount keeps a count in one byte of a posting.
const maxCount = 127

// Add adds a part of the text, whose words count so many times.
func (b *Bag) Add(text string, times int) {
	words.Each(text, func(w words.Stem) {
		b.length += times
		if _, ok := b.only[w]; !ok && b.only != nil {
			return
		}
		if b.counts == nil {
			b.counts = map[words.Stem]uint8{}
		}
		b.counts[w] = uint8(min(int(b.counts[w])+times, maxCount))
	})
}

// Fits reports whether it keeps any word.
func (b *Bag) Fits() bool { return len(b.counts) > 0 }
