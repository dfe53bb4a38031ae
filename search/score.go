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

// A Ranking scores texts by the words of a query, by BM25: all are counted before one is scored.
type Ranking struct {
	terms  []words.Stem
	index  map[words.Stem]int // of terms
	df     []int              // texts that have a term
	n      int                // texts
	length int                // words of all texts, each text's to four significant bits
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

// Bag returns an empty bag that keeps only the words of the query.
func (r *Ranking) Bag() Bag { return Bag{only: r.index} }

// Add counts a text.
func (r *Ranking) Add(b Bag) {
	for i, t := range r.terms {
		if b.counts[t] > 0 {
			r.df[i]++
		}
	}
	r.n++
	r.length += decodeLength(codeLength(b.length))
}

// Score returns what scores texts that were added by how well they fit the query, compared with all that were: from 0, not at
// all, to the number of the query's words.
func (r *Ranking) Score() func(Bag) float64 {
	by := r.weights()
	return func(b Bag) (score float64) {
		for i, t := range r.terms {
			score += by.of(i, b.counts[t], codeLength(b.length))
		}
		return rounded(score)
	}
}

// Holds returns how many different words of the query a text has.
func (r *Ranking) Holds(text string) int {
	b := r.Bag()
	b.Add(text, 1)
	return len(b.counts)
}

// Words returns how many words of the query count.
func (r *Ranking) Words() int { return len(r.terms) }

// weights are what scores are made of.
type weights struct {
	rarity []float64 // what a term counts: less, the more texts have it
	mean   float64   // words of a text
}

// weights returns the weights by what was counted. They are scaled so that a score counts words: a text that is as much as
// possible about all words of a query that any text has scores their number. Queries over different texts compare then.
func (r *Ranking) weights() weights {
	by := weights{mean: float64(r.length) / float64(max(r.n, 1))}
	found, best := 0, 0.0
	for _, df := range r.df {
		rarity := math.Log(1 + (float64(r.n-df)+0.5)/(float64(df)+0.5))
		if by.rarity = append(by.rarity, rarity); df > 0 {
			found++
			best += rarity * (saturation + 1)
		}
	}
	for i := range by.rarity {
		by.rarity[i] *= float64(found) / max(best, math.SmallestNonzeroFloat64)
	}
	return by
}

// of returns how much a text is about a term that it has count times.
func (w weights) of(term int, count uint8, length byte) float64 {
	norm := saturation * (1 - lengthNorm + lengthNorm*float64(decodeLength(length))/max(w.mean, 1))
	return w.rarity[term] * float64(count) * (saturation + 1) / (float64(count) + norm)
}
