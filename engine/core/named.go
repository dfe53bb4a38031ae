package core

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
	Hash     string
	Size     int64  // bytes of the content; 0: the record does not say
	Session  string // of the log entry that names it
	Seq      int64  // of that entry; 0: an artifact names it
	artifact string // handle
}

// NamedBlobs yields every naming of a blob in the ledger, log by log, then those of artifacts. A blob
// that is not among them may be deleted: what comes to name blobs comes to this function too.
func NamedBlobs(tx kv.Tx) iter.Seq2[naming, error] {
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
			if a.Forgotten == nil && !yield(naming{Hash: a.Hash, Size: a.Bytes, artifact: a.ID}, nil) {
				return
			}
		}
	}
}

// yieldEntry yields the blobs that one entry names, and reports whether more are wanted.
func yieldEntry(session string, e sessions.Entry, yield func(naming, error) bool) bool {
	n := naming{Session: session, Seq: e.Seq}
	if e.Kind == sessions.KindCompaction {
		var r compaction.Record
		if err := json.Unmarshal(e.Data, &r); err != nil {
			yield(n, fault.Wrap(fault.Corrupt, "engine.named", err))
			return false
		}
		if n.Hash = r.TextBlob; n.Hash != "" && !yield(n, nil) {
			return false
		}
	}
	n.Hash, n.Size = e.Blob, e.Size
	return n.Hash == "" || yield(n, nil)
}
