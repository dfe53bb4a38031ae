package bolt

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/kv"
)

// Check implements kv.Files. It reads all of the ledger in the directory dir and reports what is wrong with it: meta
// pages, the page tree, the table of buckets, the format, every record's envelope, every blob
// against its name, permissions. It reads without bbolt and trusts nothing, changes nothing,
// and holds the owner lock meanwhile. Memory is bounded: some pages, a bit for each page, and
// the names of one directory of blobs.
//
// Errors say that the check could not be made: not_found, denied, locked or unavailable. Damage of the ledger is reported
// as a Problem, not as an error.
func (Backend) Check(ctx context.Context, dir string, report func(kv.Problem)) (kv.Checked, error) {
	v, err := openOffline(ctx, dir, report)
	if err != nil {
		return kv.Checked{}, err
	}
	defer v.close()
	c := &checker{offline: v}
	c.modes()
	c.records()
	c.blobs()
	c.checked.Problems = v.problems
	if err := ctx.Err(); err != nil {
		return c.checked, notDone("kv.check", "the check was not finished", err)
	}
	return c.checked, nil
}

// checker is one run of Check.
type checker struct {
	*offline
	checked kv.Checked
	named   map[kv.Bucket]bool // by the table of buckets
	found   map[kv.Bucket]bool // in the root bucket
	format  []byte
}

// modes checks that no other user can enter or read.
func (c *checker) modes() {
	names, err := readNames(c.root, ".")
	if err != nil {
		c.problem(".", osError("kv.check", err))
	}
	slices.Sort(names)
	for _, name := range append([]string{"."}, names...) {
		info, err := c.root.Lstat(name)
		switch {
		case err == nil && info.IsDir():
			c.private(name, info, dirMode)
		case err == nil && info.Mode().IsRegular():
			c.private(name, info, fileMode)
		case err != nil && !errors.Is(err, fs.ErrNotExist): // else deleted meanwhile
			c.problem(name, osError("kv.check", err))
		}
	}
}

// private reports a file that other users can access or own.
func (c *checker) private(name string, info fs.FileInfo, mode fs.FileMode) {
	if err := checkOwner(info, "it"); err != nil {
		c.problem(name, err)
	}
	if hasModes && info.Mode().Perm()&^mode != 0 {
		c.problem(name, fault.New(fault.Denied, "kv.check",
			"has mode %#o and should have %#o", info.Mode().Perm(), mode))
	}
}

// records checks the ledger file.
func (c *checker) records() {
	m, ok := c.meta()
	if !ok {
		return
	}
	c.named, c.found = map[kv.Bucket]bool{metaBucket: true}, map[kv.Bucket]bool{}
	walk := newPageWalk(&readerUntil{c.ctx, c.file}, m)
	walk.found = func(b kv.Bucket) { c.found[b] = true }
	walk.records, walk.damage = c.envelopes, c.damage
	if walk.run() != nil {
		return // the context is done
	}
	c.buckets()
}

// envelopes checks the records of a page and collects the backend's own.
func (c *checker) envelopes(at spot, _, _ []byte, elems []element) error {
	for _, e := range elems {
		c.checked.Records++
		value, err := kv.Unseal(at.bucket, e.key, e.value)
		if err != nil {
			c.problem(fmt.Sprintf("page %d", at.page), err)
			continue
		}
		if at.bucket != metaBucket {
			continue
		}
		if name, ok := strings.CutPrefix(string(e.key), bucketPrefix); ok {
			c.named[kv.Bucket(name)] = true
		} else if string(e.key) == formatKey {
			c.format = slices.Clone(value)
		}
	}
	return nil
}

// damage reports a damaged page and continues the walk, unless the context is done.
func (c *checker) damage(l loss) error {
	if c.ctx.Err() != nil {
		return l.err
	}
	where := fmt.Sprintf("page %d", l.page)
	if l.bucket != "" {
		where = fmt.Sprintf("page %d of bucket %.1000q", l.page, l.bucket)
	}
	c.problem(where, l.err)
	return nil
}

// buckets compares the buckets with the table of buckets, and checks the format.
func (c *checker) buckets() {
	for _, b := range slices.Sorted(maps.Keys(c.named)) {
		if !c.found[b] {
			c.problem(fmt.Sprintf("bucket %.1000q", b), damaged("lacks this bucket"))
		}
	}
	for _, b := range slices.Sorted(maps.Keys(c.found)) {
		if !c.named[b] {
			c.problem(fmt.Sprintf("bucket %.1000q", b), damaged("has this bucket without a record of it"))
		}
	}
	if err := checkFormatValue(c.format); err != nil {
		c.problem(ledgerName, err)
	}
}

// blobs reads every blob.
func (c *checker) blobs() {
	if c.stored == nil {
		return
	}
	for b, err := range c.stored.each(c.ctx) {
		if err != nil {
			if c.ctx.Err() == nil {
				c.problem(blobsName, err)
			}
			return
		}
		c.checked.Blobs++
		if err := c.blob(b.Hash); err != nil && c.ctx.Err() == nil {
			c.problem("blob "+b.Hash, err)
		}
	}
}

// blob compares one blob with its name.
func (c *checker) blob(hash string) error {
	f, r, err := c.offline.blob(hash)
	if fault.Is(err, fault.NotFound) {
		return nil // we hold the lock, so a missing file was never listed
	}
	if f == nil {
		return err
	}
	defer f.Close()
	info, statErr := f.Stat()
	if statErr != nil {
		return osError("kv.check", statErr)
	}
	c.private("blob "+hash, info, fileMode)
	if err != nil {
		return err
	}
	return r.Verify()
}
