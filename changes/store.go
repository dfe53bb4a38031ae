package changes

import (
	"encoding/binary"
	"encoding/json"
	"iter"
	"slices"
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
	return c, put(tx, c)
}

// put writes a change and what it is found by.
func put(tx kv.Tx, c Change) error {
	raw, err := json.Marshal(c)
	if err != nil {
		return fault.Wrap(fault.Internal, "changes.put", err)
	}
	for b, k := range indexes(c) {
		if err := tx.Put(b, k, nil); err != nil {
			return err
		}
	}
	return tx.Put(bucketChanges, idKey(c.ID), raw)
}

// Filter selects changes. Zero fields select all.
type Filter struct {
	Session string
	Path    string // a file, or a directory with all below it
	Since   int64  // only changes with a greater id
	Before  int64  // only changes with a smaller id, which are then not counted beyond the limit; 0: all
}

// List returns the changes that fit f, newest first and at most limit of them, and how many fit.
func List(tx kv.Tx, f Filter, limit int) ([]Change, int, error) {
	var found []Change
	total := 0
	for c, err := range newestFirst(tx, f) {
		switch {
		case err != nil:
			return nil, 0, err
		case c.ID <= f.Since:
			return found, total, nil
		case !f.fits(c):
			continue
		}
		if total++; total <= limit {
			found = append(found, c)
		}
		if f.Before > 0 && total == limit {
			break
		}
	}
	return found, total, nil
}

// Newest returns the newest change of exactly this path in one tree, or nil. Where other trees' files of that
// path have changed a hundred times since, it is not found.
func Newest(tx kv.Tx, path, tree string) (*Change, error) {
	const near = 100
	list, err := OfPath(tx, path, near)
	if err != nil {
		return nil, err
	}
	for i := range list {
		if list[i].Tree == tree {
			return &list[i], nil
		}
	}
	return nil, nil
}

// fits reports whether c is within the path that f names.
func (f Filter) fits(c Change) bool {
	dir := strings.TrimSuffix(f.Path, "/")
	return dir == "" || dir == "." || c.Path == dir || strings.HasPrefix(c.Path, dir+"/")
}

// newestFirst yields the changes of f's session, or all, newest first.
func newestFirst(tx kv.Tx, f Filter) iter.Seq2[Change, error] {
	if f.Session == "" {
		return kv.Values(tx, bucketChanges, kv.Range{From: idKey(f.Since), To: f.end(nil), Reverse: true}, decode)
	}
	prefix := []byte(f.Session + "\x00")
	return indexed(tx, bucketSessions, kv.Range{Prefix: prefix, To: f.end(prefix), Reverse: true})
}

// indexed yields the changes that an index names.
func indexed(tx kv.Tx, index kv.Bucket, r kv.Range) iter.Seq2[Change, error] {
	return kv.Values(tx, index, r, func(r kv.Record) (Change, error) { return get(tx, idOf(r.Key)) })
}

// end returns where a scan of keys that end with an id ends, nil when Before does not say.
func (f Filter) end(prefix []byte) []byte {
	if f.Before <= 0 {
		return nil
	}
	return append(slices.Clip(prefix), idKey(f.Before)...)
}

func get(tx kv.Tx, id int64) (Change, error) {
	raw, err := tx.Get(bucketChanges, idKey(id))
	if err != nil {
		return Change{}, err
	}
	return decode(kv.Record{Key: idKey(id), Value: raw})
}

func decode(r kv.Record) (Change, error) {
	var c Change
	if err := json.Unmarshal(r.Value, &c); err != nil {
		return Change{}, fault.New(fault.Corrupt, "changes.decode", "change %d is indexed but cannot be read",
			idOf(r.Key))
	}
	return c, nil
}

// newest returns the highest id that was given.
func newest(tx kv.Tx) (int64, error) {
	raw, err := tx.Get(bucketLast, idKey(0))
	if err != nil {
		return 0, err
	}
	last := idOf(raw)
	for r, err := range tx.Scan(bucketChanges, kv.Range{Reverse: true}) {
		return max(last, idOf(r.Key)), err
	}
	return last, nil
}

func idKey(id int64) []byte { return binary.BigEndian.AppendUint64(nil, uint64(max(id, 0))) }

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
