package gitobject

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"encoding/hex"
	"io"
	"strconv"

	"ctxledger.dev/internal/fault"
)

const (
	// maxObject bounds a commit and what it is made of, in bytes.
	maxObject = 1 << 20
	// maxDeltas bounds a chain of deltas; git makes chains of at most 4,095.
	maxDeltas = 4096
	// ahead is how much of a file is read at once, in bytes: most commits are smaller.
	ahead = 512
)

// The types of objects in a pack.
const (
	typeCommit      = 1
	typeOffsetDelta = 6
	typeNameDelta   = 7
)

// commit returns the text of a commit. Errors: not_found; corrupt.
func (s *Store) commit(id string) ([]byte, error) {
	name, err := s.parse(id)
	if err != nil {
		return nil, err
	}
	if f, info, err := s.tree.Open(loose(id)); err == nil {
		defer f.Close() // only read
		raw, err := s.z.inflate(bufio.NewReaderSize(io.NewSectionReader(f, 0, info.Size()), ahead))
		if err != nil {
			return nil, err
		}
		head, body, ok := bytes.Cut(raw, []byte{0})
		if !ok || !bytes.HasPrefix(head, []byte("commit ")) {
			return nil, damaged("an object is not a commit")
		}
		return body, nil
	}
	if s.packs == nil {
		if err := s.list(); err != nil {
			return nil, err
		}
	}
	p, at, err := s.packed(name)
	switch {
	case err != nil:
		return nil, err
	case p == nil:
		return nil, fault.New(fault.NotFound, "gitobject.commit", "the repository has no object %s", id)
	}
	return s.unpack(p, at)
}

// inflater decompresses one object after the other, with the same buffers.
type inflater struct{ z io.ReadCloser }

// inflate decompresses an object. Errors: corrupt; too_large beyond maxObject.
func (i *inflater) inflate(r *bufio.Reader) (raw []byte, err error) {
	if again, ok := i.z.(zlib.Resetter); ok {
		err = again.Reset(r, nil)
	} else {
		i.z, err = zlib.NewReader(r)
	}
	if err == nil {
		raw, err = io.ReadAll(io.LimitReader(i.z, maxObject+1))
	}
	switch {
	case err != nil:
		return nil, damaged("an object cannot be decompressed: " + err.Error())
	case len(raw) > maxObject:
		return nil, fault.New(fault.TooLarge, "gitobject.read", "an object of more than %d bytes", maxObject)
	}
	return raw, nil
}

// unpack returns the commit at a place of a pack, of which deltas say how it differs from others.
func (s *Store) unpack(p *pack, at int64) ([]byte, error) {
	var deltas [][]byte
	for range maxDeltas {
		o, err := s.object(p, at)
		if err != nil {
			return nil, err
		}
		switch {
		case o.kind == typeCommit:
			for i := len(deltas) - 1; i >= 0 && err == nil; i-- {
				o.raw, err = patched(o.raw, deltas[i])
			}
			return o.raw, err
		case o.kind == typeOffsetDelta:
			at -= o.back
		case o.kind == typeNameDelta:
			var found bool
			if at, found, err = p.find(o.base); err != nil || !found {
				return nil, damaged("a pack lacks the base of a delta in it")
			}
		default:
			return nil, damaged("an object is not a commit")
		}
		deltas = append(deltas, o.raw)
	}
	return nil, damaged("a chain of deltas does not end")
}

// object is an object as it is in a pack.
type object struct {
	kind byte
	raw  []byte // its text, or a delta
	back int64  // how far before it the base of a delta is
	base []byte // name of the base of a delta
}

// object reads the object at a place of a pack.
func (s *Store) object(p *pack, at int64) (o object, err error) {
	if p.data == nil {
		if p.data, _, err = p.open(); err != nil {
			return o, err
		}
	}
	r := bufio.NewReaderSize(io.NewSectionReader(p.data, at, 1<<62), ahead)
	first, err := r.ReadByte()
	if err != nil {
		return o, damaged("a pack is too short")
	}
	o.kind = first >> 4 & 7
	for c := first; c&0x80 != 0 && err == nil; {
		c, err = r.ReadByte() // the size is that of what follows
	}
	switch o.kind {
	case typeOffsetDelta:
		if o.back, err = distance(r); err == nil && (o.back <= 0 || o.back > at) {
			return o, damaged("the base of a delta is outside its pack")
		}
	case typeNameDelta:
		o.base = make([]byte, p.bytes)
		_, err = io.ReadFull(r, o.base)
	}
	if err != nil {
		return o, damaged("a pack is too short")
	}
	o.raw, err = s.z.inflate(r)
	return o, err
}

// distance reads how far back the base of a delta is.
func distance(r io.ByteReader) (n int64, err error) {
	for i := range 9 {
		c, err := r.ReadByte()
		if err != nil {
			return 0, err
		}
		if i > 0 {
			n++
		}
		if n = n<<7 | int64(c&0x7f); c&0x80 == 0 {
			return n, nil
		}
	}
	return 0, io.ErrUnexpectedEOF
}

// patched applies a delta: commands that copy a part of base, or insert bytes.
func patched(base, delta []byte) ([]byte, error) {
	r := bytes.NewReader(delta)
	from, err := number(r)
	to, failed := number(r)
	if err != nil || failed != nil || from != int64(len(base)) || to > maxObject {
		return nil, damaged("a delta does not fit its base")
	}
	out := make([]byte, 0, to)
	for r.Len() > 0 {
		c, _ := r.ReadByte() // there is one
		var piece []byte
		switch {
		case c&0x80 != 0:
			offset, size := operands(r, c)
			if offset+size > int64(len(base)) {
				return nil, damaged("a delta copies beyond its base")
			}
			piece = base[offset : offset+size]
		case c == 0 || int(c) > r.Len():
			return nil, damaged("a delta is too short")
		default:
			piece = make([]byte, c)
			_, _ = r.Read(piece) // there is as much
		}
		if len(out)+len(piece) > int(to) {
			return nil, damaged("a delta exceeds its stated size")
		}
		out = append(out, piece...)
	}
	return out, nil
}

// operands reads which part of the base a command copies: each bit of c says that one of its bytes follows.
func operands(r *bytes.Reader, c byte) (offset, size int64) {
	var v [7]int64
	for i := range v {
		if c>>i&1 != 0 {
			b, _ := r.ReadByte() // a missing one is 0
			v[i] = int64(b)
		}
	}
	if size = v[4] | v[5]<<8 | v[6]<<16; size == 0 {
		size = 0x10000
	}
	return v[0] | v[1]<<8 | v[2]<<16 | v[3]<<24, size
}

// number reads a number of seven bits a byte, the lowest first.
func number(r io.ByteReader) (n int64, err error) {
	for shift := 0; shift < 63; shift += 7 {
		c, err := r.ReadByte()
		if err != nil {
			return 0, err
		}
		if n |= int64(c&0x7f) << shift; c&0x80 == 0 {
			return n, nil
		}
	}
	return 0, strconv.ErrRange
}

// parent returns the first parent of a commit; "" for a root commit.
func parent(text []byte) string {
	_, rest, _ := bytes.Cut(text, []byte("\n")) // the tree
	line, ok := bytes.CutPrefix(rest, []byte("parent "))
	if !ok {
		return ""
	}
	id, _, _ := bytes.Cut(line, []byte("\n"))
	if _, err := hex.DecodeString(string(id)); err != nil {
		return ""
	}
	return string(id)
}
