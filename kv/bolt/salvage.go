package bolt

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/kv"
)

// Salvaged says what was saved from a damaged ledger.
type Salvaged struct {
	Records   int64 `json:"records"`   // all that the new ledger holds
	Strays    int64 `json:"strays"`    // of these, found outside the tree: each may be an older version, or a deleted record
	Conflicts int64 `json:"conflicts"` // left out: found outside the tree in several versions
	Blobs     int64 `json:"blobs"`
	Problems  int64 `json:"problems"` // that were reported
}

// Salvage copies what is whole of the damaged ledger in the directory dir into a new ledger in
// the directory into, which must not hold one, and reports what is not. It changes nothing in
// dir, whose owner lock it holds. Whether a record is whole, its envelope decides, which covers
// bucket, key and value; whether a blob is, its name.
//
// Records come from the page tree first. Where the tree has lost an inner page, and with it the
// way to whole pages below it, every page of the file is looked at, and records with keys of the
// lost part are taken from it. Such a page may be one that was discarded and not yet reused: pages
// carry no number of a transaction, so nothing tells how old it is. So a record is taken from
// there only if no two of its versions differ; and nothing is looked for where the tree is whole,
// or where it has lost no more than a page of records, which no other page holds as they were last.
// When the newer meta page is damaged, the tree is that of the transaction before the last one.
//
// A stray page does not say whose it is: the envelopes are tried with the buckets that the ledger
// names, as far as that can still be read, and with those that are known to the caller.
//
// Errors: not_found, denied, invalid, unavailable. After an error the new ledger is not complete.
func Salvage(ctx context.Context, dir, into string, w Watch, known ...kv.Bucket) (Salvaged, error) {
	v, err := openOffline(ctx, dir, w)
	if err != nil {
		return Salvaged{}, err
	}
	defer v.close()
	if _, err := os.Lstat(filepath.Join(into, ledgerName)); !errors.Is(err, fs.ErrNotExist) {
		return Salvaged{}, fault.New(fault.Invalid, "kv.salvage", "%q holds a ledger already", into).
			WithHint("name a new directory")
	}
	to, err := Open(into, Options{})
	if err != nil {
		return Salvaged{}, err
	}
	s := &salvage{
		offline: v, tree: newSink(ctx, to), names: slices.Clone(known),
		found: map[kv.Bucket]bool{}, depth: map[kv.Bucket]int{},
	}
	err = errors.Join(s.run(filepath.Join(into, "strays")), to.Close())
	s.out.Problems = v.problems
	return s.out, err
}

// salvage is one run of Salvage.
type salvage struct {
	*offline
	meta  metaPage
	walk  *pageWalk
	tree  *sink // where what is saved goes
	good  []uint64
	found map[kv.Bucket]bool // buckets that the tree leads to
	depth map[kv.Bucket]int  // of the pages of records in each bucket, as far as one was found
	lost  []loss
	names []kv.Bucket // that a stray page may belong to
	out   Salvaged
}

// run saves records, then blobs. Strays are gathered in a ledger of their own, in the given
// directory: they may be more than fit into memory.
func (s *salvage) run(strayDir string) error {
	if err := s.records(); err != nil {
		return err
	}
	if s.lost = s.inner(); len(s.lost) > 0 {
		side, err := Open(strayDir, Options{})
		if err != nil {
			return err
		}
		err = s.strays(side)
		if err = errors.Join(err, side.Close(), os.RemoveAll(strayDir)); err != nil {
			return err
		}
	}
	return s.blobs()
}

// records saves what the tree leads to and notes what it has lost.
func (s *salvage) records() error {
	m, err := readMeta(s.file, s.size)
	if err != nil {
		s.problem(ledgerName, err)
		var ok bool
		if m, ok = bestMeta(s.file, s.size); !ok {
			m = metaPage{pageSize: int64(os.Getpagesize())}
		}
	}
	s.good = make([]uint64, s.size/m.pageSize/64+1)
	s.meta = m
	s.walk = newPageWalk(&metered{offline: s.offline, src: s.file}, m)
	s.walk.found = func(b kv.Bucket) { s.found[b] = true }
	s.walk.records, s.walk.damage = s.page, s.damage
	if err := s.walk.run(); err != nil {
		return err
	}
	n, err := s.tree.flush()
	s.out.Records += n
	return err
}

