package search

import (
	"cmp"
	"crypto/sha256"
	"math/bits"
	"slices"

	"ctxledger.dev/internal/words"
	"ctxledger.dev/kv"
)

// Index is an index in a bucket of its own.
type Index struct{ Bucket kv.Bucket }

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
		if err != nil {
			return err
		}
		rows, length, postings := build(part)
		if _, err := x.write(tx, id, rows, length, postings); err != nil {
			return err
		}
		if err := x.merge(tx); err != nil {
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
		k := dropKey(d.Name)
		if dropped[string(k)] {
			err = cmp.Or(err, tx.Delete(x.Bucket, k))
			return true
		}
		return false
	}), err
}

// build returns the rows and postings of a segment.
func build(docs []Doc) (rows []row, length int, postings []posting) {
	n := 0
	for _, d := range docs {
		n += len(d.Bag.counts)
	}
	postings = make([]posting, 0, n)
	for i, d := range docs {
		rows = append(rows, row{d.Name, codeLength(d.Bag.length), d.Boost})
		length += d.Bag.length
		for _, c := range d.Bag.counts {
			postings = append(postings, posting{c.stem, uint32(i), c.n})
		}
	}
	return rows, length, byStem(postings)
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
	return kv.Collect(kv.Values(tx, x.Bucket, kv.Range{Prefix: []byte{keySegment}}, decodeSegment), kv.All)
}

// free returns a number that no segment has.
func (x Index) free(tx kv.Tx) (uint32, error) {
	for s, err := range kv.Values(tx, x.Bucket, kv.Range{Prefix: []byte{keySegment}, Reverse: true}, decodeSegment) {
		return s.id + 1, err
	}
	return 1, nil
}

// merge makes one of fanout segments of a size class, until no class has so many.
func (x Index) merge(tx kv.Tx) error {
	for {
		all, err := x.segments(tx)
		if err != nil {
			return err
		}
		classes := map[int][]segment{}
		var full []segment
		for _, s := range all {
			if s.size >= mergedSize || s.docs >= maxDocs/fanout {
				continue
			}
			c := (bits.Len(uint(s.size)) + 2) / 3
			if classes[c] = append(classes[c], s); len(classes[c]) == fanout {
				full = classes[c]
				break
			}
		}
		if full == nil {
			return nil
		}
		if err := x.join(tx, full); err != nil {
			return err
		}
	}
}

// join makes one segment of some, without the documents that were dropped.
func (x Index) join(tx kv.Tx, parts []segment) error {
	dropped, err := x.dropped(tx)
	if err != nil {
		return err
	}
	var rows []row
	var postings []posting
	length := 0
	for _, s := range parts {
		r, p, err := x.read(tx, s)
		if err != nil {
			return err
		}
		kept, number := r[:0:0], make([]int, len(r))
		for i, d := range r {
			number[i] = -1
			k := dropKey(d.name)
			if dropped[string(k)] {
				if err := tx.Delete(x.Bucket, k); err != nil {
					return err
				}
				length -= decodeLength(d.length)
				continue
			}
			number[i] = len(rows) + len(kept)
			kept = append(kept, d)
		}
		rows, length = append(rows, kept...), length+s.length
		for _, q := range p {
			if n := number[q.doc]; n >= 0 {
				q.doc = uint32(n)
				postings = append(postings, q)
			}
		}
		if err := x.remove(tx, s); err != nil {
			return err
		}
	}
	if len(rows) == 0 {
		return nil
	}
	_, err = x.write(tx, parts[0].id, rows, max(length, 0), byStem(postings))
	return err
}

// dropKey is the key of a dropped document.
func dropKey(name string) []byte {
	sum := sha256.Sum256([]byte(name))
	return append([]byte{keyDropped}, sum[:16]...)
}

// Drop has a document not be found any more. Purge removes its bytes.
func (x Index) Drop(tx kv.Tx, name string) error { return tx.Put(x.Bucket, dropKey(name), nil) }

// dropped returns the keys of dropped documents.
func (x Index) dropped(tx kv.Tx) (map[string]bool, error) {
	var out map[string]bool
	for r, err := range tx.Scan(x.Bucket, kv.Range{Prefix: []byte{keyDropped}}) {
		if err != nil {
			return nil, err
		}
		if out == nil {
			out = map[string]bool{}
		}
		out[string(r.Key)] = true
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
		if holds, e := x.holds(tx, s, dropped); holds && err == nil && e == nil {
			err = x.join(tx, []segment{s})
		} else {
			err = cmp.Or(err, e)
		}
	}
	for k := range dropped { // also of documents that were never added
		err = cmp.Or(err, tx.Delete(x.Bucket, []byte(k)))
	}
	return err
}

// holds reports whether a segment has a dropped document.
func (x Index) holds(tx kv.Tx, s segment, dropped map[string]bool) (bool, error) {
	for r, err := range tx.Scan(x.Bucket, kv.Range{Prefix: key(keyNames, s.id)}) {
		if err != nil {
			return false, err
		}
		names, err := decodeNames(r.Value)
		if err != nil {
			return false, err
		}
		if slices.ContainsFunc(names, func(n string) bool { return dropped[string(dropKey(n))] }) {
			return true, nil
		}
	}
	return false, nil
}

// Names returns the names of all documents that are found, after it has read every record. Errors: corrupt.
func (x Index) Names(tx kv.Tx) (names []string, err error) {
	dropped, err := x.dropped(tx)
	if err != nil {
		return nil, err
	}
	all, err := x.segments(tx)
	if err != nil {
		return nil, err
	}
	for _, s := range all {
		rows, _, err := x.read(tx, s)
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			if !dropped[string(dropKey(r.name))] {
				names = append(names, r.name)
			}
		}
	}
	return names, nil
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
