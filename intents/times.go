package intents

import (
	"encoding/binary"
	"time"

	"ctxledger.dev/kv"
)

// OpenBetween returns the open intents (see Intent.Open) that began from one time to another, both
// included, the newest first and at most limit of them.
func OpenBetween(tx kv.Tx, from, to time.Time, limit int) ([]Intent, error) {
	r := kv.Range{From: timeKey(from), To: timeKey(to.Add(1)), Reverse: true}
	return known(tx, bucketTimes, r, limit, func(key []byte) (*Intent, error) { return load(tx, key[8:]) })
}

func timeKey(t time.Time) []byte {
	return binary.BigEndian.AppendUint64(nil, uint64(max(t.UnixNano(), 0)))
}