// page saves the records of a sound page.
func (s *salvage) page(at spot, low, high []byte, elems []element) error {
	whole := 0
	for _, e := range elems {
		value, err := kv.Unseal(at.bucket, e.key, e.value)
		if err != nil {
			s.problem(fmt.Sprintf("page %d", at.page), err)
			continue
		}
		whole++
		if err := s.save(at.bucket, e.key, value); err != nil {
			return err
		}
	}
	if whole == 0 && len(elems) > 1 { // a page of another bucket: the right one is elsewhere
		s.lose(loss{spot: spot{at.page, at.bucket, -1}, low: low, high: high})
		return nil
	}
	s.good[at.page/64] |= 1 << (at.page % 64)
	s.depth[at.bucket] = at.depth
	return nil
}

// damage saves what a damaged page still shows and lets the walk go on.
func (s *salvage) damage(l loss) error {
	if s.ctx.Err() != nil {
		return l.err
	}
	s.problem(fmt.Sprintf("page %d", l.page), l.err)
	if s.misled(l) {
		l.depth = -1
	}
	s.lose(l)
	for _, e := range scraps(l.content) {
		if !inRange(e.key, l.low, l.high) {
			continue
		}
		switch value, err := kv.Unseal(l.bucket, e.key, e.value); {
		case l.bucket == "" && e.flags == bucketFlag:
			if err := s.walk.bucket(l.spot, e); err != nil {
				return err
			}
		case l.bucket != "" && err == nil:
			if err := s.save(l.bucket, e.key, value); err != nil {
				return err
			}
		}
	}
	return nil
}

// misled reports whether the way to a page is wrong rather than the page, so that the right one
// may be whole elsewhere.
func (s *salvage) misled(l loss) bool {
	if l.page < 2 || l.page >= s.meta.pages || s.walk.seen[l.page/64]&(1<<(l.page%64)) != 0 {
		return true
	}
	_, _, err := elements(nil, l.content, nil, nil)
	return err == nil
}

// lose notes a loss, whose slices belong to the walk.
func (s *salvage) lose(l loss) {
	l.low, l.high, l.content = bytes.Clone(l.low), bytes.Clone(l.high), nil
	s.lost = append(s.lost, l)
}

// save keeps one record of the tree. The backend's own it makes anew.
func (s *salvage) save(b kv.Bucket, key, value []byte) error {
	if b == metaBucket {
		return nil
	}
	if err := kv.CheckRecord(b, key, value); err != nil {
		s.problem(fmt.Sprintf("record %.1000q", key), err)
		return nil
	}
	n, err := s.tree.add(b, key, value)
	s.out.Records += n
	return err
}

// inner returns the losses below which there may be whole pages: all but single pages of
// records.
func (s *salvage) inner() (lost []loss) {
	for _, l := range s.lost {
		if depth, known := s.depth[l.bucket]; l.bucket == metaBucket || (known && depth == l.depth) {
			continue
		}
		lost = append(lost, l)
	}
	return lost
}

// isLost reports whether the tree has lost the way to a record.
func (s *salvage) isLost(b kv.Bucket, key []byte) bool {
	for _, l := range s.lost {
		if l.bucket == b && inRange(key, l.low, l.high) {
			return true
		}
		if l.bucket == "" && !s.found[b] && inRange([]byte(b), l.low, l.high) {
			return true
		}
	}
	return false
}

func inRange(key, low, high []byte) bool {
	return bytes.Compare(key, low) >= 0 && (high == nil || bytes.Compare(key, high) < 0)
}

// blobs copies every blob that is whole.
func (s *salvage) blobs() error {
	if s.stored == nil {
		return nil
	}
	for b, err := range s.stored.each(s.ctx) {
		if err == nil {
			err = s.blob(b.Hash)
		}
		if cerr := s.ctx.Err(); cerr != nil {
			return notDone("kv.salvage", "the repair was not finished", cerr)
		}
		switch {
		case err == nil:
			s.out.Blobs++
		case fault.Is(err, fault.Corrupt):
			s.problem("blob "+b.Hash, err)
		default:
			return err
		}
	}
	return nil
}

// blob copies one blob.
func (s *salvage) blob(hash string) error {
	f, size, err := s.stored.file(hash)
	if err != nil {
		return err
	}
	defer f.Close()
	r, err := s.stored.reader(&metered{offline: s.offline, src: f}, size, hash)
	if err != nil {
		return err
	}
	if err := r.Verify(); err != nil {
		return err
	}
	_, err = s.tree.to.PutBlob(s.ctx, io.NewSectionReader(r, 0, r.Ref().Size), r.Ref().Size)
	return err
}
