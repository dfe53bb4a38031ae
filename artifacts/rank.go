package artifacts

import (
	"cmp"
	"math"
	"slices"

	"ctxledger.dev/internal/words"
)

// ranker finds the passages that fit a query best, by BM25, in one pass and bounded memory: it
// keeps the best candidates by what is known so far, and scores them at the end with the
// frequencies of all. How rare a word is settles long before candidates have to be dropped.
type ranker struct {
	terms  map[string]int // query word → index
	keep   int            // candidates kept when there are twice as many
	tf     []uint16       // of the passage at hand
	df     []int          // passages that hold a word
	n      int            // passages
	length int64          // words of all passages
	hits   int            // passages that hold any word
	found  []candidate
}

// candidate is a passage that holds at least one word of the query.
type candidate struct {
	order   int // among all passages
	id      string
	lines   string
	heading string
	text    string
	tf      []uint16
	length  int
	score   float64
}

// Bounds of one search.
const (
	maxTerms    = 64   // distinct words of a query that count
	minKeep     = 512  // candidates kept at least
	maxPassages = 50   // passages that a search gives
	maxSkip     = 1000 // passages that a page may start behind
)

// searchExample shows the right form in errors.
const searchExample = `search="connection refused"`

// The usual constants of BM25.
const (
	saturation = 1.2  // k1: how soon repeating a word stops to count
	lengthNorm = 0.75 // b: how much long passages are discounted
)

// newRanker returns a ranker that can give the best want passages. Errors: invalid for a query
// without a word.
func newRanker(query string, want int) (*ranker, error) {
	terms := words.Terms(query, maxTerms)
	if len(terms) == 0 {
		return nil, bad(searchExample, "search=%q contains no word", query)
	}
	r := &ranker{terms: make(map[string]int, len(terms)), keep: max(minKeep, 2*want)}
	for i, t := range terms {
		r.terms[t] = i
	}
	r.tf, r.df = make([]uint16, len(terms)), make([]int, len(terms))
	return r, nil
}

// add takes in the next passage of the content called id.
func (r *ranker) add(id string, p passage) {
	clear(r.tf)
	length, hit := 0, false
	words.Each(p.text, func(w []byte) {
		length++
		if i, ok := r.terms[string(w)]; ok {
			r.tf[i]++
			hit = true
		}
	})
	words.Each(p.heading, func(w []byte) {
		if i, ok := r.terms[string(w)]; ok && r.tf[i] == 0 {
			r.tf[i], hit = 1, true
		}
	})
	r.n++
	r.length += int64(length)
	if !hit {
		return
	}
	for i, n := range r.tf {
		if n > 0 {
			r.df[i]++
		}
	}
	r.hits++
	r.found = append(r.found, candidate{
		order: r.n, id: id, lines: rangeOf(p), heading: string(p.heading), text: visible(p.text),
		tf: slices.Clone(r.tf), length: length,
	})
	if len(r.found) >= 2*r.keep {
		r.best(r.keep)
	}
}

// rangeOf returns the lines of a passage in the form of Selection.Lines.
func rangeOf(p passage) string {
	if p.first == p.last {
		return commaless(p.first)
	}
	return commaless(p.first) + "-" + commaless(p.last)
}

// best scores the candidates, keeps the best n of them, and returns them, best first.
func (r *ranker) best(n int) []candidate {
	mean := float64(r.length) / float64(max(r.n, 1))
	for i := range r.found {
		r.found[i].score = r.score(r.found[i], mean)
	}
	slices.SortFunc(r.found, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.order, b.order))
	})
	if len(r.found) > n {
		clear(r.found[n:]) // let go of the texts
		r.found = r.found[:n]
	}
	return r.found
}

// score is the BM25 score of a candidate, rounded so that it is the same on every machine.
func (r *ranker) score(c candidate, mean float64) (score float64) {
	norm := saturation * (1 - lengthNorm + lengthNorm*float64(c.length)/max(mean, 1))
	for i, tf := range c.tf {
		if tf == 0 {
			continue
		}
		rarity := math.Log(1 + (float64(r.n-r.df[i])+0.5)/(float64(r.df[i])+0.5))
		score += rarity * float64(tf) * (saturation + 1) / (float64(tf) + norm)
	}
	return math.Round(score*1000) / 1000
}
