package artifacts

import (
	"cmp"
	"encoding/hex"
	"encoding/json"
	"slices"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/kv"
)

// The buckets of this package.
const (
	bucketRecords = kv.Bucket("artifacts")         // id → Artifact
	bucketHashes  = kv.Bucket("artifacts.hash")    // hash → id
	bucketTimes   = kv.Bucket("artifacts.time")    // created, id
	bucketOwners  = kv.Bucket("artifacts.session") // session, created, id
	bucketCounts  = kv.Bucket("artifacts.counts")  // one record: Counts
)

// Bounds of a record. Longer texts are cut: they describe, they identify nothing.
const (
	maxRefs  = 16  // places remembered of one artifact; the oldest go
	maxLabel = 300 // characters of tool, hint, title and of each part of a Ref
)

const (
	idDigits   = 12 // hex digits of a handle
	idLonger   = 4  // digits added while the handle belongs to other content
	hashDigits = 64
)

// Put keeps a, whose blob is stored already, and returns it with its handle. a.ID is assigned here,
// and a.Created is the time of the call. Content that is known keeps its record and gets a's Refs
// added, newest last, and its Title if it has none; created is then false. Content that was forgotten lives again: the tombstone
// goes, and Revived says when.
//
// Errors: invalid for a Hash that is not 64 lower-case hex digits.
func Put(tx kv.Tx, a Artifact) (put Artifact, created bool, err error) {
	if raw, err := hex.DecodeString(a.Hash); err != nil || len(raw)*2 != hashDigits ||
		hex.EncodeToString(raw) != a.Hash {
		return Artifact{}, false, fault.New(fault.Invalid, "artifacts.put", "%q is not a SHA-256 in 64 "+
			"lower-case hex digits", cutLabel(a.Hash))
	}
	a = tidy(a)
	id, err := tx.Get(bucketHashes, []byte(a.Hash))
	if err != nil {
		return Artifact{}, false, err
	}
	if id != nil {
		put, err = putAgain(tx, string(id), a)
		return put, false, err
	}
	if a.ID, err = freeID(tx, a.Hash); err != nil {
		return Artifact{}, false, err
	}
	a.Forgotten, a.Expired, a.Revived = nil, false, nil
	if err := create(tx, a); err != nil {
		return Artifact{}, false, err
	}
	return a, true, nil
}

// tidy makes a storable: valid UTF-8, bounded texts and references, times in UTC.
func tidy(a Artifact) Artifact {
	a.Tool, a.Hint, a.Title = cutLabel(a.Tool), cutLabel(a.Hint), cutLabel(a.Title)
	a.Created = a.Created.UTC().Round(0)
	a.Refs = addRefs(nil, a.Refs)
	return a
}

// addRefs appends more to refs, newest last; a repeated one moves to the end, the oldest drop out.
func addRefs(refs, more []Ref) []Ref {
	for _, r := range more {
		r.Session, r.CallID = cutLabel(r.Session), cutLabel(r.CallID)
		if r == (Ref{}) {
			continue
		}
		refs = append(slices.DeleteFunc(refs, func(o Ref) bool { return o == r }), r)
	}
	return refs[max(0, len(refs)-maxRefs):]
}

// freeID returns the shortest handle of hash that no other content has.
func freeID(tx kv.Tx, hash string) (string, error) {
	for n := idDigits; n < hashDigits; n += idLonger {
		taken, err := tx.Get(bucketRecords, []byte(hash[:n]))
		if err != nil {
			return "", err
		}
		if taken == nil {
			return hash[:n], nil
		}
	}
	return hash, nil
}

// create stores a new record with its index entries.
func create(tx kv.Tx, a Artifact) error {
	return cmp.Or(tx.Put(bucketHashes, []byte(a.Hash), []byte(a.ID)),
		tx.Put(bucketTimes, timeKey("", a), mark), save(tx, a),
		count(tx, func(c *Counts) { c.Live++; c.Bytes += a.Bytes }), later(tx, a.ID))
}

// putAgain adds the references of more to a stored record, and revives a forgotten one.
func putAgain(tx kv.Tx, id string, more Artifact) (Artifact, error) {
	a, err := Get(tx, id)
	if err != nil {
		return Artifact{}, err
	}
	a.Refs, a.Put = addRefs(a.Refs, more.Refs), a.Put || more.Put
	a.Title, a.Features = cmp.Or(a.Title, more.Title), cmp.Or(a.Features, more.Features)
	if a.Forgotten != nil {
		a.Forgotten, a.Expired, a.Revived = nil, false, &more.Created
		err := cmp.Or(count(tx, func(c *Counts) { c.Live++; c.Forgotten--; c.Bytes += a.Bytes }), later(tx, a.ID))
		if err != nil {
			return Artifact{}, err
		}
	}
	return a, save(tx, a)
}

// save writes a's record and its place in the lists of its sessions.
func save(tx kv.Tx, a Artifact) error {
	for _, r := range a.Refs {
		if r.Session == "" {
			continue
		}
		if err := tx.Put(bucketOwners, timeKey(r.Session, a), mark); err != nil {
			return err
		}
	}
	return kv.PutJSON(tx, bucketRecords, []byte(a.ID), a)
}

// Get returns the record of a handle, even of a forgotten artifact: see Available. Only the whole handle names an
// artifact. Errors: not_found, corrupt.
func Get(tx kv.Tx, id string) (Artifact, error) {
	const op = "artifacts.get"
	var v []byte
	if isHandle(id) { // anything else, however long, is simply not there
		var err error
		if v, err = tx.Get(bucketRecords, []byte(id)); err != nil {
			return Artifact{}, err
		}
	}
	if v == nil {
		return Artifact{}, fault.New(fault.NotFound, op, "no artifact %s in this workspace", shortID(id)).
			WithHint("a handle is the whole id that the stub names, and is valid only in the workspace that wrote it")
	}
	var a Artifact
	if err := json.Unmarshal(v, &a); err != nil {
		return Artifact{}, fault.New(fault.Corrupt, op, "the record of artifact %s is not readable: %v", id, err)
	}
	return a, nil
}

// Starting returns the handles that begin with a prefix, at most limit of them, also those of forgotten artifacts.
func Starting(tx kv.Tx, prefix string, limit int) ([]string, error) {
	return kv.Starting(tx, bucketRecords, prefix, limit)
}

// isHandle reports whether id has the shape of a handle.
func isHandle(id string) bool {
	if len(id) < idDigits || len(id) > hashDigits {
		return false
	}
	for _, c := range []byte(id) {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// shortID makes a foreign handle fit for an error message.
func shortID(id string) string {
	if s := []rune(oneLine(id)); len(s) > hashDigits {
		return string(s[:hashDigits]) + "…"
	} else if len(s) > 0 {
		return string(s)
	}
	return `""`
}

// Relabel replaces what an artifact says of where it came from. Errors: not_found, corrupt.
func Relabel(tx kv.Tx, id, tool, hint, title string) error {
	a, err := Get(tx, id)
	if err != nil {
		return err
	}
	a.Tool, a.Hint, a.Title = tool, hint, title
	return save(tx, tidy(a))
}
