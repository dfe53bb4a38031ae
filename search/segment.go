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
	ID       uint32 `json:"id"`
	Docs     int    `json:"docs"`      // documents, numbered from 0
	Length   int    `json:"length"`    // words of all of them, each one's to four significant bits
	Size     int    `json:"size"`      // bytes of its pages
	PageBits int    `json:"page_bits"` // it has 1<<PageBits pages
}

// first returns the first stem that a page may have.
func (s segment) first(page int) words.Stem { return words.Stem(page) << (words.StemBits - s.PageBits) }

// content is what a segment consists of.
type content struct {
	rows     []row
	postings []posting // by stem, then by document
}

// row is a document of a segment.
type row struct {
	name          string
	length, boost byte
}

// posting says how often a document has a stem.
type posting struct {
	stem words.Stem
	doc  uint32
	n    uint8
}

// The records of an index begin with one of these letters.
const (
	keySegment = 's' // segment → segment
	keyRows    = 'r' // segment → the length and the boost of each document, a byte each
	keyNames   = 'n' // segment, chunk → the names of chunkDocs documents
	keyPage    = 'p' // segment, page → stems with their postings
	keyLater   = 't' // key of an owner → from where on it will be added
	keyDropped = 'x' // name → nothing: the document is not found any more
)

const (
	rowSize     = 2 // bytes of a document in its segment's rows
	postingSize = 4 // bytes of a posting, about
	chunkDocs   = 128
	pageSize    = 12 << 10 // bytes that a page has, about: half of them more, half of them less
	// maxDocs bounds the documents of a segment, so that the postings of a word that all have fit into a page.
	maxDocs = 60_000
)

func key(kind byte, id uint32) []byte { return binary.BigEndian.AppendUint32([]byte{kind}, id) }

func partKey(kind byte, id uint32, part int) []byte {
	return binary.BigEndian.AppendUint16(key(kind, id), uint16(part))
}

func damaged(what string) error {
	return fault.New(fault.Corrupt, "search.read", "the search index is damaged: %s", what).
		WithHint("`ctxledger ledger repair` makes it again")
}

// write stores a segment.
func (x Index) write(tx kv.Tx, id uint32, c content) error {
	s := segment{ID: id, Docs: len(c.rows), PageBits: min(bits.Len(uint(len(c.postings)*postingSize/pageSize)), 16)}
	about := make([]byte, 0, rowSize*len(c.rows))
	for _, r := range c.rows {
		about = append(about, r.length, r.boost)
		s.Length += decodeLength(r.length)
	}
	err := tx.Put(x.Bucket, key(keyRows, id), about)
	for from := 0; from < len(c.rows); from += chunkDocs {
		names := encodeNames(c.rows[from:min(from+chunkDocs, len(c.rows))])
		err = cmp.Or(err, tx.Put(x.Bucket, partKey(keyNames, id, from/chunkDocs), names))
	}
	var buf []byte
	for page := range 1 << s.PageBits {
		buf, c.postings = encodePage(buf[:0], s.first(page), s.first(page+1), c.postings)
		s.Size += len(buf)
		err = cmp.Or(err, tx.Put(x.Bucket, partKey(keyPage, id, page), buf))
	}
	return cmp.Or(err, kv.PutJSON(tx, x.Bucket, key(keySegment, id), s))
}

// encodePage appends the stems from first to below end with their postings, and returns the postings of the others.
func encodePage(buf []byte, first, end words.Stem, postings []posting) ([]byte, []posting) {
	var list []byte
	for last := first; len(postings) > 0 && postings[0].stem < end; {
		stem, next := postings[0].stem, uint32(0)
		for list = list[:0]; len(postings) > 0 && postings[0].stem == stem; postings = postings[1:] {
			p := postings[0]
			gap := uint64(p.doc-next) << 1
			if p.n > 1 {
				list = append(binary.AppendUvarint(list, gap|1), p.n)
			} else {
				list = binary.AppendUvarint(list, gap)
			}
			next = p.doc + 1
		}
		buf = binary.AppendUvarint(buf, uint64(stem-last))
		buf = append(binary.AppendUvarint(buf, uint64(len(list))), list...)
		last = stem
	}
	return buf, postings
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

// eachList calls fn for the stems of a page that begins with the stem first, in order, with their encoded postings.
func eachList(page []byte, first words.Stem, fn func(words.Stem, []byte) error) error {
	stem := first
	for in := (reader{rest: page}); len(in.rest) > 0; {
		stem += words.Stem(in.number())
		list := in.bytes(in.number())
		if in.bad {
			return damaged("a page is cut")
		}
		if err := fn(stem, list); err != nil {
			return err
		}
	}
	return nil
}

// eachDoc calls fn for the postings of a list, in order of documents, which are below docs.
func eachDoc(list []byte, docs int, fn func(doc int, n uint8)) error {
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

// read returns what a segment consists of.
func (x Index) read(tx kv.Tx, s segment) (c content, err error) {
	about, err := x.about(tx, s)
	if err != nil {
		return c, err
	}
	names, err := x.names(tx, s)
	if err != nil {
		return c, err
	}
	for i, name := range names {
		c.rows = append(c.rows, row{name, about[rowSize*i], about[rowSize*i+1]})
	}
	pages := 0
	for rec, err := range tx.Scan(x.Bucket, kv.Range{Prefix: key(keyPage, s.ID)}) {
		if err == nil {
			err = eachList(rec.Value, s.first(pages), func(stem words.Stem, list []byte) error {
				return eachDoc(list, s.Docs, func(doc int, n uint8) {
					c.postings = append(c.postings, posting{stem, uint32(doc), n})
				})
			})
		}
		if err != nil {
			return c, err
		}
		pages++
	}
	if pages != 1<<s.PageBits {
		return c, damaged("pages are missing")
	}
	return c, nil
}

// names returns the names of the documents of a segment.
func (x Index) names(tx kv.Tx, s segment) (names []string, err error) {
	for rec, err := range tx.Scan(x.Bucket, kv.Range{Prefix: key(keyNames, s.ID)}) {
		if err != nil {
			return nil, err
		}
		some, err := decodeNames(rec.Value)
		if err != nil {
			return nil, err
		}
		names = append(names, some...)
	}
	if len(names) != s.Docs {
		return nil, damaged("names are missing")
	}
	return names, nil
}

// about returns the lengths and boosts of the documents of a segment.
func (x Index) about(tx kv.Tx, s segment) ([]byte, error) {
	about, err := tx.Get(x.Bucket, key(keyRows, s.ID))
	if err == nil && len(about) != rowSize*s.Docs {
		err = damaged("lengths are missing")
	}
	return about, err
}

// remove deletes the records of a segment.
func (x Index) remove(tx kv.Tx, s segment) error {
	err := cmp.Or(tx.Delete(x.Bucket, key(keySegment, s.ID)), tx.Delete(x.Bucket, key(keyRows, s.ID)))
	for part := range (s.Docs + chunkDocs - 1) / chunkDocs {
		err = cmp.Or(err, tx.Delete(x.Bucket, partKey(keyNames, s.ID, part)))
	}
	for part := range 1 << s.PageBits {
		err = cmp.Or(err, tx.Delete(x.Bucket, partKey(keyPage, s.ID, part)))
	}
	return err
}
