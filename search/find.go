package search

import (
	"cmp"
	"slices"

	"ctxledger.dev/internal/words"
	"ctxledger.dev/kv"
)

// Hit is a document that a query finds.
type Hit struct {
	Name  string
	Score float64 // its boost, and up to 1 for each word of the query: higher fits better
	Whole bool    // it has all words of the query
}

// candidate is a document that has a word of the query.
type candidate struct {
	score    float64
	whole    bool // it has all words
	seg, doc int
}

// better orders candidates: by score, then the newest first. With wholeFirst those with all words come first.
func (t *top) better(a, b candidate) int {
	if t.wholeFirst && a.whole != b.whole {
		return WholeFirst(a.whole, b.whole)
	}
	return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(b.seg, a.seg), cmp.Compare(b.doc, a.doc))
}

// WholeFirst compares two texts by whether they have all words of a query.
func WholeFirst(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// All is a limit for Find that leaves no document out.
const All = 1 << 24

// Find returns the documents that fit a query best, best first, at most limit, and how many have any of its words. Where the
// index says so, those that have all its words come first.
// Errors: corrupt.
func (x Index) Find(tx kv.Tx, query string, limit int) (hits []Hit, total int, err error) {
	by := NewRanking(query)
	all, err := x.segments(tx)
	if err != nil || by.Words() == 0 {
		return nil, 0, err
	}
	dropped, err := x.dropped(tx)
	if err != nil {
		return nil, 0, err
	}
	lists := make([][][]byte, len(all))
	for i, s := range all {
		if lists[i], err = x.lists(tx, s, by); err != nil {
			return nil, 0, err
		}
	}
	best, weights := top{limit: limit + len(dropped), wholeFirst: x.WholeFirst}, by.weights()
	for i, s := range all {
		n, err := x.score(tx, i, s, lists[i], weights, &best)
		if err != nil {
			return nil, 0, err
		}
		total += n
	}
	best.cut()
	for _, c := range best.all {
		name, err := x.name(tx, all[c.seg], c.doc)
		if err != nil {
			return nil, 0, err
		}
		switch {
		case dropped[name]:
			total--
		case len(hits) < limit:
			hits = append(hits, Hit{name, c.score, c.whole})
		}
	}
	return hits, total, nil
}

// lists returns the postings of each term in a segment, whose documents it counts.
func (x Index) lists(tx kv.Tx, s segment, by *Ranking) (lists [][]byte, err error) {
	by.n, by.length = by.n+s.Docs, by.length+s.Length
	lists = make([][]byte, len(by.terms))
	for t, stem := range by.terms {
		page := int(stem >> (words.StemBits - s.PageBits))
		raw, err := tx.Get(x.Bucket, partKey(keyPage, s.ID, page))
		if err == nil {
			err = eachList(raw, s.first(page), func(at words.Stem, list []byte) error {
				if at != stem {
					return nil
				}
				lists[t] = list
				return eachDoc(list, s.Docs, func(int, uint8) { by.df[t]++ })
			})
		}
		if err != nil {
			return nil, err
		}
	}
	return lists, nil
}

// score adds the candidates of a segment, and returns how many there are.
func (x Index) score(tx kv.Tx, at int, s segment, lists [][]byte, by weights, best *top) (n int, err error) {
	if !slices.ContainsFunc(lists, func(l []byte) bool { return len(l) > 0 }) {
		return 0, nil
	}
	about, err := x.about(tx, s)
	if err != nil {
		return 0, err
	}
	scores, held := make([]float64, s.Docs), make([]int, s.Docs)
	for t, list := range lists {
		err = cmp.Or(err, eachDoc(list, s.Docs, func(doc int, count uint8) {
			scores[doc] += by.of(t, count, about[rowSize*doc])
			held[doc]++
		}))
	}
	for doc, score := range scores {
		if score > 0 {
			n++
			best.add(candidate{rounded(score + float64(about[rowSize*doc+1])/2), held[doc] == len(lists), at, doc})
		}
	}
	return n, err
}

// top keeps the best candidates.
type top struct {
	limit      int
	wholeFirst bool
	all        []candidate // before cut, about twice as many
}

func (t *top) add(c candidate) {
	if t.all = append(t.all, c); len(t.all) >= 2*t.limit+16 {
		t.cut()
	}
}

// cut leaves the best candidates, best first.
func (t *top) cut() {
	slices.SortFunc(t.all, t.better)
	t.all = t.all[:min(len(t.all), t.limit)]
}

// name returns the name of a document.
func (x Index) name(tx kv.Tx, s segment, doc int) (string, error) {
	raw, err := tx.Get(x.Bucket, partKey(keyNames, s.ID, doc/chunkDocs))
	if err != nil {
		return "", err
	}
	names, err := decodeNames(raw)
	if err != nil || doc%chunkDocs >= len(names) {
		return "", cmp.Or(err, damaged("a name is missing"))
	}
	return names[doc%chunkDocs], nil
}
