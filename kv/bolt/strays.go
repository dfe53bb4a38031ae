package bolt

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"ctxledger.dev/kv"
)

// conflicts is the bucket of the temporary ledger that lists the records of which different versions were
// found, by a hash of bucket and key.
const conflicts = kv.Bucket("ctxledger/conflicts")

// strays collects in side the lost records from pages outside the tree, and saves those with one version.
func (s *salvage) strays(side *Store) error {
	if err := s.stray(func(b []byte, page uint64) (bool, error) { return s.nameBuckets(b), nil }); err != nil {
		return err
	}
	if len(s.names) == 0 {
		return nil
	}
	to := newSink(s.ctx, side)
	to.put = putStray
	if err := s.stray(func(b []byte, _ uint64) (bool, error) { return s.gather(b, to) }); err != nil {
		return err
	}
	if _, err := to.flush(); err != nil {
		return err
	}
	return s.saveStrays(side)
}

// stray calls visit for every page of the file that looks like a leaf page and was not saved from the
// tree. visit reports whether it was a leaf page, so that its overflow is skipped.
func (s *salvage) stray(visit func(b []byte, page uint64) (bool, error)) error {
	size := s.meta.pageSize
	head := make([]byte, size)
	var page []byte
	for id := uint64(2); id < uint64(s.size/size); id++ {
		if err := s.ctx.Err(); err != nil {
			return notDone("kv.salvage", "the repair was not finished", err)
		}
		if _, err := s.file.ReadAt(head, int64(id)*size); err != nil {
			continue // a bad sector, already reported if the tree references it
		}
		overflow := uint64(binary.NativeEndian.Uint32(head[12:]))
		total := (overflow + 1) * uint64(size)
		leaf := binary.NativeEndian.Uint64(head) == id && binary.NativeEndian.Uint16(head[8:]) == leafPage
		if !leaf || total > maxPageBytes {
			continue
		}
		if s.good[id/64]&(1<<(id%64)) != 0 {
			id += overflow
			continue
		}
		total = min(total, uint64(s.size)-id*uint64(size)) // the rest may be cut off
		page = slices.Grow(page[:0], int(total))[:total]
		if _, err := s.file.ReadAt(page, int64(id)*size); err != nil {
			continue
		}
		ok, err := visit(page, id)
		if err != nil {
			return err
		}
		if ok {
			id += overflow
		}
	}
	return nil
}

// nameBuckets collects the names of buckets from the records of the backend's own bucket, which has a page
// of its own or lies inside a page of the root bucket.
func (s *salvage) nameBuckets(b []byte) (ok bool) {
	for _, e := range scraps(b) {
		for _, r := range append(inside(e), e) {
			name, isName := strings.CutPrefix(string(r.key), bucketPrefix)
			if !isName || slices.Contains(s.names, kv.Bucket(name)) {
				continue
			}
			if _, err := kv.Unseal(metaBucket, r.key, r.value); err == nil {
				s.names = append(s.names, kv.Bucket(name))
				ok = true
			}
		}
	}
	return ok
}

// inside returns the records of an element that is a small bucket.
func inside(e element) []element {
	if e.flags != bucketFlag || len(e.value) < bucketSize || binary.NativeEndian.Uint64(e.value) != 0 {
		return nil
	}
	return scraps(e.value[bucketSize:])
}

// gather adds the lost records of a page to the temporary ledger.
func (s *salvage) gather(b []byte, to *sink) (ok bool, err error) {
	for _, e := range scraps(b) {
		for _, r := range append(inside(e), e) {
			bucket, value := s.bucketOf(r)
			if bucket == "" {
				continue
			}
			ok = true
			if !s.isLost(bucket, r.key) || kv.CheckRecord(bucket, r.key, value) != nil {
				continue
			}
			if _, err := to.add(bucket, r.key, value); err != nil {
				return ok, err
			}
		}
	}
	return ok, nil
}

// bucketOf returns the bucket that matches a record's envelope, and the record's value.
func (s *salvage) bucketOf(r element) (kv.Bucket, []byte) {
	for i, b := range s.names {
		if value, err := kv.Unseal(b, r.key, r.value); err == nil {
			s.names[0], s.names[i] = s.names[i], s.names[0] // the next record is likely in the same bucket
			return b, value
		}
	}
	return "", nil
}

