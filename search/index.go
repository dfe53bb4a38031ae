package search

import (
	"cmp"
	"math/bits"
	"slices"

	"ctxledger.dev/internal/words"
	"ctxledger.dev/kv"
)

// Index is an index in a bucket of its own.
type Index struct {
	Bucket kv.Bucket
	// WholeFirst has Find put documents with all words of a query before those that lack one.
	WholeFirst bool
}

// Doc is a document to be added. Its name is a key of its owner. A name stands for one content: one that
// changes gets another name.
type Doc struct {
	Name string
	Bag  Bag
	// Boost is what is added to its score where it has a word of the query, in halves of a word.
	Boost uint8
}

const (
	fanout = 8 // segments of about one size that become one
	// mergedSize is how large the pages of a segment are that is not merged any more, in bytes.
	mergedSize = 1 << 20
	// maxDropped is how many dropped documents an index has before adding cleans it.
	maxDropped = 512
)

// Add adds documents. One that was dropped and is still there is there again. Errors: corrupt.
func (x Index) Add(tx kv.Tx, docs []Doc) error {
	docs, err := x.undrop(tx, docs)
	if err != nil {
		return err
	}
	for part := range slices.Chunk(docs, maxDocs/2) {
		id, err := x.free(tx)
		if err == nil {
			err = x.write(tx, id, build(part))
		}
		if err == nil {
			err = x.merge(tx)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// undrop returns the documents that are not in the index, after it has taken back the dropping of the others.
func (x Index) undrop(tx kv.Tx, docs []Doc) ([]Doc, error) {
	dropped, err := x.dropped(tx)
	if err != nil || len(dropped) == 0 {
		return docs, err
	}
	if len(dropped) > maxDropped {
		return docs, x.Purge(tx)
	}
	return slices.DeleteFunc(slices.Clone(docs), func(d Doc) bool {
		if dropped[d.Name] {
			err = cmp.Or(err, tx.Delete(x.Bucket, dropKey(d.Name)))
		}
		return dropped[d.Name]
	}), err
}

// build returns a segment of documents.
func build(docs []Doc) (c content) {
	for i, d := range docs {
		c.rows = append(c.rows, row{d.Name, codeLength(d.Bag.length), d.Boost})
		for stem, n := range d.Bag.counts {
			c.postings = append(c.postings, posting{stem, uint32(i), n})
		}
	}
	c.postings = byStem(c.postings)
	return c
}

// byStem sorts postings by stem; those of one stem keep their order.
func byStem(postings []posting) []posting {
	const digit = 10 // bits
	other := make([]posting, len(postings))
	for shift := 0; shift < words.StemBits; shift += digit {
		var at [1<<digit + 1]int
		for _, p := range postings {
			at[p.stem>>shift&(1<<digit-1)+1]++
		}
		for i := range 1 << digit {
			at[i+1] += at[i]
		}
		for _, p := range postings {
			d := p.stem >> shift & (1<<digit - 1)
			other[at[d]] = p
			at[d]++
		}
		postings, other = other, postings
	}
	return postings
}

// segments returns the segments of an index, oldest first.
func (x Index) segments(tx kv.Tx) ([]segment, error) {
	return kv.Collect(kv.Values(tx, x.Bucket, kv.Range{Prefix: []byte{keySegment}}, kv.JSON[segment]), kv.All)
}

// free returns a number that no segment has.
func (x Index) free(tx kv.Tx) (uint32, error) {
	for s, err := range kv.Values(tx, x.Bucket, kv.Range{Prefix: []byte{keySegment}, Reverse: true}, kv.JSON[segment]) {
		return s.ID + 1, err
	}
	return 1, nil
}

// merge makes one of fanout segments of a size class, until no class has so many.
func (x Index) merge(tx kv.Tx) error {
	all, err := x.segments(tx)
	classes := map[int][]segment{}
	for _, s := range all {
		if s.Size >= mergedSize || s.Docs >= maxDocs/fanout {
			continue
		}
		c := (bits.Len(uint(s.Size)) + 2) / 3
		if classes[c] = append(classes[c], s); len(classes[c]) == fanout {
			if err := x.join(tx, classes[c]); err != nil {
				return err
			}
			return x.merge(tx)
		}
	}
	return err
}

// join makes one segment of some, without the documents that were dropped.
func (x Index) join(tx kv.Tx, parts []segment) error {
	dropped, err := x.dropped(tx)
	if err != nil {
		return err
	}
	var whole content
	for _, s := range parts {
		c, err := x.read(tx, s)
		if err != nil {
			return err
		}
		number := make([]int, len(c.rows)) // in the whole; -1: none
		for i, r := range c.rows {
			if number[i] = len(whole.rows); dropped[r.name] {
				number[i], err = -1, cmp.Or(err, tx.Delete(x.Bucket, dropKey(r.name)))
				continue
			}
			whole.rows = append(whole.rows, r)
		}
		for _, p := range c.postings {
			if n := number[p.doc]; n >= 0 {
				whole.postings = append(whole.postings, posting{p.stem, uint32(n), p.n})
			}
		}
		if err := cmp.Or(err, x.remove(tx, s)); err != nil {
			return err
		}
	}
	if len(whole.rows) == 0 {
		return nil
	}
	whole.postings = byStem(whole.postings)
	return x.write(tx, parts[0].ID, whole)
}

// dropKey is the key of a dropped document.
func dropKey(name string) []byte { return append([]byte{keyDropped}, name...) }

// Drop has a document not be found any more. Purge removes its bytes.
func (x Index) Drop(tx kv.Tx, name string) error { return tx.Put(x.Bucket, dropKey(name), nil) }

// dropped returns the names of dropped documents.
func (x Index) dropped(tx kv.Tx) (map[string]bool, error) {
	var out map[string]bool
	for r, err := range tx.Scan(x.Bucket, kv.Range{Prefix: []byte{keyDropped}}) {
		if err != nil {
			return nil, err
		}
		if out == nil {
			out = map[string]bool{}
		}
		out[string(r.Key[1:])] = true
	}
	return out, nil
}

// Purge removes every byte of dropped documents. Errors: corrupt.
func (x Index) Purge(tx kv.Tx) error {
	dropped, err := x.dropped(tx)
	if err != nil || len(dropped) == 0 {
		return err
	}
	all, err := x.segments(tx)
	for _, s := range all {
		names, e := x.names(tx, s)
		if err = cmp.Or(err, e); err == nil && slices.ContainsFunc(names, func(n string) bool { return dropped[n] }) {
			err = x.join(tx, []segment{s})
		}
	}
	for name := range dropped { // also of documents that were never added
		err = cmp.Or(err, tx.Delete(x.Bucket, dropKey(name)))
	}
	return err
}

// Names returns the names of all documents that are found, after it has read every record. Errors: corrupt.
func (x Index) Names(tx kv.Tx) (names []string, err error) {
	dropped, err := x.dropped(tx)
	if err != nil {
		return nil, err
	}
	all, err := x.segments(tx)
	for _, s := range all {
		c, e := x.read(tx, s)
		err = cmp.Or(err, e)
		for _, r := range c.rows {
			if !dropped[r.name] {
				names = append(names, r.name)
			}
		}
	}
	return names, err
}

// Clear empties the index.
func (x Index) Clear(tx kv.Tx) error {
	var keys [][]byte
	for r, err := range tx.Scan(x.Bucket, kv.Range{}) {
		if err != nil {
			return err
		}
		keys = append(keys, r.Key)
	}
	return kv.DeleteAll(tx, x.Bucket, keys)
}
