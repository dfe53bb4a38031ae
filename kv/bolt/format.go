package bolt

import (
	"strconv"
	"strings"

	"go.etcd.io/bbolt"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/kv"
)

// format numbers the layout of the state directory as this package reads and writes it.
const format = 1

// metaBucket is the backend's own bucket; kv.CheckRecord keeps its name from everybody else.
const (
	metaBucket   = kv.Bucket("\x00ctxledger")
	formatKey    = "format"
	bucketPrefix = "bucket/" // a record for each bucket, to detect a bucket with a damaged name
)

// writeFormat marks a new ledger.
func writeFormat(btx *bbolt.Tx) error {
	b, err := btx.CreateBucketIfNotExists([]byte(metaBucket))
	if err != nil {
		return err
	}
	value := strconv.AppendInt(nil, format, 10)
	return b.Put([]byte(formatKey), kv.Seal(metaBucket, []byte(formatKey), value))
}

// checkFormat refuses a file that is no ledger or has a newer format.
func checkFormat(db *bbolt.DB) error {
	return view(db, func(t *tx) error {
		value, err := t.Get(metaBucket, []byte(formatKey))
		if err != nil {
			return err
		}
		if err := checkFormatValue(value); err != nil {
			return err
		}
		return t.checkBuckets()
	})
}

// checkFormatValue returns an error unless this program can read a ledger's format.
func checkFormatValue(value []byte) error {
	n, err := strconv.Atoi(string(value))
	switch {
	case value == nil:
		return damaged("is another program's database")
	case err != nil || n < 1:
		return damaged("has format %.1000q", value)
	case n > format:
		return fault.New(fault.Unavailable, "kv.open",
			"the ledger has format %d, but this program supports only formats up to %d", n, format).WithHint("upgrade ctxledger")
	}
	return nil
}

// createBucket creates a bucket and records its name.
func createBucket(btx *bbolt.Tx, b kv.Bucket) (*bbolt.Bucket, error) {
	key := []byte(bucketPrefix + string(b))
	if err := btx.Bucket([]byte(metaBucket)).Put(key, kv.Seal(metaBucket, key, nil)); err != nil {
		return nil, err
	}
	return btx.CreateBucket([]byte(b))
}

// checkBuckets compares the existing buckets with those that were created.
func (t *tx) checkBuckets() error {
	created := map[string]bool{string(metaBucket): true}
	for rec, err := range t.Scan(metaBucket, kv.Range{Prefix: []byte(bucketPrefix)}) {
		if err != nil {
			return err
		}
		created[strings.TrimPrefix(string(rec.Key), bucketPrefix)] = true
	}
	found, err := t.buckets()
	if err != nil {
		return err
	}
	for _, name := range found {
		if !created[string(name)] {
			return damaged("has a bucket with the damaged name %.1000q", name)
		}
	}
	if len(found) != len(created) {
		return damaged("has %d of its %d buckets", len(found), len(created))
	}
	return nil
}

// buckets returns the names of all buckets, the backend's own included, in order.
func (t *tx) buckets() (names []kv.Bucket, err error) {
	defer recoverDamage(&err)
	err = t.btx.ForEach(func(name []byte, _ *bbolt.Bucket) error {
		names = append(names, kv.Bucket(name))
		return nil
	})
	return names, err
}
