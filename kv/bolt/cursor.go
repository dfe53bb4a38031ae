package bolt

import (
	"bytes"

	"ctxledger.dev/kv"
)

// cursor walks one range of one bucket. The walker is nil for a missing bucket.
type cursor struct {
	t         *tx
	bucket    kv.Bucket
	walk      *walker
	low, high []byte
	reverse   bool
}

func (t *tx) cursor(b kv.Bucket, r kv.Range) (c *cursor, err error) {
	if err := t.check(); err != nil {
		return nil, err
	}
	defer recoverDamage(&err)
	c = &cursor{t: t, bucket: b, reverse: r.Reverse}
	c.low, c.high = r.Bounds()
	if bucket := t.btx.Bucket([]byte(b)); bucket != nil {
		c.walk = t.walk(bucket)
	}
	return c, nil
}

// first returns the first record of the range in scan order; ok is false when there is none.
// Scanning also checks the records next to the range: keys are known to be in order, so a record of the
// range whose key was damaged is there.
func (c *cursor) first() (rec kv.Record, ok bool, err error) {
	defer recoverDamage(&err)
	if c.walk == nil {
		return kv.Record{}, false, nil
	}
	if c.reverse {
		return c.last()
	}
	if len(c.low) > 0 {
		before := c.walk.prev
		if k, _ := c.walk.seek(c.low); k == nil {
			before = c.walk.last // all keys are below the lower bound
		}
		k, raw := before()
		if err := c.checkAdjacent(k, raw); err != nil {
			return kv.Record{}, false, err
		}
	}
	return c.record(c.walk.seek(c.low))
}

// last returns the last record of the range.
func (c *cursor) last() (kv.Record, bool, error) {
	if c.high == nil {
		return c.record(c.walk.last())
	}
	k, raw := c.walk.seek(c.high)
	if k == nil { // all keys are below the upper bound
		return c.record(c.walk.last())
	}
	if err := c.checkAdjacent(k, raw); err != nil {
		return kv.Record{}, false, err
	}
	return c.record(c.walk.prev())
}

// checkAdjacent checks a record next to the range. key is nil when there is none.
func (c *cursor) checkAdjacent(key, raw []byte) error {
	if key == nil {
		return nil
	}
	_, err := kv.Unseal(c.bucket, key, raw)
	return err
}

// next returns the record after the last one.
func (c *cursor) next() (rec kv.Record, ok bool, err error) {
	if err := c.t.check(); err != nil {
		return kv.Record{}, false, err
	}
	defer recoverDamage(&err)
	if c.reverse {
		return c.record(c.walk.prev())
	}
	return c.record(c.walk.next())
}

// record returns the record at the cursor if it is in the range.
func (c *cursor) record(key, raw []byte) (kv.Record, bool, error) {
	if key == nil || !inRange(key, c.low, c.high) {
		return kv.Record{}, false, c.checkAdjacent(key, raw)
	}
	rec := kv.Record{Key: bytes.Clone(key)}
	value, err := unseal(c.bucket, key, raw)
	if err != nil {
		return rec, false, err
	}
	rec.Value = value
	return rec, true, nil
}
