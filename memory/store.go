package memory

import (
	"encoding/json"
	"strings"
	"time"
	"unicode/utf8"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/kv"
)

// The buckets of this package.
const (
	bucketEntries = kv.Bucket("memory")         // scope, folded name → Entry
	bucketHistory = kv.Bucket("memory.history") // guid, number → an earlier Entry
)

// Save keeps e and returns it as stored. A name that exists in the scope keeps its GUID, its Created and, unless
// overwrite is set, its author; the version before goes to the history, see Restore. For a new name e.GUID is taken,
// which the caller made at random. An empty type is that of the memory that it replaces, else as the scope; an empty
// scope is Project. A deleted memory of the name is an earlier version.
//
// Errors: invalid or too_large for an entry that breaks a rule; conflict if somebody else wrote the memory, not both are
// agents, and overwrite is false.
func Save(tx kv.Tx, e Entry, overwrite bool) (Entry, error) {
	untyped := strings.TrimSpace(e.Type) == ""
	e = e.tidy()
	if err := e.check(); err != nil {
		return Entry{}, err
	}
	old, ok, err := find(tx, e.Scope, e.Name)
	if err != nil {
		return Entry{}, err
	}
	if ok && old.Deleted == nil {
		if old.Source != e.Source && !overwrite && !(byAgent(old.Source) && byAgent(e.Source)) {
			return Entry{}, fault.New(fault.Conflict, "memory.save", "memory %q was written by %s", old.Name,
				author(old)).
				WithHint("take another name, or overwrite it on purpose (overwrite)")
		}
		e.Created = old.Created
		if old.Source != e.Source && !overwrite {
			e.Source, e.Updater = old.Source, e.Source
		}
		if untyped {
			e.Type = old.Type
		}
	}
	if ok {
		e.GUID = old.GUID
		if err := remember(tx, old); err != nil {
			return Entry{}, err
		}
	}
	return e, put(tx, e)
}

func put(tx kv.Tx, e Entry) error {
	v, err := json.Marshal(e)
	if err != nil {
		return fault.Wrap(fault.Internal, "memory.save", err)
	}
	return tx.Put(bucketEntries, entryKey(e.Scope, e.Name), v)
}

// author names who wrote an entry.
func author(e Entry) string {
	if e.Source == "" {
		return "an unknown author"
	}
	return e.Source
}

// Get returns a memory by its name, without regard to case. Errors: not_found, corrupt.
func Get(tx kv.Tx, scope Scope, name string) (Entry, error) {
	e, ok, err := find(tx, scope, name)
	if err == nil && (!ok || e.Deleted != nil) {
		err = unknown(scope, name, e.Deleted)
		e = Entry{}
	}
	return e, err
}

// unknown is the error for a name that no memory has, or had until it was deleted.
func unknown(scope Scope, name string, deleted *time.Time) error {
	if deleted != nil {
		return fault.New(fault.NotFound, "memory.get", "memory %.1000q in scope %s was deleted on %s", name, scope,
			deleted.Format(time.DateOnly)).WithHint("restore it by its name")
	}
	return fault.New(fault.NotFound, "memory.get", "no memory %.1000q in scope %s", name, scope).
		WithHint("list the memories to see their names")
}

// Delete hides a memory and returns it. Restore brings it back, Forget removes it for good. Errors: not_found, corrupt.
func Delete(tx kv.Tx, scope Scope, name string, at time.Time) (Entry, error) {
	e, err := Get(tx, scope, name)
	if err != nil {
		return Entry{}, err
	}
	hidden := e
	hidden.Deleted = &at
	return e, put(tx, hidden)
}

// Restore undoes what happened to a memory last: its deletion, or a change. To restore it again brings the change back.
// Errors: not_found without an earlier version; corrupt.
func Restore(tx kv.Tx, scope Scope, name string, at time.Time) (Entry, error) {
	now, ok, err := find(tx, scope, name)
	if err != nil {
		return Entry{}, err
	}
	if !ok {
		return Entry{}, unknown(scope, name, nil)
	}
	if now.Deleted != nil {
		now.Deleted = nil
		return now, put(tx, now)
	}
	before, err := takeVersion(tx, now.GUID)
	if err != nil {
		return Entry{}, err
	}
	if before == nil {
		return Entry{}, fault.New(fault.NotFound, "memory.restore", "memory %.1000q in scope %s has no earlier version",
			name, scope)
	}
	if err := remember(tx, now); err != nil {
		return Entry{}, err
	}
	before.Deleted, before.Updated = nil, at
	return *before, put(tx, *before)
}

// Forget removes a memory, also a deleted one, with all earlier versions, and returns what it was. Errors: not_found,
// corrupt.
func Forget(tx kv.Tx, scope Scope, name string) (Entry, error) {
	e, ok, err := find(tx, scope, name)
	if err == nil && !ok {
		err = unknown(scope, name, nil)
	}
	if err != nil {
		return Entry{}, err
	}
	if err := forget(tx, e.GUID); err != nil {
		return Entry{}, err
	}
	return e, tx.Delete(bucketEntries, entryKey(scope, name))
}

// List returns the memories of a scope by name, at most limit (0: all), those after the cursor
// only, and the cursor of the following page, "" at the end. Errors: corrupt.
func List(tx kv.Tx, scope Scope, after string, limit int) (list []Entry, next string, err error) {
	prefix := entryKey(scope, "")
	for rec, err := range tx.Scan(bucketEntries, kv.Range{Prefix: prefix, From: entryKey(scope, after)}) {
		if err != nil {
			return nil, "", err
		}
		name := string(rec.Key[len(prefix):])
		if name == fold(after) && after != "" {
			continue
		}
		e, err := decode(rec.Value)
		if err != nil {
			return nil, "", err
		}
		if e.Deleted != nil {
			continue
		}
		if limit > 0 && len(list) == limit {
			return list, next, nil
		}
		list, next = append(list, e), name
	}
	return list, "", nil
}

// Count returns the number of memories of a scope. Errors: corrupt.
func Count(tx kv.Tx, scope Scope) (n int, err error) {
	for rec, err := range tx.Scan(bucketEntries, kv.Range{Prefix: entryKey(scope, "")}) {
		if err != nil {
			return 0, err
		}
		e, err := decode(rec.Value)
		if err != nil {
			return 0, err
		}
		if e.Deleted == nil {
			n++
		}
	}
	return n, nil
}

// entryKey returns the key of a memory: by scope, then by name without regard to case.
func entryKey(scope Scope, name string) []byte {
	return append(append([]byte(scope), 0), fold(name)...)
}

// find returns the entry of a name, also a deleted one, if there is one.
func find(tx kv.Tx, scope Scope, name string) (e Entry, ok bool, err error) {
	if utf8.RuneCountInString(name) > 2*limits.MemoryName {
		return Entry{}, false, nil // no entry has such a name, and it might be too long for a key
	}
	v, err := tx.Get(bucketEntries, entryKey(scope, name))
	if err != nil || v == nil {
		return Entry{}, false, err
	}
	e, err = decode(v)
	return e, err == nil, err
}

// decode reads a stored entry.
func decode(v []byte) (Entry, error) {
	var e Entry
	if err := json.Unmarshal(v, &e); err != nil {
		return Entry{}, fault.New(fault.Corrupt, "memory.read", "a memory's record is not readable: %v", err)
	}
	return e, nil
}
