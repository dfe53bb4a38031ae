package changes

import (
	"cmp"
	"encoding/binary"
	"encoding/json"
	"iter"
	"slices"
	"strings"
	"time"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/paths"
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
	for b, k := range indexes(c) {
		if err := tx.Put(b, k, nil); err != nil {
			return err
		}
	}
	return kv.PutJSON(tx, bucketChanges, idKey(c.ID), c)
}

// Filter selects changes. Zero fields select all.
type Filter struct {
	Session string
	Path    string    // a file, or a directory with all below it; an absolute one finds files in other trees, too
	Since   int64     // only changes with a greater id
	From    time.Time // only changes at that time or later
	// Before is the id of a change: only older ones, which are then not counted beyond the limit. 0: all.
	Before int64
}

// List returns the changes that fit f, newest first by their time and at most limit of them, and how many fit.
func List(tx kv.Tx, f Filter, limit int) ([]Change, int, error) {
	end, err := endOf(tx, f.Before)
	if err != nil {
		return nil, 0, err
	}
	var found []Change
	total := 0
	for c, err := range recorded(tx, f) {
		switch {
		case err != nil:
			return nil, 0, err
		case !f.fits(c) || end != nil && newestFirst(c, *end) <= 0:
			continue
		}
		total++
		if found = append(found, c); len(found) > 2*limit {
			found = newestOf(found, limit)
		}
	}
	found = newestOf(found, limit)
	if f.Before > 0 {
		total = len(found)
	}
	return found, total, nil
}

// newestOf sorts changes, the newest first, and returns at most limit of them.
func newestOf(list []Change, limit int) []Change {
	slices.SortFunc(list, newestFirst)
	return list[:min(len(list), limit)]
}

// newestFirst compares changes by their time, and those of one time by the order of recording.
func newestFirst(a, b Change) int {
	return cmp.Or(b.Time.Compare(a.Time), cmp.Compare(b.ID, a.ID))
}

// endOf returns the change with an id, which ends the page before, nil for id 0. If it was withdrawn since, the page
// ends with the one recorded before it.
func endOf(tx kv.Tx, id int64) (*Change, error) {
	if id <= 0 {
		return nil, nil
	}
	last, err := newest(tx)
	if err != nil || id > last {
		return nil, err
	}
	for c, err := range kv.Values(tx, bucketChanges, kv.Range{To: idKey(id + 1), Reverse: true}, decode) {
		return &c, err
	}
	return &Change{}, nil
}

// Newest returns the newest change of exactly this path in one tree, or nil. Where other trees' files of that
// path have changed a hundred times since, it is not found.
func Newest(tx kv.Tx, path, tree string) (*Change, error) {
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

// fits reports whether c is as new as f asks for, and within the path that f names.
func (f Filter) fits(c Change) bool {
	dir, path := strings.TrimSuffix(f.Path, "/"), c.Path
	if c.Tree != "" && paths.IsAbs(dir) {
		path = paths.Abs(c.Tree, path)
	}
	return c.ID > f.Since && !c.Time.Before(f.From) &&
		(dir == "" || dir == "." || path == dir || strings.HasPrefix(path, dir+"/"))
}

// recorded yields the changes of f's session, or all, in the order of recording.
func recorded(tx kv.Tx, f Filter) iter.Seq2[Change, error] {
	if f.Session == "" {
		return kv.Values(tx, bucketChanges, kv.Range{From: idKey(f.Since)}, decode)
	}
	return indexed(tx, bucketSessions, kv.Range{Prefix: []byte(f.Session + "\x00")})
}

// indexed yields the changes that an index names.
func indexed(tx kv.Tx, index kv.Bucket, r kv.Range) iter.Seq2[Change, error] {
	return kv.Values(tx, index, r, func(r kv.Record) (Change, error) { return get(tx, idOf(r.Key)) })
}

// Get returns one change. Errors: not_found, corrupt.
func Get(tx kv.Tx, id int64) (Change, error) {
	raw, err := tx.Get(bucketChanges, idKey(id))
	if err == nil && raw == nil {
		err = fault.New(fault.NotFound, "changes.get", "no change %d in this workspace", id)
	}
	if err != nil {
		return Change{}, err
	}
	return decode(kv.Record{Key: idKey(id), Value: raw})
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
	key, err := kv.LastKey(tx, bucketChanges)
	return max(idOf(raw), idOf(key)), err
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
