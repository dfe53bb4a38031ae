package changes

import (
	"bytes"
	"cmp"
	"fmt"
	"strings"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/kv"
	"ctxledger.dev/kv/consistency"
)

// Check reports whether that every change can be read and that the indexes say what the changes say.
func Check(a *consistency.Check) error {
	err := a.Each(bucketChanges, "change", func(r kv.Record) error {
		c, err := decode(r)
		if err == nil && !bytes.Equal(idKey(c.ID), r.Key) {
			err = fault.New(fault.Corrupt, "changes.check", "key and stored id differ: %d", c.ID)
		}
		return err
	})
	if err != nil {
		return err
	}
	indexed := func(b kv.Bucket) func(kv.Record) (bool, error) {
		return func(r kv.Record) (bool, error) {
			c, err := get(a.Tx, idOf(r.Key))
			return bytes.Equal(indexes(c)[b], r.Key), err
		}
	}
	err = cmp.Or(a.SweepNames(bucketPaths, indexed(bucketPaths), nameChange),
		a.Sweep(bucketSessions, indexed(bucketSessions)), a.Sweep(bucketTimes, indexed(bucketTimes)), checkStates(a))
	if err != nil {
		return err
	}
	for c, err := range kv.Values(a.Tx, bucketChanges, kv.Range{}, decode) {
		if err != nil {
			return err
		}
		if err := want(a, c); err != nil {
			return err
		}
	}
	return nil
}

// checkStates checks that the states of files can be read and that touches and states refer to each other.
func checkStates(a *consistency.Check) error {
	err := a.Each(bucketStates, "state of", func(r kv.Record) error {
		_, err := loadStored(a.Tx, string(r.Key))
		return err
	})
	if err != nil {
		return err
	}
	return a.Sweep(bucketTouched, func(r kv.Record) (bool, error) {
		s, err := loadStored(a.Tx, string(r.Value))
		return s.Touched == idOf(r.Key), err
	})
}

// nameChange names a change by the index of paths.
func nameChange(r kv.Record) string {
	path, _, _ := strings.Cut(string(r.Key), "\x00")
	return fmt.Sprintf("change %d of %s", idOf(r.Key), strings.ToValidUTF8(path, "?"))
}

// want checks that the indexes contain a change.
func want(a *consistency.Check, c Change) error {
	where := fmt.Sprintf("change %d of %s", c.ID, strings.ToValidUTF8(c.Path, "?"))
	keys := indexes(c)
	var err error
	for _, b := range []kv.Bucket{bucketSessions, bucketTimes, bucketPaths} {
		if k := keys[b]; k != nil {
			err = cmp.Or(err, a.Want(b, k, nil, where))
		}
	}
	return err
}
