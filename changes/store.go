package changes

import (
	"encoding/binary"
	"encoding/json"
	"strings"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/kv"
)

// The buckets of this package.
const (
	bucketChanges  kv.Bucket = "changes"        // id → Change
	bucketSessions kv.Bucket = "change_session" // session NUL id → nothing
	bucketPaths    kv.Bucket = "change_path"    // path NUL id → nothing
)

// Record stores a change and returns it with its id.
func Record(tx kv.Tx, c Change) (Change, error) {
	last, err := newest(tx)
	if err != nil {
		return Change{}, err
	}
	c.ID = last + 1
	raw, err := json.Marshal(c)
	if err != nil {
		return Change{}, fault.Wrap(fault.Internal, "changes.record", err)
	}
	if err := tx.Put(bucketSessions, indexKey(c.Session, c.ID), nil); err != nil {
		return Change{}, err
	}
	if k := indexKey(c.Path, c.ID); len(k) <= kv.MaxKey { // a longer path is found by its session
		if err := tx.Put(bucketPaths, k, nil); err != nil {
			return Change{}, err
		}
	}
	return c, tx.Put(bucketChanges, idKey(c.ID), raw)
}

// Filter selects changes. Zero fields select all.
type Filter struct {
	Session string
	Path    string // a file, or a directory with all below it
	Since   int64  // only changes with a greater id
}

// List returns the changes that fit f, newest first and at most limit of them, and how many fit.
func List(tx kv.Tx, f Filter, limit int) ([]Change, int, error) {
	var found []Change
	total := 0
	for id, err := range ids(tx, f) {
		if err != nil {
			return nil, 0, err
		}
		c, err := get(tx, id)
		if err != nil {
			return nil, 0, err
		}
		if !f.fits(c) {
			continue
		}
		if total++; total <= limit {
			found = append(found, c)
		}
	}
	return found, total, nil
}

// Newest returns the newest change of exactly this path, or nil.
func Newest(tx kv.Tx, path string) (*Change, error) {
	for r, err := range tx.Scan(bucketPaths, kv.Range{Prefix: []byte(path + "\x00"), Reverse: true}) {
		if err != nil {
			return nil, err
		}
		c, err := get(tx, idOf(r.Key))
		return &c, err
	}
	return nil, nil
}

// fits reports whether c is within the path and after the id that f names.
func (f Filter) fits(c Change) bool {
	if c.ID <= f.Since {
		return false
	}
	dir := strings.TrimSuffix(f.Path, "/")
	return dir == "" || dir == "." || c.Path == dir || strings.HasPrefix(c.Path, dir+"/")
}

// ids yields the ids of the changes that may fit f, newest first.
func ids(tx kv.Tx, f Filter) func(yield func(int64, error) bool) {
	bucket, prefix := bucketChanges, []byte(nil)
	if f.Session != "" {
		bucket, prefix = bucketSessions, []byte(f.Session+"\x00")
	}
	return func(yield func(int64, error) bool) {
		for r, err := range tx.Scan(bucket, kv.Range{Prefix: prefix, Reverse: true}) {
			if err != nil {
				yield(0, err)
				return
			}
			if !yield(idOf(r.Key), nil) {
				return
			}
		}
	}
}

func get(tx kv.Tx, id int64) (Change, error) {
	raw, err := tx.Get(bucketChanges, idKey(id))
	if err != nil {
		return Change{}, err
	}
	var c Change
	if raw == nil || json.Unmarshal(raw, &c) != nil {
		return Change{}, fault.New(fault.Corrupt, "changes.get", "change %d is indexed but cannot be read", id)
	}
	return c, nil
}

func newest(tx kv.Tx) (int64, error) {
	for r, err := range tx.Scan(bucketChanges, kv.Range{Reverse: true}) {
		if err != nil {
			return 0, err
		}
		return idOf(r.Key), nil
	}
	return 0, nil
}

func idKey(id int64) []byte { return binary.BigEndian.AppendUint64(nil, uint64(id)) }

func indexKey(name string, id int64) []byte {
	return binary.BigEndian.AppendUint64([]byte(name+"\x00"), uint64(id))
}

// idOf reads the id at the end of a key; every key of this package ends with one.
func idOf(key []byte) int64 {
	if len(key) < 8 {
		return 0
	}
	return int64(binary.BigEndian.Uint64(key[len(key)-8:]))
}
