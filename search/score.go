package search

import (
	"math"
	"math/bits"

	"ctxledger.dev/internal/words"
)

// The usual constants of BM25.
const (
	saturation = 1.2  // k1: how soon repeating a word stops to count
	lengthNorm = 0.75 // b: how much long texts are discounted
)

// MaxTerms is how many distinct words of a query count.
const MaxTerms = 64

// rarity is what a word counts that df of n texts have.
func rarity(n, df int) float64 { return math.Log(1 + (float64(n-df)+0.5)/(float64(df)+0.5)) }

// weight is how much a text is about a word that it has count times, from 0 to 1+saturation.
func weight(count int, length byte, mean float64) float64 {
	norm := saturation * (1 - lengthNorm + lengthNorm*float64(decodeLength(length))/max(mean, 1))
	return float64(count) * (saturation + 1) / (float64(count) + norm)
}

// scale returns by what a sum of weighted rarities is multiplied, so that a score counts words: a text that is as much as
// possible about all words of a query that any text has scores their number. Queries over different texts compare then.
func scale(n int, df []int) float64 {
	found, best := 0, 0.0
	for _, d := range df {
		if d > 0 {
			found++
			best += rarity(n, d) * (saturation + 1)
		}
	}
	if found == 0 {
		return 0
	}
	return float64(found) / best
}

// rounded makes a score the same on every machine.
func rounded(score float64) float64 { return math.Round(score*1000) / 1000 }

// codeLength rounds a number of words to four significant bits, in a byte.
func codeLength(n int) byte {
	if n < 16 {
		return byte(n)
	}
	shift := min(bits.Len(uint(n))-4, 30)
	return byte(8*shift + min(n>>shift, 15))
}

// decodeLength returns the number of words of a code, to four significant bits.
func decodeLength(c byte) int {
	if c < 16 {
		return int(c)
	}
	shift := int(c)/8 - 1
	return (int(c) - 8*shift) << shift
}

// A Ranking scores texts at hand by the words of a query: all are counted before one is scored, as in an index.
type Ranking struct {
	terms  []words.Stem
	index  map[words.Stem]int // of terms
	df     []int              // texts that have a term
	n      int                // texts
	length int                // words of all texts
}

// Text is what a Ranking knows of one text.
type Text struct {
	counts []uint8 // of the ranking's terms; nil: it has none
	length byte
}

// NewRanking returns the ranking of a query, which may have no words: then it fits nothing.
func NewRanking(query string) *Ranking {
	terms := words.Query(query, MaxTerms)
	r := &Ranking{terms: terms, index: make(map[words.Stem]int, len(terms)), df: make([]int, len(terms))}
	for i, t := range terms {
		r.index[t] = i
	}
	return r
}

// Part is a part of a text, whose words count so many times.
type Part struct {
	Text  string
	Times int
}

// Add counts a text.
func (r *Ranking) Add(parts ...Part) (t Text) {
	length := 0
	for _, p := range parts {
		words.Each(p.Text, func(w words.Stem) {
			length += p.Times
			i, ok := r.index[w]
			if !ok {
				return
			}
			if t.counts == nil {
				t.counts = make([]uint8, len(r.terms))
			}
			t.counts[i] = uint8(min(int(t.counts[i])+p.Times, maxCount))
		})
	}
	for i, n := range t.counts {
		if n > 0 {
			r.df[i]++
		}
	}
	r.n++
	r.length += length
	t.length = codeLength(length)
	return t
}

// Fits reports whether a text has any word of the query.
func (t Text) Fits() bool { return t.counts != nil }

// Score returns how well a text that was added fits the query, compared with all that were: from 0, not at all, to the
// number of the query's words.
func (r *Ranking) Score(t Text) (score float64) {
	mean := float64(r.length) / float64(max(r.n, 1))
	for i, n := range t.counts {
		if n > 0 {
			score += rarity(r.n, r.df[i]) * weight(int(n), t.length, mean)
		}
	}
	return rounded(score * scale(r.n, r.df))
}

// Holds returns how many different words of the query a text has.
func (r *Ranking) Holds(text string) (n int) {
	seen := map[words.Stem]bool{}
	words.Each(text, func(w words.Stem) {
		if _, ok := r.index[w]; ok && !seen[w] {
			seen[w] = true
			n++
		}
	})
	return n
}

// Words returns how many words of the query count.
func (r *Ranking) Words() int { return len(r.terms) }
