package search

import (
	"slices"

	"ctxledger.dev/internal/words"
)

// Bag has the words of a text, without their order.
type Bag struct {
	counts []count // by stem
	length int     // words, repeated ones too
}

// count is how often a text has a stem.
type count struct {
	stem words.Stem
	n    uint8 // at most maxCount: more adds nothing to a score
}

// maxCount keeps a count in one byte of a posting.
const maxCount = 127

// A Bagger makes a bag of texts, which may be parts of one.
type Bagger struct{ all []words.Stem }

// Add adds a part.
func (b *Bagger) Add(p Part) {
	words.Each(p.Text, func(w words.Stem) {
		for range p.Times {
			b.all = append(b.all, w)
		}
	})
}

// Bag returns the words that were added, and empties the bagger.
func (b *Bagger) Bag() Bag {
	slices.Sort(b.all)
	distinct := 0
	for i, w := range b.all {
		if i == 0 || w != b.all[i-1] {
			distinct++
		}
	}
	out := Bag{counts: make([]count, 0, distinct), length: len(b.all)}
	for i, w := range b.all {
		if i == 0 || w != b.all[i-1] {
			out.counts = append(out.counts, count{w, 0})
		}
		if last := &out.counts[len(out.counts)-1]; last.n < maxCount {
			last.n++
		}
	}
	b.all = b.all[:0]
	return out
}

// Of returns the words of a text.
func Of(parts ...Part) Bag {
	var b Bagger
	for _, p := range parts {
		b.Add(p)
	}
	return b.Bag()
}

// Plus returns the words of two texts.
func (b Bag) Plus(o Bag) Bag {
	switch {
	case len(o.counts) == 0:
		return b
	case len(b.counts) == 0:
		return o
	}
	out := Bag{counts: make([]count, 0, len(b.counts)+len(o.counts)), length: b.length + o.length}
	for i, j := 0, 0; i < len(b.counts) || j < len(o.counts); {
		switch {
		case j == len(o.counts) || i < len(b.counts) && b.counts[i].stem < o.counts[j].stem:
			out.counts = append(out.counts, b.counts[i])
			i++
		case i == len(b.counts) || b.counts[i].stem > o.counts[j].stem:
			out.counts = append(out.counts, o.counts[j])
			j++
		default:
			n := min(int(b.counts[i].n)+int(o.counts[j].n), maxCount)
			out.counts = append(out.counts, count{b.counts[i].stem, uint8(n)})
			i, j = i+1, j+1
		}
	}
	return out
}
