package artifacts

import (
	"encoding/binary"
	"encoding/json"
	"iter"
	"math"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/kv"
)

// Bounds of one list.
const (
	listDefault = 100
	listMax     = 1000
)

// mark is the value of index entries, which say everything in their keys.
var mark = []byte{1}

// List returns the artifacts that a session refers to, or all when session is empty, newest first,
// forgotten ones included and without the first skip of them, and how many there are in all. A limit of 0
// means 100; the most is 1,000. Errors: corrupt.
func List(tx kv.Tx, session string, skip, limit int) (list []Artifact, total int, err error) {
	if limit <= 0 {
		limit = listDefault
	}
	limit = min(limit, listMax)
	bucket, prefix := bucketTimes, []byte(nil)
	if session != "" {
		bucket, prefix = bucketOwners, sessionPrefix(cutLabel(session))
	}
	var ids []string
	for rec, err := range tx.Scan(bucket, kv.Range{Prefix: prefix, Reverse: true}) {
		if err != nil {
			return nil, 0, err
		}
		if total++; total > skip && len(ids) < limit {
			ids = append(ids, string(rec.Key[len(prefix)+stampSize:]))
		}
	}
	for _, id := range ids {
		a, err := Get(tx, id)
		if err != nil {
			return nil, 0, err
		}
		list = append(list, a)
	}
	return list, total, nil
}

// All yields every artifact's record in the order of the handles, tombstones included: for garbage
// collection and search. An error (corrupt) ends it. Nothing may be stored while it runs.
func All(tx kv.Tx) iter.Seq2[Artifact, error] {
	return kv.Values(tx, bucketRecords, kv.Range{}, func(r kv.Record) (a Artifact, err error) {
		if err = json.Unmarshal(r.Value, &a); err != nil {
			err = fault.New(fault.Corrupt, "artifacts.all", "the record of artifact %s is not readable: %v", r.Key, err)
		}
		return a, err
	})
}

// Counts is how many artifacts there are.
type Counts struct {
	Live      int   `json:"live"`      // with content
	Forgotten int   `json:"forgotten"` // tombstones
	Bytes     int64 `json:"bytes"`     // of the live ones' content, uncompressed
}

var countsKey = []byte("counts")

// Count returns how many artifacts there are, without reading them. Errors: corrupt.
func Count(tx kv.Tx) (Counts, error) {
	var c Counts
	_, err := kv.GetJSON(tx, bucketCounts, countsKey, &c)
	return c, err
}

// count applies a change to the stored counts.
func count(tx kv.Tx, change func(*Counts)) error {
	c, err := Count(tx)
	if err != nil {
		return err
	}
	change(&c)
	return kv.PutJSON(tx, bucketCounts, countsKey, c)
}

// stampSize is the length of a time in a key: seconds and nanoseconds, ordered as bytes.
const stampSize = 8 + 4

// sessionPrefix returns what the index keys of a session start with.
func sessionPrefix(session string) []byte { return append([]byte(session), 0) }

// timeKey returns the key of a in an index ordered by time, of one session or of all ("").
func timeKey(session string, a Artifact) []byte {
	var key []byte
	if session != "" {
		key = sessionPrefix(session)
	}
	key = binary.BigEndian.AppendUint64(key, uint64(a.Created.Unix())+math.MaxInt64+1) // negative times sort first
	key = binary.BigEndian.AppendUint32(key, uint32(a.Created.Nanosecond()))
	return append(key, a.ID...)
}
