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
}

// candidate is a document that has a word of the query.
type candidate struct {
	score    float64
	seg, doc int
}

// better orders candidates: by score, then the newest first.
func better(a, b candidate) int {
	return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(b.seg, a.seg), cmp.Compare(b.doc, a.doc))
}

// All is a limit for Find that leaves no document out.
const All = 1 << 24

// Find returns the documents that fit a query best, best first, at most limit, and how many have any of its words.
// Errors: corrupt.
func (x Index) Find(tx kv.Tx, query string, limit int) (hits []Hit, total int, err error) {
	terms := words.Query(query, MaxTerms)
	all, err := x.segments(tx)
	if err != nil || len(terms) == 0 {
		return nil, 0, err
	}
	dropped, err := x.dropped(tx)
	if err != nil {
		return nil, 0, err
	}
	docs, length := 0, 0
	for _, s := range all {
		docs, length = docs+s.docs, length+s.length
	}
	lists, df, err := x.lists(tx, all, terms)
	if err != nil {
		return nil, 0, err
	}
	by := weights{mean: float64(length) / float64(max(docs, 1))}
	for _, n := range df {
		by.rarity = append(by.rarity, rarity(docs, n)*scale(docs, df))
	}
	best := top{limit: limit + len(dropped)}
	for i, s := range all {
		n, err := x.score(tx, i, s, lists[i], by, &best)
		if err != nil {
			return nil, 0, err
		}
		total += n
	}
	for _, c := range best.sorted() {
		name, err := x.name(tx, all[c.seg], c.doc)
		if err != nil {
			return nil, 0, err
		}
		switch {
		case dropped[string(dropKey(name))]:
			total--
		case len(hits) < limit:
			hits = append(hits, Hit{name, c.score})
		}
	}
	return hits, total, nil
}

// lists returns the postings of each term in each segment, and how many documents have it.
func (x Index) lists(tx kv.Tx, all []segment, terms []words.Stem) (lists [][][]byte, df []int, err error) {
	lists, df = make([][][]byte, len(all)), make([]int, len(terms))
	for i, s := range all {
		lists[i] = make([][]byte, len(terms))
		for t, stem := range terms {
			page := int(stem >> (words.StemBits - s.pageBits))
			raw, err := tx.Get(x.Bucket, partKey(keyPage, s.id, page))
			if err != nil {
				return nil, nil, err
			}
			list, err := find(raw, words.Stem(page)<<(words.StemBits-s.pageBits), stem)
			if err == nil {
				err = each(list, s.docs, func(int, uint8) { df[t]++ })
			}
			if err != nil {
				return nil, nil, err
			}
			lists[i][t] = list
		}
	}
	return lists, df, nil
}

// weights are what scores of one query are made of.
type weights struct {
	rarity []float64 // of each term, to scale
	mean   float64   // words of a document
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
	scores := make([]float64, s.docs)
	for t, list := range lists {
		err = cmp.Or(err, each(list, s.docs, func(doc int, count uint8) {
			scores[doc] += by.rarity[t] * weight(int(count), about[rowSize*doc], by.mean)
		}))
	}
	for doc, score := range scores {
		if score > 0 {
			n++
			best.add(candidate{rounded(score + float64(about[rowSize*doc+1])/2), at, doc})
		}
	}
	return n, err
}

// top keeps the best candidates.
type top struct {
	limit int
	all   []candidate // at most twice as many
	worst candidate   // of those that were kept when there were too many
	full  bool
}

func (t *top) add(c candidate) {
	if t.full && better(c, t.worst) > 0 {
		return
	}
	if t.all = append(t.all, c); len(t.all) >= 2*t.limit+16 {
		t.sorted()
	}
}

// sorted returns the best candidates, best first.
func (t *top) sorted() []candidate {
	slices.SortFunc(t.all, better)
	if len(t.all) > t.limit {
		t.all = t.all[:t.limit]
	}
	if len(t.all) == t.limit && t.limit > 0 {
		t.full, t.worst = true, t.all[t.limit-1]
	}
	return t.all
}

// name returns the name of a document.
func (x Index) name(tx kv.Tx, s segment, doc int) (string, error) {
	raw, err := tx.Get(x.Bucket, partKey(keyNames, s.id, doc/chunkDocs))
	if err != nil {
		return "", err
	}
	names, err := decodeNames(raw)
	if err != nil || doc%chunkDocs >= len(names) {
		return "", cmp.Or(err, damaged("a name is missing"))
	}
	return names[doc%chunkDocs], nil
}
