// Package consistency compares derived data of a ledger, such as indexes and counts, with the records from which
// it was derived, and can repair it.
//
// Start at Run. Each domain has a function that checks its own buckets with the methods here: first the
// records themselves (Each), then the references to them (Sweep), then the missing references (Want). In
// this order one repair leaves nothing to be found.
//
// Guarantees: without Fix nothing is written; with it, a second run finds nothing that the first could
// repair. A finding uses the names in the ledger, not keys.
//
// The package deliberately knows no domain, and does not check pages or checksums: a backend does that,
// beforehand.
package consistency

import (
	"bytes"
	"context"
	"fmt"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/kv"
)

// Finding is one inconsistency.
type Finding struct {
	Where string `json:"where"` // the part of the ledger: "session ab12cd34, entry 7"
	What  string `json:"what"`  // what is wrong with it
	// Lost says that a repair cannot restore the data.
	Lost bool `json:"lost,omitempty"`
}

// Check is one check of a ledger in one transaction.
type Check struct {
	Tx  kv.Tx
	Fix bool // whether to repair; the transaction is writable then

	ctx    context.Context
	report func(Finding)
}

// Run runs the checks of several domains in order and reports their findings. Errors: unavailable when ctx
// ends; corrupt when a record's envelope is damaged.
func Run(ctx context.Context, tx kv.Tx, fix bool, report func(Finding), domains ...func(*Check) error) error {
	a := &Check{Tx: tx, Fix: fix, ctx: ctx, report: report}
	for _, domain := range domains {
		if err := domain(a); err != nil {
			return err
		}
	}
	return nil
}

// Find reports an inconsistency that can be repaired without loss.
func (a *Check) Find(where, format string, args ...any) {
	a.report(Finding{Where: where, What: fmt.Sprintf(format, args...)})
}

// FindLost reports lost data.
func (a *Check) FindLost(where, format string, args ...any) {
	a.report(Finding{Where: where, What: fmt.Sprintf(format, args...), Lost: true})
}

// Each calls read with every record of a bucket. A record for which read returns corrupt is lost; with Fix
// it is deleted. read may call other methods, but not write to the bucket.
func (a *Check) Each(b kv.Bucket, thing string, read func(kv.Record) error) error {
	return a.sweep(b, func(r kv.Record) (bool, error) {
		err := read(r)
		if fault.Is(err, fault.Corrupt) {
			a.FindLost(fmt.Sprintf("%s %s", thing, Name(r.Key)), "cannot be read: %s", err)
			return true, nil
		}
		return false, err
	})
}

// Sweep calls sound with every record of an index and reports the dangling ones; with Fix it deletes them.
func (a *Check) Sweep(b kv.Bucket, sound func(kv.Record) (bool, error)) error {
	return a.sweepDangling(b, sound, func(r kv.Record) {
		a.Find(fmt.Sprintf("index %s", b), "%s does not point where it should", Name(r.Key))
	})
}

// SweepNames is Sweep for an index that still names the lost record.
func (a *Check) SweepNames(b kv.Bucket, sound func(kv.Record) (bool, error), name func(kv.Record) string) error {
	return a.sweepDangling(b, sound, func(r kv.Record) {
		a.FindLost(name(r), "is missing, and the index %s still names it", b)
	})
}

// sweepDangling calls report for the records that are not sound: those whose target is missing or corrupt.
func (a *Check) sweepDangling(b kv.Bucket, sound func(kv.Record) (bool, error), report func(kv.Record)) error {
	return a.sweep(b, func(r kv.Record) (bool, error) {
		ok, err := sound(r)
		if ok || err != nil && !fault.Is(err, fault.NotFound) && !fault.Is(err, fault.Corrupt) {
			return false, err
		}
		report(r)
		return true, nil
	})
}

// sweep scans a bucket and, with Fix, deletes the records for which wrong returns true.
func (a *Check) sweep(b kv.Bucket, wrong func(kv.Record) (bool, error)) error {
	var bad [][]byte
	for r, err := range a.Tx.Scan(b, kv.Range{}) {
		if err == nil {
			err = fault.Wrap(fault.Unavailable, "consistency", a.ctx.Err())
		}
		if err != nil {
			return err
		}
		found, err := wrong(r)
		if err != nil {
			return err
		}
		if found && a.Fix {
			bad = append(bad, r.Key)
		}
	}
	return kv.DeleteAll(a.Tx, b, bad)
}

// Want reports a missing record of an index; with Fix it adds the record. Sweep has checked the value of an
// existing one.
func (a *Check) Want(b kv.Bucket, key, value []byte, where string) error {
	old, err := a.Tx.Get(b, key)
	if err != nil || old != nil {
		return err
	}
	a.Find(where, "is missing in the index %s", b)
	if !a.Fix {
		return nil
	}
	return a.Tx.Put(b, key, value)
}

// Name returns the readable parts of a key, for messages.
func Name(key []byte) string {
	const most = 80
	var words []string
	for _, part := range bytes.Split(key, []byte{0}) {
		if len(part) > 0 && !bytes.ContainsFunc(part, func(c rune) bool { return c < ' ' || c >= 0x7f }) {
			words = append(words, string(part))
		}
	}
	s := fmt.Sprintf("%x", key)
	if len(words) > 0 {
		s = fmt.Sprintf("%q", words)
		s = s[1 : len(s)-1]
	}
	if len(s) > most {
		s = s[:most] + "…"
	}
	return s
}
