package intents

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"iter"
	"maps"
	"slices"
	"time"

	"ctxledger.dev/internal/callid"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/kv"
)

// The buckets of this package.
const (
	bucketIntents kv.Bucket = "intents"         // session NUL sequence NUL call id → Intent
	bucketCalls   kv.Bucket = "intent_calls"    // session NUL call id → key of the intent
	bucketPaths   kv.Bucket = "intent_paths"    // path NUL key of the intent → nothing
	bucketTimes   kv.Bucket = "intent_times"    // begin, key of the intent → nothing: those that are Open
	bucketPending kv.Bucket = "intents_pending" // session NUL call id → nothing: the intents without an outcome
)

// Begin records a pending intent and returns it with its id. The same call begun twice (a host
// that repeats a record) keeps the first intent.
func Begin(tx kv.Tx, in Intent, args json.RawMessage) (Intent, error) {
	old, err := OfCall(tx, in.Session, in.CallID)
	switch {
	case err != nil:
		return Intent{}, err
	case old != nil && old.Source == Announced && in.Source != Announced:
		return place(tx, *old, in, args)
	case old != nil:
		return *old, nil
	}
	in.ID = id(in.Session, in.CallID)
	in.Status, in.Command = Pending, chars.Cut(in.Command, maxCommand)
	in.Args = short(args)
	k := key(in)
	if in.Open() && !in.Begun.IsZero() {
		err = tx.Put(bucketTimes, append(timeKey(in.Begun), k...), nil)
	}
	return in, cmp.Or(err, tx.Put(bucketCalls, callid.Key(in.Session, in.CallID), k), index(tx, in), save(tx, k, in))
}

// place gives an announced intent its place in the log, now that the log has the call. What became of the call in the
// meantime is kept, and so is the state of its file, which was looked at in time.
func place(tx kv.Tx, old, in Intent, args json.RawMessage) (Intent, error) {
	k := key(old)
	if err := cmp.Or(unindex(tx, old), tx.Delete(bucketTimes, append(timeKey(old.Begun), k...)),
		tx.Delete(bucketIntents, k), tx.Delete(bucketCalls, callid.Key(old.Session, old.CallID))); err != nil {
		return Intent{}, err
	}
	placed, err := Begin(tx, in, args)
	if err != nil {
		return Intent{}, err
	}
	placed.Status, placed.Error, placed.ExitCode, placed.Outcome = old.Status, old.Error, old.ExitCode, old.Outcome
	placed.Finished, placed.Reconciled, placed.Task = old.Finished, old.Reconciled, old.Task
	if old.PreHash != "" {
		placed.PreHash = old.PreHash
	}
	return placed, save(tx, key(placed), placed)
}

// index makes an intent findable by the paths that it names.
func index(tx kv.Tx, in Intent) error {
	var err error
	for _, k := range pathKeys(in) {
		err = cmp.Or(err, tx.Put(bucketPaths, k, nil))
	}
	return err
}

// unindex takes an intent out of the index of paths.
func unindex(tx kv.Tx, in Intent) error {
	return kv.DeleteAll(tx, bucketPaths, pathKeys(in))
}

// pathKeys returns the keys of an intent in the index of paths. A path too long for a key is still found by its session.
func pathKeys(in Intent) (keys [][]byte) {
	for _, p := range []string{in.Target, in.From} {
		if k := append([]byte(p+"\x00"), key(in)...); p != "" && !in.Copied && len(k) <= kv.MaxKey {
			keys = append(keys, k)
		}
	}
	return keys
}

// Finish records the outcome of a call and returns its intent. It returns nil if no intent was begun for the call, or an
// earlier outcome is recorded, which is kept, or the result says that the call goes on in the background. A result of
// reconciliation is no such outcome.
func Finish(tx kv.Tx, session, callID string, r Result, at time.Time) (*Intent, error) {
	in, err := OfCall(tx, session, callID)
	if err != nil || in == nil || in.Status == Failed || in.Status == Applied && !in.Reconciled {
		return nil, err
	}
	if t, ok := LaunchedCommand(r.Text); ok && in.Op == OpShell && !r.Failed {
		in.Task = t.ID
		return nil, save(tx, key(*in), *in)
	}
	in.Status, in.ExitCode = r.status()
	in.Reconciled = false
	in.Finished = &at
	if in.Status == Failed {
		in.Error = chars.Cut(r.Text, maxError)
	}
	if in.Op == OpShell {
		in.Outcome = Outcome(r.Text, in.Status == Failed)
	}
	return in, save(tx, key(*in), *in)
}

