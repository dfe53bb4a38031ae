package engine

import (
	"encoding/json"
	"iter"

	"ctxledger.dev/artifacts"
	"ctxledger.dev/compaction"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/kv"
	"ctxledger.dev/sessions"
)

// naming is one record's naming of a blob.
type naming struct {
	hash     string
	size     int64  // bytes of the content; 0: the record does not say
	session  string // of the log entry that names it
	seq      int64  // of that entry; 0: an artifact names it
	artifact string // handle
}

// namedBlobs yields every naming of a blob in the ledger, log by log, then those of artifacts. A blob
// that is not among them may be deleted: what comes to name blobs comes to this function too.
func namedBlobs(tx kv.Tx) iter.Seq2[naming, error] {
	return func(yield func(naming, error) bool) {
		all, err := sessions.List(tx)
		if err != nil {
			yield(naming{}, err)
			return
		}
		for _, s := range all {
			for e, err := range sessions.Scan(tx, s.ID, 0, 0) {
				if err != nil {
					yield(naming{}, err)
					return
				}
				if !yieldEntry(s.ID, e.Entry, yield) {
					return
				}
			}
		}
		for a, err := range artifacts.All(tx) {
			if err != nil {
				yield(naming{}, err)
				return
			}
			if a.Forgotten == nil && !yield(naming{hash: a.Hash, size: a.Bytes, artifact: a.ID}, nil) {
				return
			}
		}
	}
}

// yieldEntry yields the blobs that one entry names, and reports whether more are wanted.
func yieldEntry(session string, e sessions.Entry, yield func(naming, error) bool) bool {
	n := naming{session: session, seq: e.Seq}
	if e.Kind == sessions.KindCompaction {
		var r compaction.Record
		if err := json.Unmarshal(e.Data, &r); err != nil {
			yield(n, fault.Wrap(fault.Corrupt, "engine.named", err))
			return false
		}
		if n.hash = r.TextBlob; n.hash != "" && !yield(n, nil) {
			return false
		}
	}
	n.hash, n.size = e.Blob, e.Size
	return n.hash == "" || yield(n, nil)
}

// doom puts those of some blobs that no record names on the list of the blobs to be deleted.
func doom(tx kv.Tx, hashes []string) error {
	unnamed := make(map[string]bool, len(hashes))
	for _, hash := range hashes {
		unnamed[hash] = true
	}
	for n, err := range namedBlobs(tx) {
		if err != nil {
			return err
		}
		delete(unnamed, n.hash)
	}
	for hash := range unnamed {
		if err := tx.Put(bucketDoomed, []byte(hash), nil); err != nil {
			return err
		}
	}
	return nil
}
