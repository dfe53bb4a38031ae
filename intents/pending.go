package intents

import (
	"bytes"
	"slices"

	"ctxledger.dev/internal/callid"
	"ctxledger.dev/kv"
)

// PendingOf returns the intents of a session that have no outcome yet, or those of all sessions when
// session is empty, by session and call id.
func PendingOf(tx kv.Tx, session string) ([]Intent, error) {
	r := kv.Range{}
	if session != "" {
		r.Prefix = []byte(session + "\x00")
	}
	return known(tx, bucketPending, r, kv.All, func(key []byte) (*Intent, error) { return ofCallKey(tx, key) })
}

// CallOf returns the call that a notice is about, "" if no call of the session is known to have become its task.
func CallOf(tx kv.Tx, session string, n Notice) (string, error) {
	if n.CallID != "" {
		return n.CallID, nil
	}
	list, err := PendingOf(tx, session)
	if i := slices.IndexFunc(list, func(in Intent) bool { return in.Task == n.Task }); i >= 0 {
		return list[i].CallID, err
	}
	return "", err
}

// PendingOnPath returns the intents without an outcome that name a path, in the order of session and log.
// Most have ended: those are not read.
func PendingOnPath(tx kv.Tx, path string) ([]Intent, error) {
	return naming(tx, path, func(k []byte) (bool, error) {
		pending, err := tx.Get(bucketPending, callOf(k))
		return pending != nil, err
	})
}

// callOf returns the key of an intent's call, made of the key of the intent.
func callOf(k []byte) []byte {
	session, rest, found := bytes.Cut(k, []byte{0})
	if !found || len(rest) < seqLen+1 {
		return nil
	}
	return slices.Concat(session, []byte{0}, rest[seqLen+1:])
}

// IndexPending rebuilds the index of pending intents, for a ledger that was written before it existed.
func IndexPending(tx kv.Tx) error {
	for in, err := range All(tx) {
		if err != nil {
			return err
		}
		if err := indexPending(tx, in); err != nil {
			return err
		}
	}
	return nil
}

// indexPending updates the index for one intent.
func indexPending(tx kv.Tx, in Intent) error {
	k := callid.Key(in.Session, in.CallID)
	if in.waits() {
		return tx.Put(bucketPending, k, nil)
	}
	return tx.Delete(bucketPending, k)
}