// OfCall returns the intent of a call, or nil.
func OfCall(tx kv.Tx, session, callID string) (*Intent, error) {
	return ofCallKey(tx, callid.Key(session, callID))
}

// ofCallKey returns the intent of a call, by the call's key in the indexes, or nil.
func ofCallKey(tx kv.Tx, call []byte) (*Intent, error) {
	k, err := tx.Get(bucketCalls, call)
	if err != nil || k == nil {
		return nil, err
	}
	return load(tx, k)
}

// All yields every intent in the order of session and log. An error (corrupt) ends it.
func All(tx kv.Tx) iter.Seq2[Intent, error] {
	return scan(tx, kv.Range{})
}

// scan yields the intents in a range of keys.
func scan(tx kv.Tx, r kv.Range) iter.Seq2[Intent, error] {
	return kv.Values(tx, bucketIntents, r, kv.JSON[Intent])
}

// known returns the existing intents that an index refers to, at most limit of them.
func known(tx kv.Tx, index kv.Bucket, r kv.Range, limit int, find func(key []byte) (*Intent, error)) ([]Intent, error) {
	var list []Intent
	for in, err := range kv.Values(tx, index, r, func(r kv.Record) (*Intent, error) { return find(r.Key) }) {
		switch {
		case len(list) == limit:
			return list, nil
		case err != nil:
			return nil, err
		case in != nil:
			list = append(list, *in)
		}
	}
	return list, nil
}

// OfSession returns the intents of a session in the order of its log.
func OfSession(tx kv.Tx, session string) ([]Intent, error) {
	return kv.Collect(From(tx, session, 0), kv.All)
}

// From yields the intents of a session in the order of its log, those of the entry with this sequence
// number and of later ones. An error (corrupt) ends it.
func From(tx kv.Tx, session string, seq int64) iter.Seq2[Intent, error] {
	prefix := []byte(session + "\x00")
	from := binary.BigEndian.AppendUint64(slices.Clip(prefix), uint64(max(seq, 0)))
	return scan(tx, kv.Range{Prefix: prefix, From: from})
}

// OfPath returns the intents that name a path, in the order of session and log.
func OfPath(tx kv.Tx, path string) ([]Intent, error) {
	return naming(tx, path, func([]byte) (bool, error) { return true, nil })
}

// naming returns the intents that name a path and whose key is wanted, in the order of session and log.
func naming(tx kv.Tx, path string, wanted func(k []byte) (bool, error)) ([]Intent, error) {
	prefix := []byte(path + "\x00")
	return known(tx, bucketPaths, kv.Range{Prefix: prefix}, kv.All, func(key []byte) (*Intent, error) {
		k := key[len(prefix):]
		if ok, err := wanted(k); err != nil || !ok {
			return nil, err
		}
		return load(tx, k)
	})
}

// short returns arguments as the documented summary: strings as they are, other values as JSON,
// each cut at 200 characters, the first 32 by name.
func short(args json.RawMessage) map[string]string {
	var a map[string]json.RawMessage
	if json.Unmarshal(args, &a) != nil || len(a) == 0 {
		return nil
	}
	names := slices.Sorted(maps.Keys(a))
	m := make(map[string]string, min(len(names), maxArgs))
	for _, k := range names[:min(len(names), maxArgs)] {
		var s string
		if json.Unmarshal(a[k], &s) != nil {
			s = string(a[k])
		}
		m[chars.Cut(k, maxArg)] = chars.Cut(s, maxArg)
	}
	return m
}

func load(tx kv.Tx, k []byte) (*Intent, error) {
	var in Intent
	if found, err := kv.GetJSON(tx, bucketIntents, k, &in); err != nil || !found {
		return nil, err
	}
	return &in, nil
}

// save writes an intent's record and updates the index of pending ones.
func save(tx kv.Tx, k []byte, in Intent) error {
	return cmp.Or(indexPending(tx, in), kv.PutJSON(tx, bucketIntents, k, in))
}

func id(session, callID string) string {
	sum := sha256.Sum256([]byte(session + "\x00" + callID))
	return hex.EncodeToString(sum[:8])
}

func key(in Intent) []byte {
	k := binary.BigEndian.AppendUint64([]byte(in.Session+"\x00"), uint64(in.Seq))
	return append(append(k, 0), callid.Clip(in.CallID)...)
}

// seqLen is the length of a sequence number in a key, in bytes.
const seqLen = 8
