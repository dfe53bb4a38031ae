package memory

import (
	"bytes"
	"cmp"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/kv"
	"ctxledger.dev/kv/consistency"
)

// Check reports whether every memory and its earlier versions can be read, and is found by its words. Where a memory is lost
// and an earlier version is there, that takes its place.
func Check(a *consistency.Check) error {
	living := map[string]bool{}
	err := a.Each(bucketEntries, "memory", func(r kv.Record) error {
		e, err := decode(r.Value)
		if err == nil && !bytes.Equal(entryKey(e.Scope, e.Name), r.Key) &&
			!bytes.Equal(caseKey(e.Scope, e.Name), r.Key) {
			err = fault.New(fault.Corrupt, "memory.check", "key and stored name differ: the record has "+
				"%.1000q", e.Name)
		}
		living[e.GUID] = true
		return err
	})
	if err != nil {
		return err
	}
	orphans := map[string][]byte{} // the newest version by guid
	err = a.Each(bucketHistory, "earlier version of memory", func(r kv.Record) error {
		e, err := decode(r.Value)
		if err == nil && !bytes.HasPrefix(r.Key, historyPrefix(e.GUID)) {
			err = fault.New(fault.Corrupt, "memory.check", "key and stored id differ: this is a version of %.1000q",
				e.Name)
		}
		if err == nil && !living[e.GUID] {
			orphans[e.GUID] = r.Value
		}
		return err
	})
	for _, v := range orphans {
		err = cmp.Or(err, revive(a, v))
	}
	return cmp.Or(err, checkIndex(a))
}

// revive puts the newest earlier version of a memory in the place of a lost one.
func revive(a *consistency.Check, version []byte) error {
	e, err := decode(version)
	if err != nil {
		return err
	}
	a.FindLost("memory "+e.Name, "is missing; an earlier version of it exists")
	_, key, taken, err := find(a.Tx, e.Scope, e.Name)
	switch {
	case err != nil || !a.Fix:
		return err
	case taken: // by a memory that was saved since
		return forget(a.Tx, e.GUID)
	}
	return a.Tx.Put(bucketEntries, key, version)
}
