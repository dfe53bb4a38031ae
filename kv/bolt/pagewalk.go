package bolt

import (
	"bytes"
	"encoding/binary"
	"io"
	"slices"

	"ctxledger.dev/kv"
)

// Kinds of pages and sizes of their elements.
const (
	branchPage  = 1
	leafPage    = 2
	bucketFlag  = 1  // of a leaf element: its value is a bucket
	elementSize = 16 // of leaf and branch elements alike
	bucketSize  = 16 // of a bucket's header: root page u64, sequence u64

	maxPageBytes = 16 << 20 // of one page with its overflow; kv.MaxValue keeps real ones below 2 MiB
	maxDepth     = 32       // of the tree; bbolt's fan-out of 2 or more needs fewer
)

// pageWalk visits every page that a transaction can reach and finds what would make bbolt fault, panic or
// loop later. bbolt visits the same pages at open, but on a separate goroutine, where a fault ends the
// process. It uses a bit of memory for each page of the file and one page for each depth.
type pageWalk struct {
	f    io.ReaderAt
	meta metaPage
	seen []uint64                // a bit for each page
	bufs [maxDepth + 1][]byte    // a page for each depth: those of lower depths stay in use
	elem [maxDepth + 1][]element // and its elements

	// found and records, if they are set, are called for each bucket and for the records of
	// each sound page, whose keys lie in [low, high). The slices are valid until they return.
	found   func(b kv.Bucket)
	records func(at spot, low, high []byte, elems []element) error
	// damage is called for each damaged page or element. The walk skips it and continues, or ends with the
	// error that damage returns.
	damage func(l loss) error
}

// spot is a place in the tree.
type spot struct {
	page   uint64
	bucket kv.Bucket // "" for the root bucket, which holds buckets and nothing else
	depth  int
}

// loss is a damaged part of the tree.
type loss struct {
	spot
	low, high []byte // its keys, [low, high), nil is open; of buckets in the root bucket
	content   []byte // of the page, nil when it is the wrong page
	err       error
}

// newPageWalk returns a walk that ends at the first damage.
func newPageWalk(f io.ReaderAt, m metaPage) *pageWalk {
	return &pageWalk{
		f: f, meta: m, seen: make([]uint64, m.pages/64+1), // the caller bounds it by the file's size
		damage: func(l loss) error { return l.err },
	}
}

// checkPages walks the tree of a file.
func checkPages(f io.ReaderAt, m metaPage) error { return newPageWalk(f, m).run() }

// run walks the whole tree.
func (w *pageWalk) run() error { return w.page(spot{page: w.meta.root}, nil, nil) }

// page visits a page and all below it. Its keys must lie in [low, high), where nil is open.
func (w *pageWalk) page(at spot, low, high []byte) error {
	b, err := w.read(at.page, at.depth)
	if err != nil {
		return w.damage(loss{at, low, high, nil, err})
	}
	flags, elems, err := elements(w.elem[at.depth], b, low, high)
	if err != nil {
		w.forget(at.page, len(b))
		return w.damage(loss{at, low, high, b, damaged("is damaged at page %d: %v", at.page, err)})
	}
	w.elem[at.depth] = elems
	if flags == leafPage {
		return w.leaf(at, low, high, elems)
	}
	for i, e := range elems {
		end := high
		if i+1 < len(elems) {
			end = elems[i+1].key
		}
		if err := w.page(spot{e.child, at.bucket, at.depth + 1}, e.key, end); err != nil {
			return err
		}
	}
	return nil
}

// leaf visits the elements of a leaf page: records, or buckets with their trees.
func (w *pageWalk) leaf(at spot, low, high []byte, elems []element) error {
	root := at.bucket == ""
	sound := elems[:0]
	for _, e := range elems {
		var err error
		switch {
		case root != (e.flags == bucketFlag) || e.flags > bucketFlag:
			err = w.element(at, e, "a bucket among records, or a record among buckets")
		case root:
			err = w.bucket(at, e)
		default:
			sound = append(sound, e)
		}
		if err != nil {
			return err
		}
	}
	if root || w.records == nil {
		return nil
	}
	return w.records(at, low, high, sound)
}

// element reports a damaged element of a leaf page.
func (w *pageWalk) element(at spot, e element, what string) error {
	err := damaged("is damaged at page %d: %s", at.page, what)
	return w.damage(loss{at, e.key, append(slices.Clone(e.key), 0), nil, err})
}

// bucket visits a bucket, which is an element of the leaf page at.
func (w *pageWalk) bucket(at spot, e element) error {
	if len(e.value) < bucketSize {
		return w.element(at, e, "short bucket")
	}
	in := spot{at.page, kv.Bucket(e.key), at.depth + 1}
	if w.found != nil {
		w.found(in.bucket)
	}
	if root := binary.NativeEndian.Uint64(e.value); root != 0 {
		in.page = root
		return w.page(in, nil, nil)
	}
	elems, err := inlineRecords(e.value)
	if err != nil {
		err = damaged("is damaged at page %d: inline bucket: %v", at.page, err)
		return w.damage(loss{in, nil, nil, e.value[bucketSize:], err})
	}
	return w.leaf(in, nil, nil, elems)
}

