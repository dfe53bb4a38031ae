package search

import (
	"cmp"
	"encoding/binary"
	"math/bits"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/words"
	"ctxledger.dev/kv"
)

// segment is what an index keeps of a segment besides its pages.
type segment struct {
	id       uint32
	docs     int // documents, numbered from 0
	length   int // words of all of them
	size     int // bytes of its pages
	pageBits int // it has 1<<pageBits pages
}

// The records of an index begin with one of these letters.
const (
	keySegment = 's' // segment → segment
	keyRows    = 'r' // segment → the length and the boost of each document, a byte each
	keyNames   = 'n' // segment, chunk → the names of chunkDocs documents
	keyPage    = 'p' // segment, page → stems with their postings
	keyLater   = 't' // key of an owner → from where on it will be added
	keyDropped = 'x' // digest of a name → nothing: the document is not found any more
)

const (
	rowSize     = 2 // bytes of a document in its segment's rows
	postingSize = 4 // bytes of a posting, about
	chunkDocs   = 128
	pageSize    = 12 << 10 // bytes that a page has, about: half of them more, half of them less
	// maxDocs bounds the documents of a segment, so that the postings of a word that all have fit into a page.
	maxDocs = 60_000
)

// posting says how often a document has a stem.
type posting struct {
	stem words.Stem
	doc  uint32
	n    uint8
}

// row is a document of a segment.
type row struct {
	name          string
	length, boost byte
}

func key(kind byte, id uint32) []byte { return binary.BigEndian.AppendUint32([]byte{kind}, id) }

func partKey(kind byte, id uint32, part int) []byte {
	return binary.BigEndian.AppendUint16(key(kind, id), uint16(part))
}

func damaged(what string) error {
	return fault.New(fault.Corrupt, "search.read", "the search index is damaged: %s", what).
		WithHint("`ctxledger ledger repair` makes it again")
}

// encode returns a segment's own record.
func (s segment) encode() []byte {
	var out []byte
	for _, n := range []int{s.docs, s.length, s.size, s.pageBits} {
		out = binary.AppendUvarint(out, uint64(n))
	}
	return out
}

// decodeSegment reads a segment's own record.
func decodeSegment(r kv.Record) (s segment, err error) {
	if len(r.Key) != 5 {
		return s, damaged("a segment has no number")
	}
	s.id = binary.BigEndian.Uint32(r.Key[1:])
	in := reader{rest: r.Value}
	for _, n := range []*int{&s.docs, &s.length, &s.size, &s.pageBits} {
		*n = in.number()
	}
	if in.bad || s.docs > maxDocs || s.pageBits > 16 {
		return s, damaged("a segment's record cannot be read")
	}
	return s, nil
}

// reader reads numbers and texts; bad says that they were cut.
type reader struct {
	rest []byte
	bad  bool
}

func (r *reader) number() int {
	n, size := binary.Uvarint(r.rest)
	if size <= 0 || n > 1<<40 {
		r.bad, r.rest = true, nil
		return 0
	}
	r.rest = r.rest[size:]
	return int(n)
}

func (r *reader) bytes(n int) []byte {
	if n > len(r.rest) {
		r.bad, r.rest = true, nil
		return nil
	}
	out := r.rest[:n]
	r.rest = r.rest[n:]
	return out
}

// write stores a segment. postings are by stem, then by document.
func (x Index) write(tx kv.Tx, id uint32, rows []row, length int, postings []posting) (segment, error) {
	s := segment{id: id, docs: len(rows), length: length,
		pageBits: min(bits.Len(uint(len(postings)*postingSize/pageSize)), 16)}
	about := make([]byte, 0, rowSize*len(rows))
	for _, r := range rows {
		about = append(about, r.length, r.boost)
	}
	err := tx.Put(x.Bucket, key(keyRows, id), about)
	for from := 0; from < len(rows); from += chunkDocs {
		names := encodeNames(rows[from:min(from+chunkDocs, len(rows))])
		err = cmp.Or(err, tx.Put(x.Bucket, partKey(keyNames, id, from/chunkDocs), names))
	}
	var buf []byte
	for page := range 1 << s.pageBits {
		first := words.Stem(page) << (words.StemBits - s.pageBits)
		buf, postings = encodePage(buf[:0], first, first+1<<(words.StemBits-s.pageBits), postings)
		s.size += len(buf)
		err = cmp.Or(err, tx.Put(x.Bucket, partKey(keyPage, id, page), buf))
	}
	return s, cmp.Or(err, tx.Put(x.Bucket, key(keySegment, id), s.encode()))
}

// encodePage appends the stems from first to below end with their postings, and returns the postings of the others.
func encodePage(buf []byte, first, end words.Stem, postings []posting) ([]byte, []posting) {
	last := first
	var list [3 * binary.MaxVarintLen32]byte
	for len(postings) > 0 && postings[0].stem < end {
		stem, n := postings[0].stem, 1
		for n < len(postings) && postings[n].stem == stem {
			n++
		}
		buf = binary.AppendUvarint(buf, uint64(stem-last))
		last = stem
		mark := len(buf)
		buf = append(buf, 0) // the size of the list, most often one byte
		next := uint32(0)
		for _, p := range postings[:n] {
			gap := uint64(p.doc-next) << 1
			if p.n > 1 {
				buf = append(binary.AppendUvarint(buf, gap|1), p.n)
			} else {
				buf = binary.AppendUvarint(buf, gap)
			}
			next = p.doc + 1
		}
		if size := len(buf) - mark - 1; size < 0x80 {
			buf[mark] = byte(size)
		} else {
			head := binary.PutUvarint(list[:], uint64(size))
			buf = append(buf, list[:head-1]...)
			copy(buf[mark+head:], buf[mark+1:len(buf)-head+1])
			copy(buf[mark:], list[:head])
		}
		postings = postings[n:]
	}
	return buf, postings
}

