package memory

import (
	"bytes"
	"cmp"
	"encoding/json"
	"strings"
	"time"
	"unicode/utf8"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/internal/words"
	"ctxledger.dev/kv"
)

// The buckets of this package.
const (
	bucketEntries = kv.Bucket("memory")         // scope, name by its key → Entry
	bucketHistory = kv.Bucket("memory.history") // guid, number → an earlier Entry
)

// Save keeps e and returns it as stored. A name that exists in the scope keeps its GUID, its Created and, unless
// overwrite is set, its author; the version before goes to the history, see Restore. An entry that says what is stored
// changes nothing. A new name gets the GUID that e brings from a file, or id, which the caller made at random. An empty
// type is that of the memory that it replaces, else as the scope; an empty scope is Project. A deleted memory of the name
// is an earlier version.
//
// Errors: invalid or too_large for an entry that breaks a rule; conflict if overwrite is false and somebody else wrote
// the memory, not both being agents, or e was made of a file of another memory, or of a file that is older.
func Save(tx kv.Tx, e Entry, id string, overwrite bool) (Entry, error) {
	untyped, brought := strings.TrimSpace(e.Type) == "", e.GUID
	e.GUID = cmp.Or(e.GUID, id)
	e = e.tidy()
	if err := e.check(); err != nil {
		return Entry{}, err
	}
	old, key, ok, err := find(tx, e.Scope, e.Name)
	if err != nil {
		return Entry{}, err
	}
	if ok && old.Deleted == nil {
		if untyped {
			e.Type = old.Type
		}
		if e.says(old) && (old.Source == e.Source || !overwrite) {
			return old, nil
		}
		if err := old.yields(e, brought); err != nil && !overwrite {
			return Entry{}, err
		}
		e.Created = old.Created
		if old.Source != e.Source && !overwrite {
			e.Source, e.Updater = old.Source, e.Source
		}
	}
	if !ok {
		return e, put(tx, key, nil, e)
	}
	e.GUID = old.GUID
	return e, cmp.Or(remember(tx, old), put(tx, key, &old, e))
}

// yields returns why e may not replace the entry: a conflict, or nil. brought is the GUID of the file that e is made of,
// "" for none.
func (e Entry) yields(to Entry, brought string) error {
	what := ""
	switch owns := e.Source == to.Source && (brought == "" || brought == e.GUID); {
	case !owns && !(byAgent(e.Source) && byAgent(to.Source)):
		what = "was written by " + author(e)
	case brought != "" && e.Updated.After(to.Updated):
		what = "has changed since, on " + e.Updated.Format(time.DateOnly)
	default:
		return nil
	}
	return fault.New(fault.Conflict, "memory.save", "memory %q %s", e.Name, what).
		WithHint("choose another name, or set overwrite")
}

// put stores e at the key at which find found its name. old is what is there, nil for nothing.
func put(tx kv.Tx, key []byte, old *Entry, e Entry) error {
	return cmp.Or(kv.PutJSON(tx, bucketEntries, key, e), reword(tx, key, old, key, &e))
}

// author names who wrote an entry.
func author(e Entry) string {
	if e.Source == "" {
		return "an unknown author"
	}
	return e.Source
}

// Get returns a memory by its name, in any case and Unicode form. Errors: not_found, corrupt.
func Get(tx kv.Tx, scope Scope, name string) (Entry, error) {
	e, _, err := living(tx, scope, name)
	return e, err
}

// living is find for a memory that is there and not deleted. Errors: not_found, corrupt.
func living(tx kv.Tx, scope Scope, name string) (Entry, []byte, error) {
	e, key, ok, err := find(tx, scope, name)
	if err == nil && (!ok || e.Deleted != nil) {
		err = unknown(scope, name, e.Deleted)
		e = Entry{}
	}
	return e, key, err
}

// unknown is the error for a name that no memory has, or had until it was deleted.
func unknown(scope Scope, name string, deleted *time.Time) error {
	if deleted != nil {
		return fault.New(fault.NotFound, "memory.get", "memory %.1000q in scope %s was deleted on %s", name, scope,
			deleted.Format(time.DateOnly)).WithHint("`ctxledger memory restore NAME` restores it")
	}
	return fault.New(fault.NotFound, "memory.get", "no memory %.1000q in scope %s", name, scope).
		WithHint("`ctxledger memory` lists them")
}

