package bolt

import (
	"encoding/binary"
	"hash/fnv"
	"io"
)

// The parts of bbolt's file format that must be valid before bbolt maps the file. Integers are in the byte
// order of the machine.
const (
	pageHeader  = 16 // id u64, flags u16, count u16, overflow u32
	metaSize    = 64
	metaMagic   = 0xED0CDAED
	metaVersion = 2
	noFreelist  = 1<<64 - 1
	minPageSize = 1 << 10
	maxPageSize = 64 << 10
)

// metaPage is the root of the page tree after one transaction.
type metaPage struct {
	pageSize int64
	root     uint64 // page of the root bucket
	freelist uint64
	pages    uint64 // pages in use: ids below it may be referenced
	txid     uint64
}

// readMeta returns the newer of the two meta pages of a file of the given size.
//
// Both must be valid. bbolt would continue with the other one, which is right after a torn write. But a
// meta page lies in one sector, which is written atomically, so a bad one means damage, and the older one
// would silently revert an acknowledged transaction.
func readMeta(f io.ReaderAt, size int64) (metaPage, error) {
	if size == 0 {
		return metaPage{}, damaged("is empty")
	}
	first, err := metaAt(f, 0)
	if err != nil {
		return metaPage{}, err
	}
	second, err := metaAt(f, first.pageSize)
	if err != nil {
		return metaPage{}, err
	}
	if second.pageSize != first.pageSize {
		return metaPage{}, damaged("has two page sizes")
	}
	m := first
	if second.txid > first.txid {
		m = second
	}
	switch {
	case first.txid-second.txid != 1 && second.txid-first.txid != 1: // each commit writes the older one
		return metaPage{}, damaged("has meta pages of transactions %d and %d, which are not consecutive",
			first.txid, second.txid)
	case m.pages > uint64(size/m.pageSize):
		return metaPage{}, damaged("is cut off: it has %d bytes and uses %d pages of %d", size, m.pages, m.pageSize)
	case m.freelist != noFreelist:
		return metaPage{}, damaged("was rewritten by another program (it has a free list)")
	}
	return m, nil
}

// bestMeta returns the newest valid meta page of a damaged file, without pages beyond the end of the file.
func bestMeta(f io.ReaderAt, size int64) (best metaPage, ok bool) {
	for off := int64(0); off <= maxPageSize; off = max(2*off, minPageSize) {
		m, err := metaAt(f, off)
		if err != nil || (off != 0 && off != m.pageSize) || (ok && m.txid < best.txid) {
			continue
		}
		best, ok = m, true
	}
	if ok {
		best.pages = min(best.pages, uint64(size/best.pageSize))
	}
	return best, ok
}

// metaAt reads and checks the meta page at an offset.
func metaAt(f io.ReaderAt, off int64) (metaPage, error) {
	var b [metaSize]byte
	if n, err := f.ReadAt(b[:], off+pageHeader); n < len(b) {
		if err == io.EOF {
			return metaPage{}, damaged("is too short to be a ledger")
		}
		return metaPage{}, osError("kv.open", err)
	}
	order := binary.NativeEndian
	sum := fnv.New64a()
	_, _ = sum.Write(b[:56]) // a hash never fails
	switch {
	case order.Uint32(b[0:]) != metaMagic && off == 0:
		return metaPage{}, damaged("is not a ledger file")
	case order.Uint64(b[56:]) != sum.Sum64() || order.Uint32(b[0:]) != metaMagic:
		return metaPage{}, damaged("has a damaged meta page")
	case order.Uint32(b[4:]) != metaVersion:
		return metaPage{}, damaged("has bbolt file version %d, expected %d", order.Uint32(b[4:]), metaVersion)
	}
	m := metaPage{
		pageSize: int64(order.Uint32(b[8:])),
		root:     order.Uint64(b[16:]),
		freelist: order.Uint64(b[32:]),
		pages:    order.Uint64(b[40:]),
		txid:     order.Uint64(b[48:]),
	}
	if m.pageSize < minPageSize || m.pageSize > maxPageSize || m.pageSize&(m.pageSize-1) != 0 {
		return metaPage{}, damaged("has pages of %d bytes", m.pageSize)
	}
	return m, nil
}
