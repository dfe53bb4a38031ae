// Package audit compares what is derived in a ledger, such as indexes and counts, with the records
// from which it was derived, and can mend it.
//
// Start at Run. Each domain has a function that audits its own buckets with the methods here: first
// the records themselves (Each), then what points to them (Sweep), then what ought to point to them
// (Want), in this order, so that mending leaves nothing to be found.
//
// Guarantees: without Fix nothing is written; with it, a second run finds nothing that the first could
// mend. A finding names things by what they are called in the ledger, not by keys.
//
// The package deliberately knows no domain, and does not look for damaged pages or checksums: a
// backend does that, beforehand.
package audit

import (
	"bytes"
	"context"
	"fmt"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/kv"
)

// Finding is something that is not as it should be.
type Finding struct {
	Where string `json:"where"` // what of the ledger it concerns: "session ab12cd34, entry 7"
	What  string `json:"what"`  // what is wrong with it
	// Lost says that mending it cannot bring back what was there.
	Lost bool `json:"lost,omitempty"`
}

// Audit is one walk over a ledger inside one transaction.
type Audit struct {
	Tx  kv.Tx
	Fix bool // whether to mend what is found; the transaction can be written to then

	ctx    context.Context
	report func(Finding)
}

// Run runs the audits of several domains in order. Their findings go to report. Errors: unavailable
// when ctx ends; corrupt when a record's envelope is damaged, which is not for an audit to find.
func Run(ctx context.Context, tx kv.Tx, fix bool, report func(Finding), domains ...func(*Audit) error) error {
	a := &Audit{Tx: tx, Fix: fix, ctx: ctx, report: report}
	for _, domain := range domains {
		if err := domain(a); err != nil {
			return err
		}
	}
	return nil
}

// Find reports something that is mended with no loss.
func (a *Audit) Find(where, format string, args ...any) {
	a.report(Finding{Where: where, What: fmt.Sprintf(format, args...)})
}

// FindLost reports something that is lost.
func (a *Audit) FindLost(where, format string, args ...any) {
	a.report(Finding{Where: where, What: fmt.Sprintf(format, args...), Lost: true})
}

// Each calls read with every record of a bucket of things. One that read cannot make sense of is
// lost; with Fix its record goes. read may call other methods, but not write to the bucket.
func (a *Audit) Each(b kv.Bucket, thing string, read func(kv.Record) error) error {
	return a.sweep(b, func(r kv.Record) (string, error) {
		err := read(r)
		if fault.Is(err, fault.Corrupt) {
			a.FindLost(fmt.Sprintf("%s %s", thing, Name(r.Key)), "cannot be read: %s", err)
			return "unreadable", nil
		}
		return "", err
	})
}

// Sweep calls sound with every record of an index. One that points to nothing is reported; with Fix
// it goes.
func (a *Audit) Sweep(b kv.Bucket, sound func(kv.Record) (bool, error)) error {
	return a.sweep(b, func(r kv.Record) (string, error) {
		ok, err := sound(r)
		if ok || err != nil && !pointless(err) {
			return "", err
		}
		a.Find(fmt.Sprintf("index %s", b), "%s points to nothing that it should", Name(r.Key))
		return "dangling", nil
	})
}

// pointless reports whether the error of following a pointer says that there is nothing behind it.
func pointless(err error) bool { return fault.Is(err, fault.NotFound) || fault.Is(err, fault.Corrupt) }

// sweep walks over a bucket and, with Fix, deletes the records for which wrong says something.
func (a *Audit) sweep(b kv.Bucket, wrong func(kv.Record) (string, error)) error {
	var bad [][]byte
	for r, err := range a.Tx.Scan(b, kv.Range{}) {
		if err == nil {
			err = fault.Wrap(fault.Unavailable, "audit", a.ctx.Err())
		}
		if err != nil {
			return err
		}
		why, err := wrong(r)
		if err != nil {
			return err
		}
		if why != "" && a.Fix {
			bad = append(bad, r.Key)
		}
	}
	for _, key := range bad {
		if err := a.Tx.Delete(b, key); err != nil {
			return err
		}
	}
	return nil
}

// Want reports a record that is missing in an index; with Fix it is put there. Whether the value of
// one that is there is right, Sweep has found out.
func (a *Audit) Want(b kv.Bucket, key, value []byte, where string) error {
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

// Name makes a key fit for a sentence: its readable parts.
func Name(key []byte) string {
	const most = 80
	var words []string
	for _, part := range bytes.Split(key, []byte{0}) {
		if len(part) > 0 && printable(part) {
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

func printable(b []byte) bool {
	for _, c := range b {
		if c < ' ' || c >= 0x7f {
			return false
		}
	}
	return true
}
