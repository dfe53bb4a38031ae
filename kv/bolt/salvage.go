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

// Salvage implements kv.Files. It copies the intact records and blobs of the damaged ledger in the directory dir into a new ledger
// in the directory into, which must not hold one, and reports the damage. It changes nothing in dir, whose
// owner lock it holds. The envelope of a record, which covers bucket, key and value, shows whether it is
// intact; the name of a blob shows whether the blob is.
//
// Records are read from the page tree first. If the tree has lost an inner page, intact pages below it are
// unreachable. Then Salvage scans all pages of the file for records with keys in the lost range. Such a
// page may be an old one that was freed and not yet reused: pages have no transaction number, so its age
// is unknown. Therefore a record is taken from there only if all its versions are equal. Salvage does not
// scan for ranges where the tree is intact, or where it has lost only a page of records: no other page has
// their last version. When the newer meta page is damaged, the tree is that of the transaction before.
//
// A stray page does not name its bucket: the envelopes are tried with the buckets that the ledger names,
// as far as these can still be read, and with those that the caller knows.
//
// Errors: not_found, denied, invalid, locked, unavailable. After an error the new ledger is not complete.
func (Backend) Salvage(
	ctx context.Context, dir, into string, report func(kv.Problem), known ...kv.Bucket,
) (kv.Salvaged, error) {
	v, err := openOffline(ctx, dir, report)
	if err != nil {
		return kv.Salvaged{}, err
	}
	defer v.close()
	if _, err := os.Lstat(filepath.Join(into, ledgerName)); !errors.Is(err, fs.ErrNotExist) {
		return kv.Salvaged{}, fault.New(fault.Invalid, "kv.salvage", "%q already holds a ledger", into).
			WithHint("specify a new directory")
	}
	to, err := Open(into, kv.Options{})
	if err != nil {
		return kv.Salvaged{}, err
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
	found map[kv.Bucket]bool // buckets that the tree reaches
	depth map[kv.Bucket]int  // of the pages of records in each bucket, if one was found
	lost  []loss
	names []kv.Bucket // that a stray page may belong to
	out   kv.Salvaged
}

// run saves records, then blobs. It collects strays in a temporary ledger in the given directory, because
// they may not fit into memory.
func (s *salvage) run(strayDir string) error {
	if err := s.records(); err != nil {
		return err
	}
	if s.lost = s.inner(); len(s.lost) > 0 {
		side, err := Open(strayDir, kv.Options{})
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

// records saves the records that the tree reaches, and collects what it has lost.
func (s *salvage) records() error {
	m, ok := s.offline.meta()
	if !ok {
		m = metaPage{pageSize: int64(os.Getpagesize())}
	}
	s.good = make([]uint64, s.size/m.pageSize/64+1)
	s.meta = m
	s.walk = newPageWalk(&readerUntil{s.ctx, s.file}, m)
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
	if whole == 0 && len(elems) > 1 { // a page of another bucket: the right page is elsewhere
		s.lose(loss{spot: spot{at.page, at.bucket, -1}, low: low, high: high})
		return nil
	}
	s.good[at.page/64] |= 1 << (at.page % 64)
	s.depth[at.bucket] = at.depth
	return nil
}

// damage saves the readable records of a damaged page and continues the walk.
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

// misled reports whether the reference to a page is wrong rather than the page itself, so that the right
// page may be intact elsewhere.
func (s *salvage) misled(l loss) bool {
	if l.page < 2 || l.page >= s.meta.pages || s.walk.seen[l.page/64]&(1<<(l.page%64)) != 0 {
		return true
	}
	_, _, err := elements(nil, l.content, nil, nil)
	return err == nil
}

// lose records a loss, with copies of its slices, which the walk reuses.
func (s *salvage) lose(l loss) {
	l.low, l.high, l.content = bytes.Clone(l.low), bytes.Clone(l.high), nil
	s.lost = append(s.lost, l)
}

// save stores one record of the tree. It skips the backend's own, which the new ledger has.
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

// inner returns the losses below which there may be intact pages: all except single pages of records.
func (s *salvage) inner() (lost []loss) {
	for _, l := range s.lost {
		if depth, known := s.depth[l.bucket]; l.bucket == metaBucket || (known && depth == l.depth) {
			continue
		}
		lost = append(lost, l)
	}
	return lost
}

// isLost reports whether a record is in a range that the tree has lost.
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

// blobs copies every intact blob.
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
	f, r, err := s.offline.blob(hash)
	if f != nil {
		defer f.Close()
	}
	if err == nil {
		err = r.Verify()
	}
	if err != nil {
		return err
	}
	_, err = s.tree.to.PutBlob(s.ctx, io.NewSectionReader(r, 0, r.Ref().Size), r.Ref().Size)
	return err
}
