package memory

import (
	"cmp"
	"encoding/binary"
	"slices"

	"ctxledger.dev/kv"
)

// maxHistory is how many earlier versions of one memory are kept; the oldest go.
const maxHistory = 20

// remember adds a version that is about to be replaced, and drops the oldest beyond maxHistory.
func remember(tx kv.Tx, e Entry) error {
	keys, err := historyKeys(tx, e.GUID)
	if err != nil {
		return err
	}
	number := uint64(1)
	if len(keys) > 0 {
		number += binary.BigEndian.Uint64(keys[len(keys)-1][len(historyPrefix(e.GUID)):])
	}
	return cmp.Or(kv.DeleteAll(tx, bucketHistory, keys[:max(0, len(keys)+1-maxHistory)]),
		kv.PutJSON(tx, bucketHistory, binary.BigEndian.AppendUint64(historyPrefix(e.GUID), number), e))
}

// takeVersion removes the newest earlier version and returns it, nil if there is none.
func takeVersion(tx kv.Tx, guid string) (*Entry, error) {
	keys, err := historyKeys(tx, guid)
	if err != nil || len(keys) == 0 {
		return nil, err
	}
	newest := keys[len(keys)-1]
	v, err := tx.Get(bucketHistory, newest)
	if err != nil {
		return nil, err
	}
	e, err := decode(v)
	if err != nil {
		return nil, err
	}
	return &e, tx.Delete(bucketHistory, newest)
}

// forget removes all earlier versions.
func forget(tx kv.Tx, guid string) error {
	keys, err := historyKeys(tx, guid)
	if err != nil {
		return err
	}
	return kv.DeleteAll(tx, bucketHistory, keys)
}

// Kept returns what there is of a memory: the newest version, also one that is deleted, and the number of earlier ones.
// Errors: not_found, corrupt.
func Kept(tx kv.Tx, scope Scope, name string) (e Entry, earlier int, err error) {
	e, _, ok, err := find(tx, scope, name)
	if err == nil && !ok {
		err = unknown(scope, name, nil)
	}
	if err != nil {
		return Entry{}, 0, err
	}
	keys, err := historyKeys(tx, e.GUID)
	return e, len(keys), err
}

// historyKeys returns the keys of the earlier versions, oldest first.
func historyKeys(tx kv.Tx, guid string) (keys [][]byte, err error) {
	prefix := historyPrefix(guid)
	for rec, err := range tx.Scan(bucketHistory, kv.Range{Prefix: prefix}) {
		if err != nil {
			return nil, err
		}
		if len(rec.Key) == len(prefix)+8 {
			keys = append(keys, slices.Clone(rec.Key))
		}
	}
	return keys, nil
}

func historyPrefix(guid string) []byte { return append([]byte(guid), 0) }
