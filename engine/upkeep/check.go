package upkeep

import (
	"context"
	"errors"
	"strings"
	"time"

	"ctxledger.dev/engine/core"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/kv"
	"ctxledger.dev/kv/consistency"
)

// Finding is something wrong in a ledger, for faces, which do not import the store.
type Finding = consistency.Finding

// maxDamage is how many findings a report lists; the rest is counted.
const maxDamage = 200

// checkWait is how long a check waits for an owner that is shutting down.
const checkWait = time.Second

// Checked is what a check found.
type Checked struct {
	Records int64 `json:"records"` // that were read
	Blobs   int64 `json:"blobs"`
	// Damage has at most 200 findings; Total counts all.
	Damage []Finding `json:"damage"`
	Total  int       `json:"total"`
}

// find takes a finding into account.
func (c *Checked) find(f Finding) {
	if c.Total++; len(c.Damage) < maxDamage {
		c.Damage = append(c.Damage, f)
	}
}

// Check reads a whole ledger and reports what is wrong with it: pages, envelopes and blobs of files, then the invariants of
// the domains and the engine. No process may have the ledger open. A finding is not an error.
// Errors: not_found, denied, or unavailable when the ledger cannot be read.
//
// A damaged file may crash or hang the process: package daemon therefore runs this in a child process.
func Check(ctx context.Context, o core.Options) (Checked, error) {
	c := Checked{Damage: []Finding{}}
	damaged, readable, err := c.files(ctx, o)
	if err != nil || !readable {
		return c, err
	}
	o.LockWait = checkWait
	s, err := o.OpenStore()
	if err != nil {
		return c, err
	}
	err = checkStore(ctx, s, o.Env.Now(), damaged, c.find)
	if fault.Is(err, fault.Corrupt) && c.Total > 0 {
		err = nil // the findings explain why the rest could not be read
	}
	return c, errors.Join(err, s.Close())
}

// files checks the records of a store in files. It returns the damaged blobs, and whether the records can be read.
func (c *Checked) files(ctx context.Context, o core.Options) (damaged map[string]bool, readable bool, err error) {
	damaged, readable = map[string]bool{}, true
	files, place, err := o.Files()
	if err != nil || files == nil {
		return damaged, readable, err
	}
	found, err := files.Check(ctx, place, func(p kv.Problem) {
		if hash, ok := strings.CutPrefix(p.Where, "blob "); ok {
			damaged[hash] = true
		} else if p.Code != fault.Denied { // what others may read can be read
			readable = false
		}
		c.find(Finding{Where: p.Where, What: p.What})
	})
	c.Records, c.Blobs = found.Records, found.Blobs
	return damaged, readable, err
}

// errKeepNothing rolls a transaction back.
var errKeepNothing = errors.New("nothing is kept")

// checkStore checks the records of an open store, those of an older schema as if they had been migrated.
func checkStore(ctx context.Context, s kv.Store, at time.Time, damaged map[string]bool, report func(Finding)) error {
	blobs, err := wholeBlobs(ctx, s, damaged)
	if err != nil {
		return err
	}
	current := false
	err = s.View(ctx, func(tx kv.Tx) error {
		schema, err := schemaOf(tx)
		if current = schema == newestSchema(); err != nil || !current {
			return err
		}
		return CheckRecords(ctx, tx, false, at, blobs, report)
	})
	if err != nil || current {
		return err
	}
	var failed error
	err = s.Update(ctx, func(tx kv.Tx) error {
		if failed = bringUp(ctx, s, tx, make([]byte, core.MaskKeySize)); failed == nil {
			failed = CheckRecords(ctx, tx, false, at, blobs, report)
		}
		return errKeepNothing
	})
	if errors.Is(err, errKeepNothing) {
		return failed
	}
	return err
}

// wholeBlobs returns the blobs of a store that are not damaged.
func wholeBlobs(ctx context.Context, s kv.Store, damaged map[string]bool) (map[string]bool, error) {
	whole := map[string]bool{}
	for b, err := range s.Blobs(ctx) {
		if err != nil {
			return nil, err
		}
		if !damaged[b.Hash] {
			whole[b.Hash] = true
		}
	}
	return whole, nil
}
