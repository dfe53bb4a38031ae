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
