package changes

import (
	"bytes"
	"fmt"
	"strings"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/kv"
	"ctxledger.dev/kv/audit"
)

// Audit checks that every change can be read and that the indexes say what the changes say.
func Audit(a *audit.Audit) error {
	err := a.Each(bucketChanges, "change", func(r kv.Record) error {
		c, err := decode(r)
		if err == nil && !bytes.Equal(idKey(c.ID), r.Key) {
			err = fault.New(fault.Corrupt, "changes.audit", "it calls itself change %d", c.ID)
		}
		return err
	})
	if err != nil {
		return err
	}
	for b, name := range map[kv.Bucket]func(Change) string{
		bucketSessions: func(c Change) string { return c.Session },
		bucketPaths:    func(c Change) string { return c.Path },
	} {
		err := a.Sweep(b, func(r kv.Record) (bool, error) {
			c, err := get(a.Tx, idOf(r.Key))
			return bytes.Equal(indexKey(name(c), c.ID), r.Key), err
		})
		if err != nil {
			return err
		}
	}
	for r, err := range a.Tx.Scan(bucketChanges, kv.Range{}) {
		if err != nil {
			return err
		}
		c, err := decode(r)
		if err != nil {
			return err
		}
		if err := want(a, c); err != nil {
			return err
		}
	}
	return nil
}

// want checks that the indexes know a change.
func want(a *audit.Audit, c Change) error {
	where := fmt.Sprintf("change %d of %s", c.ID, strings.ToValidUTF8(c.Path, "?"))
	if err := a.Want(bucketSessions, indexKey(c.Session, c.ID), nil, where); err != nil {
		return err
	}
	k := indexKey(c.Path, c.ID)
	if len(k) > kv.MaxKey {
		return nil
	}
	return a.Want(bucketPaths, k, nil, where)
}