// Delete hides a memory and returns it. Restore brings it back, Forget removes it for good. Errors: not_found, corrupt.
func Delete(tx kv.Tx, scope Scope, name string, at time.Time) (Entry, error) {
	e, key, err := living(tx, scope, name)
	if err != nil {
		return Entry{}, err
	}
	hidden := e
	hidden.Deleted = &at
	return e, put(tx, key, &e, hidden)
}

// Restore undoes what happened to a memory last: its deletion, or a change. To restore it again brings the change back.
// Errors: not_found without an earlier version; corrupt.
func Restore(tx kv.Tx, scope Scope, name string, at time.Time) (Entry, error) {
	now, key, ok, err := find(tx, scope, name)
	if err != nil {
		return Entry{}, err
	}
	if !ok {
		return Entry{}, unknown(scope, name, nil)
	}
	if now.Deleted != nil {
		back := now
		back.Deleted = nil
		return back, put(tx, key, &now, back)
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
	return *before, put(tx, key, &now, *before)
}

// Forget removes a memory, also a deleted one, with all earlier versions, and returns what it was. Errors: not_found,
// corrupt.
func Forget(tx kv.Tx, scope Scope, name string) (Entry, error) {
	e, key, ok, err := find(tx, scope, name)
	if err == nil && !ok {
		err = unknown(scope, name, nil)
	}
	if err != nil {
		return Entry{}, err
	}
	if err := forget(tx, e.GUID); err != nil {
		return Entry{}, err
	}
	return e, cmp.Or(tx.Delete(bucketEntries, key), reword(tx, key, &e, key, nil))
}

// List returns the memories of a scope by name, at most limit (0: all), those after the cursor
// only, and the cursor of the following page, "" at the end. Errors: corrupt.
func List(tx kv.Tx, scope Scope, after string, limit int) (list []Entry, next string, err error) {
	start, _, err := place(tx, scope, after)
	if err != nil {
		return nil, "", err
	}
	for rec, err := range tx.Scan(bucketEntries, kv.Range{Prefix: entryKey(scope, ""), From: start}) {
		if err != nil {
			return nil, "", err
		}
		if after != "" && bytes.Equal(rec.Key, start) {
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
		list, next = append(list, e), e.Name
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

// entryKey returns the key of a memory: by scope, then by name in every case and Unicode form.
func entryKey(scope Scope, name string) []byte {
	key := append(append([]byte(scope), 0), words.Key(strings.TrimSpace(name))...)
	if len(key) > kv.MaxKey { // NFKC can make eighteen characters of one
		return caseKey(scope, name)
	}
	return key
}

// caseKey is the key that earlier versions gave a memory. Nearly all names have the same one today.
func caseKey(scope Scope, name string) []byte {
	return append(append([]byte(scope), 0), fold(name)...)
}

// place returns the key of a name and what is stored there, nil for nothing. A memory of an earlier version stays where
// it is, beside one whose name is the same words in another form.
func place(tx kv.Tx, scope Scope, name string) (key, stored []byte, err error) {
	if utf8.RuneCountInString(name) > 2*limits.MemoryName {
		return entryKey(scope, ""), nil, nil // no entry has such a name, and it might be too long for a key
	}
	key = caseKey(scope, name)
	if stored, err = tx.Get(bucketEntries, key); err != nil || stored != nil {
		return key, stored, err
	}
	key = entryKey(scope, name)
	stored, err = tx.Get(bucketEntries, key)
	return key, stored, err
}

// find returns the entry of a name, also a deleted one, if there is one, and the key where it is or belongs.
func find(tx kv.Tx, scope Scope, name string) (e Entry, key []byte, ok bool, err error) {
	key, stored, err := place(tx, scope, name)
	if err != nil || stored == nil {
		return Entry{}, key, false, err
	}
	e, err = decode(stored)
	return e, key, err == nil, err
}

// decode reads a stored entry.
func decode(v []byte) (Entry, error) {
	var e Entry
	if err := json.Unmarshal(v, &e); err != nil {
		return Entry{}, fault.New(fault.Corrupt, "memory.read", "a memory's record is not readable: %v", err)
	}
	return e, nil
}
