package memory

import "ctxledger.dev/kv"

// History returns the earlier versions of a memory, newest first, at most 20. Errors: corrupt.
func History(tx kv.Tx, guid string) (versions []Entry, err error) {
	for rec, err := range tx.Scan(bucketHistory, kv.Range{Prefix: historyPrefix(guid), Reverse: true}) {
		if err != nil {
			return nil, err
		}
		e, err := decode(rec.Value)
		if err != nil {
			return nil, err
		}
		versions = append(versions, e)
	}
	return versions, nil
}

// PutOld stores an entry where versions did that knew case alone.
func PutOld(tx kv.Tx, e Entry) error { return put(tx, caseKey(e.Scope, e.Name), nil, e) }