// inlineRecords returns the records of a small bucket, which is stored inside its parent.
func inlineRecords(value []byte) ([]element, error) {
	flags, elems, err := elements(nil, value[bucketSize:], nil, nil)
	if err == nil && flags != leafPage {
		err = pageError("not a leaf")
	}
	return elems, err
}

// read returns a page with its overflow, after checking that the header is right and the page is not
// referenced twice.
func (w *pageWalk) read(id uint64, depth int) ([]byte, error) {
	if id < 2 || id >= w.meta.pages || depth > maxDepth {
		return nil, damaged("is damaged: it refers to page %d of %d at depth %d", id, w.meta.pages, depth)
	}
	if w.bufs[depth] == nil {
		w.bufs[depth] = make([]byte, w.meta.pageSize)
	}
	b, off := w.bufs[depth][:w.meta.pageSize], int64(id)*w.meta.pageSize
	if _, err := w.f.ReadAt(b, off); err != nil {
		return nil, osError("kv.open", err)
	}
	overflow := uint64(binary.NativeEndian.Uint32(b[12:]))
	total := (overflow + 1) * uint64(w.meta.pageSize)
	if binary.NativeEndian.Uint64(b) != id || id+overflow >= w.meta.pages || total > maxPageBytes {
		return nil, damaged("is damaged at page %d: wrong header", id)
	}
	for i := id; i <= id+overflow; i++ {
		if w.seen[i/64]&(1<<(i%64)) != 0 {
			return nil, damaged("is damaged: page %d is used twice", i)
		}
		w.seen[i/64] |= 1 << (i % 64)
	}
	if overflow == 0 {
		return b, nil
	}
	b = slices.Grow(b, int(total)-len(b))[:total]
	w.bufs[depth] = b
	_, err := w.f.ReadAt(b[w.meta.pageSize:], off+w.meta.pageSize)
	return b, osError("kv.open", err)
}

// forget unmarks a page as seen: the reference to it may be wrong, and another one right.
func (w *pageWalk) forget(id uint64, size int) {
	for i := id; i < id+uint64(size)/uint64(w.meta.pageSize); i++ {
		w.seen[i/64] &^= 1 << (i % 64)
	}
}

// element is one entry of a page; its slices share the page's memory.
type element struct {
	flags      uint32
	child      uint64 // branch pages only
	key, value []byte
}

// pageError says what is wrong with a page.
type pageError string

// Error implements error.
func (e pageError) Error() string { return string(e) }

// elements decodes a page into dst's memory. Keys must ascend and lie in [low, high).
func elements(dst []element, b, low, high []byte) (flags uint16, elems []element, err error) {
	if len(b) < pageHeader {
		return 0, nil, pageError("no header")
	}
	order := binary.NativeEndian
	flags = order.Uint16(b[8:])
	count := int(order.Uint16(b[10:]))
	switch {
	case flags != branchPage && flags != leafPage:
		return 0, nil, pageError("unknown kind")
	case pageHeader+count*elementSize > len(b):
		return 0, nil, pageError("too many elements")
	case flags == branchPage && count == 0:
		return 0, nil, pageError("branch without children")
	case count == 0 && len(bytes.TrimLeft(b[pageHeader:], "\x00")) > 0: // bbolt clears what it does not use
		return 0, nil, pageError("elements without a count")
	}
	elems = slices.Grow(dst[:0], count)[:count]
	next := uint64(pageHeader + count*elementSize) // bbolt leaves no gaps, which reveals a wrong count
	for i := range elems {
		if elems[i], next, err = elementAt(b, i, flags, next); err != nil {
			return 0, nil, err
		}
		key := elems[i].key
		switch {
		case i == 0 && bytes.Compare(key, low) < 0,
			i > 0 && bytes.Compare(key, elems[i-1].key) <= 0,
			high != nil && bytes.Compare(key, high) >= 0:
			return 0, nil, pageError("keys out of order")
		}
	}
	return flags, elems, nil
}

// elementAt returns element i of a page, whose key must start at byte want, and where the next one starts.
// The element's header must lie in the page.
func elementAt(b []byte, i int, flags uint16, want uint64) (element, uint64, error) {
	order := binary.NativeEndian
	at := pageHeader + i*elementSize // positions count from the element itself
	h := b[at : at+elementSize]
	var e element
	var pos, ksize, vsize uint64
	if flags == branchPage {
		pos, ksize, e.child = uint64(order.Uint32(h)), uint64(order.Uint32(h[4:])), order.Uint64(h[8:])
	} else {
		e.flags, pos = order.Uint32(h), uint64(order.Uint32(h[4:]))
		ksize, vsize = uint64(order.Uint32(h[8:])), uint64(order.Uint32(h[12:]))
	}
	start := uint64(at) + pos
	end := start + ksize + vsize // three numbers of 32 bits: no overflow
	if ksize == 0 || start != want || end > uint64(len(b)) {
		return element{}, 0, pageError("element out of place")
	}
	e.key, e.value = b[start:start+ksize], b[start+ksize:end]
	return e, end, nil
}
