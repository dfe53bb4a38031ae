package artifacts

import (
	"bytes"
	"cmp"
	"slices"

	"ctxledger.dev/search"
)

// ranker finds the passages that fit a query best, by BM25, in one pass and bounded memory: it
// keeps the best candidates by what is known so far, and scores them at the end with the
// frequencies of all. How rare a word is settles long before candidates have to be dropped.
type ranker struct {
	query *search.Ranking
	keep  int // candidates kept when there are twice as many
	n     int // passages
	hits  int // passages that hold any word
	found []candidate
}

// candidate is a passage that holds at least one word of the query.
type candidate struct {
	order   int // among all passages
	id      string
	lines   string
	heading string
	text    string
	words   search.Bag
	score   float64
}

// Bounds of one search.
const (
	minKeep     = 512  // candidates kept at least
	maxPassages = 50   // passages that a search gives
	maxSkip     = 1000 // passages that a page may start behind
)

// searchExample shows the right form in errors.
const searchExample = `search="connection refused"`

// newRanker returns a ranker that can give the best want passages. Errors: invalid for a query
// without a word.
func newRanker(query string, want int) (*ranker, error) {
	r := &ranker{query: search.NewRanking(query), keep: max(minKeep, 2*want)}
	if r.query.Words() == 0 {
		return nil, bad(searchExample, "search=%q contains no word", query)
	}
	return r, nil
}

// add takes in the next passage of the content called id.
func (r *ranker) add(id string, p passage) {
	r.n++
	words := r.query.Bag()
	words.Add(string(p.text), 1)
	if !bytes.HasPrefix(p.text, p.heading) {
		words.Add(string(p.heading), 1)
	}
	if r.query.Add(words); !words.Fits() {
		return
	}
	r.hits++
	r.found = append(r.found, candidate{
		order: r.n, id: id, lines: rangeOf(p), heading: string(p.heading), text: visible(p.text), words: words,
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
	score := r.query.Score()
	for i := range r.found {
		r.found[i].score = score(r.found[i].words)
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
