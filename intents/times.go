package intents

import (
	"encoding/binary"
	"time"

	"ctxledger.dev/kv"
)

// OpenBetween returns the open intents (see Intent.Open) that began from one time to another, both
// included, the newest first and at most limit of them.
func OpenBetween(tx kv.Tx, from, to time.Time, limit int) ([]Intent, error) {
	var list []Intent
	for r, err := range tx.Scan(bucketTimes, kv.Range{From: timeKey(from), To: timeKey(to.Add(1)), Reverse: true}) {
		if err != nil {
			return nil, err
		}
		if len(list) == limit {
			break
		}
		in, err := load(tx, r.Key[8:])
		if err != nil {
			return nil, err
		}
		if in != nil {
			list = append(list, *in)
		}
	}
	return list, nil
}

func timeKey(t time.Time) []byte {
	return binary.BigEndian.AppendUint64(nil, uint64(max(t.UnixNano(), 0)))
}