// putStray stores a stray record, unless a different version was found: then it keeps none.
func putStray(tx kv.Tx, b kv.Bucket, key, value []byte) (int64, error) {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %s %s", len(b), b, key))
	known, err := tx.Get(conflicts, sum[:])
	if err != nil || known != nil {
		return 0, err
	}
	before, err := tx.Get(b, key)
	if err != nil {
		return 0, err
	}
	if before == nil || bytes.Equal(before, value) {
		return 1, tx.Put(b, key, value)
	}
	if err := tx.Put(conflicts, sum[:], key); err != nil {
		return 0, err
	}
	return 0, tx.Delete(b, key)
}

// saveStrays copies the stray records that were not saved from the tree.
func (s *salvage) saveStrays(side *Store) error {
	s.tree.put = putMissing
	err := side.View(s.ctx, func(tx kv.Tx) error {
		for _, b := range s.names {
			for rec, err := range tx.Scan(b, kv.Range{}) {
				if err != nil {
					return err
				}
				n, err := s.tree.add(b, rec.Key, rec.Value)
				s.out.Strays += n
				if err != nil {
					return err
				}
			}
		}
		for rec, err := range tx.Scan(conflicts, kv.Range{}) {
			if err != nil {
				return err
			}
			s.out.Conflicts++
			s.problem(fmt.Sprintf("record %.1000q", rec.Value),
				damaged("holds several versions of it outside the tree; which is the latest is unknown"))
		}
		return nil
	})
	if err != nil {
		return err
	}
	n, err := s.tree.flush()
	s.out.Strays += n
	s.out.Records += s.out.Strays
	return err
}

// putMissing stores a record that does not exist yet.
func putMissing(tx kv.Tx, b kv.Bucket, key, value []byte) (int64, error) {
	if before, err := tx.Get(b, key); err != nil || before != nil {
		return 0, err
	}
	return 1, tx.Put(b, key, value)
}

// sink stores records in batches.
type sink struct {
	ctx   context.Context
	to    *Store
	put   func(tx kv.Tx, b kv.Bucket, key, value []byte) (stored int64, err error)
	batch []pending
	bytes int
}

// pending is a record that waits for the next batch.
type pending struct {
	bucket     kv.Bucket
	key, value []byte
}

func newSink(ctx context.Context, to *Store) *sink {
	return &sink{ctx: ctx, to: to, put: func(tx kv.Tx, b kv.Bucket, key, value []byte) (int64, error) {
		return 1, tx.Put(b, key, value)
	}}
}

// add stores a copy of a record with the next batch, and returns how many records that has stored.
func (s *sink) add(b kv.Bucket, key, value []byte) (stored int64, err error) {
	s.batch = append(s.batch, pending{b, bytes.Clone(key), bytes.Clone(value)})
	if s.bytes += len(key) + len(value); s.bytes < copyBatch {
		return 0, nil
	}
	return s.flush()
}

// flush stores the batch.
func (s *sink) flush() (stored int64, err error) {
	err = s.to.Update(s.ctx, func(tx kv.Tx) error {
		stored = 0
		for _, r := range s.batch {
			n, err := s.put(tx, r.bucket, r.key, r.value)
			if err != nil {
				return err
			}
			stored += n
		}
		return nil
	})
	s.batch, s.bytes = s.batch[:0], 0
	return stored, err
}

// scraps returns the readable elements of a leaf page that may be damaged.
func scraps(b []byte) (elems []element) {
	if len(b) < pageHeader || binary.NativeEndian.Uint16(b[8:]) == branchPage {
		return nil
	}
	count := min(int(binary.NativeEndian.Uint16(b[10:])), (len(b)-pageHeader)/elementSize)
	for i := range count {
		h := b[pageHeader+i*elementSize:]
		start := uint64(pageHeader+i*elementSize) + uint64(binary.NativeEndian.Uint32(h[4:]))
		if e, _, err := elementAt(b, i, leafPage, start); err == nil {
			elems = append(elems, e)
		}
	}
	return elems
}