// find returns the encoded postings of a stem in a page that begins with the stem first, nil if it has none.
func find(page []byte, first, stem words.Stem) ([]byte, error) {
	in := reader{rest: page}
	for at := first; len(in.rest) > 0; {
		at += words.Stem(in.number())
		list := in.bytes(in.number())
		switch {
		case in.bad:
			return nil, damaged("a page is cut")
		case at == stem:
			return list, nil
		case at > stem:
			return nil, nil
		}
	}
	return nil, nil
}

// each calls fn for the postings of a list, in order of documents, which are below docs.
func each(list []byte, docs int, fn func(doc int, n uint8)) error {
	in := reader{rest: list}
	for doc := 0; len(in.rest) > 0; doc++ {
		gap, n := in.number(), uint8(1)
		if gap&1 == 1 {
			if b := in.bytes(1); b != nil {
				n = b[0]
			}
		}
		if doc += gap >> 1; in.bad || doc >= docs {
			return damaged("a list of documents is cut")
		}
		fn(doc, n)
	}
	return nil
}

// encodeNames writes names, each without what it has in common with the one before.
func encodeNames(rows []row) (out []byte) {
	last := ""
	for _, r := range rows {
		same := 0
		for same < min(len(last), len(r.name)) && last[same] == r.name[same] {
			same++
		}
		out = binary.AppendUvarint(out, uint64(same))
		out = binary.AppendUvarint(out, uint64(len(r.name)-same))
		out = append(out, r.name[same:]...)
		last = r.name
	}
	return out
}

// decodeNames reads what encodeNames wrote.
func decodeNames(raw []byte) (names []string, err error) {
	in := reader{rest: raw}
	last := ""
	for len(in.rest) > 0 {
		same := in.number()
		rest := in.bytes(in.number())
		if in.bad || same > len(last) {
			return nil, damaged("a list of names is cut")
		}
		last = last[:same] + string(rest)
		names = append(names, last)
	}
	return names, nil
}

// read returns the documents and postings of a segment: by stem, then by document.
func (x Index) read(tx kv.Tx, s segment) (rows []row, postings []posting, err error) {
	about, err := x.about(tx, s)
	if err != nil {
		return nil, nil, err
	}
	for rec, err := range tx.Scan(x.Bucket, kv.Range{Prefix: key(keyNames, s.id)}) {
		if err != nil {
			return nil, nil, err
		}
		names, err := decodeNames(rec.Value)
		if err != nil || len(rows)+len(names) > s.docs {
			return nil, nil, cmp.Or(err, damaged("there are more names than documents"))
		}
		for _, n := range names {
			at := rowSize * len(rows)
			rows = append(rows, row{n, about[at], about[at+1]})
		}
	}
	if len(rows) != s.docs {
		return nil, nil, damaged("names are missing")
	}
	pages := 0
	for rec, err := range tx.Scan(x.Bucket, kv.Range{Prefix: key(keyPage, s.id)}) {
		if err != nil {
			return nil, nil, err
		}
		in := reader{rest: rec.Value}
		stem := words.Stem(pages) << (words.StemBits - s.pageBits)
		for pages++; len(in.rest) > 0; {
			stem += words.Stem(in.number())
			list := in.bytes(in.number())
			if in.bad {
				return nil, nil, damaged("a page is cut")
			}
			if err := each(list, s.docs, func(doc int, n uint8) {
				postings = append(postings, posting{stem, uint32(doc), n})
			}); err != nil {
				return nil, nil, err
			}
		}
	}
	if pages != 1<<s.pageBits {
		return nil, nil, damaged("pages are missing")
	}
	return rows, postings, nil
}

// about returns the lengths and boosts of the documents of a segment.
func (x Index) about(tx kv.Tx, s segment) ([]byte, error) {
	about, err := tx.Get(x.Bucket, key(keyRows, s.id))
	if err == nil && len(about) != rowSize*s.docs {
		err = damaged("lengths are missing")
	}
	return about, err
}

// remove deletes the records of a segment.
func (x Index) remove(tx kv.Tx, s segment) error {
	err := cmp.Or(tx.Delete(x.Bucket, key(keySegment, s.id)), tx.Delete(x.Bucket, key(keyRows, s.id)))
	for part := range (s.docs + chunkDocs - 1) / chunkDocs {
		err = cmp.Or(err, tx.Delete(x.Bucket, partKey(keyNames, s.id, part)))
	}
	for part := range 1 << s.pageBits {
		err = cmp.Or(err, tx.Delete(x.Bucket, partKey(keyPage, s.id, part)))
	}
	return err
}
