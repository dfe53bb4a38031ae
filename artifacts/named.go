package artifacts

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/internal/pattern"
	"ctxledger.dev/internal/words"
	"ctxledger.dev/kv"
)

// bucketNames has what was saved under names: SHA-256 of the folded name, version → Named.
const bucketNames = kv.Bucket("artifacts.name")

// Named is one version of what was saved under a name.
type Named struct {
	Name    string    `json:"name,omitempty"` // "": it was forgotten
	Version int       `json:"version"`        // from 1
	ID      string    `json:"id"`             // of the artifact
	Saved   time.Time `json:"saved"`
}

// String returns the name with the version, which Lookup understands.
func (n Named) String() string { return n.Name + "@" + strconv.Itoa(n.Version) }

var (
	nameForm   = pattern.Lazy(`^[\p{L}\p{N}][\p{L}\p{M}\p{N}._/-]*$`)
	handleLike = pattern.Lazy(`^[0-9a-f]+(\.[0-9]+)?$`) // of artifacts, messages, sessions, summaries
)

// CheckName refuses what cannot be a name: invalid, too_large.
func CheckName(name string) error {
	const op = "artifacts.name"
	switch n := utf8.RuneCountInString(name); {
	case n > limits.ArtifactName:
		return fault.New(fault.TooLarge, op, "the name has %d characters, more than the limit of %d", n,
			limits.ArtifactName)
	case !nameForm().MatchString(name) || !chars.Safe(name):
		return fault.New(fault.Invalid, op, "%q is not a name of letters, digits and . _ - /, a letter or digit first",
			cutLabel(name)).WithHint("for example plan.md")
	case handleLike().MatchString(name):
		return fault.New(fault.Invalid, op, "the name %q looks like a handle", name).
			WithHint("for example plan-%s", name)
	}
	return nil
}

// SaveAs makes an artifact the newest version of a name, unless it is. Errors: those of CheckName; not_found, corrupt.
func SaveAs(tx kv.Tx, name, id string, at time.Time) (Named, error) {
	if err := CheckName(name); err != nil {
		return Named{}, err
	}
	a, err := Get(tx, id)
	if err != nil {
		return Named{}, err
	}
	n := Named{Name: name, Version: 1, ID: id, Saved: at.UTC().Round(0)}
	newest, known, err := newestOf(tx, name)
	switch {
	case err != nil:
		return n, err
	case known && newest.ID == id && newest.Name != "":
		return newest, nil
	case known:
		n.Version = newest.Version + 1
	}
	a.Name, a.Version = n.Name, n.Version
	if err := save(tx, a); err != nil {
		return n, err
	}
	return n, kv.PutJSON(tx, bucketNames, nameKey(name, n.Version), n)
}

// Lookup returns the newest version of a name, or the one of NAME@VERSION; false: there is none. Of a forgotten one the artifact
// is a tombstone.
func Lookup(tx kv.Tx, ref string) (n Named, found bool, err error) {
	name, version, versioned := strings.Cut(ref, "@")
	if CheckName(name) != nil {
		return n, false, nil
	}
	if !versioned {
		return newestOf(tx, name)
	}
	v, err := strconv.Atoi(version)
	if err != nil || v < 1 {
		return n, false, nil
	}
	found, err = kv.GetJSON(tx, bucketNames, nameKey(name, v), &n)
	return n, found, err
}

// Versions returns what was saved under a name, newest first, at most limit of them. Errors: corrupt.
func Versions(tx kv.Tx, name string, limit int) (all []Named, err error) {
	if CheckName(name) != nil {
		return nil, nil
	}
	for n, err := range kv.Values(tx, bucketNames, kv.Range{Prefix: nameKey(name, 0), Reverse: true}, kv.JSON[Named]) {
		if err != nil {
			return nil, err
		}
		if all = append(all, n); len(all) == limit {
			break
		}
	}
	return all, nil
}

func newestOf(tx kv.Tx, name string) (Named, bool, error) {
	all, err := Versions(tx, name, 1)
	if err != nil || len(all) == 0 {
		return Named{}, false, err
	}
	return all[0], true, nil
}

// Names returns the newest version of at most limit names, in no order that means anything. Errors: corrupt.
func Names(tx kv.Tx, limit int) (all []Named, err error) {
	var last []byte
	for r, err := range tx.Scan(bucketNames, kv.Range{Reverse: true}) {
		if err != nil {
			return nil, err
		}
		of := r.Key[:min(len(r.Key), sha256.Size)]
		if bytes.Equal(of, last) {
			continue
		}
		last = bytes.Clone(of)
		n, err := kv.JSON[Named](r)
		if err != nil {
			return nil, err
		}
		if n.Name == "" {
			continue
		}
		if all = append(all, n); len(all) == limit {
			break
		}
	}
	return all, nil
}

// nameKey is the key of a version of a name; of version 0: how the keys of all begin. Names that differ in case alone are one.
func nameKey(name string, version int) []byte {
	sum := sha256.Sum256([]byte(words.Key(name)))
	if version == 0 {
		return sum[:]
	}
	return binary.BigEndian.AppendUint64(sum[:], uint64(version))
}

// unsave removes the names of an artifact whose content is forgotten. What the name was is a word; that there was a version stays.
func unsave(tx kv.Tx, id string) error {
	var mine []kv.Record
	for r, err := range tx.Scan(bucketNames, kv.Range{}) {
		if err != nil {
			return err
		}
		n, err := kv.JSON[Named](r)
		if err != nil {
			return err
		}
		if n.ID == id && n.Name != "" {
			mine = append(mine, kv.Record{Key: bytes.Clone(r.Key), Value: bytes.Clone(r.Value)})
		}
	}
	for _, r := range mine {
		n, err := kv.JSON[Named](r)
		if err != nil {
			return err
		}
		n.Name = ""
		if err := kv.PutJSON(tx, bucketNames, r.Key, n); err != nil {
			return err
		}
	}
	return nil
}

func soundName(tx kv.Tx, r kv.Record) (bool, error) {
	n, err := kv.JSON[Named](r)
	if err != nil {
		return false, err
	}
	_, err = Get(tx, n.ID)
	return len(r.Key) == sha256.Size+8 && n.Version == int(binary.BigEndian.Uint64(r.Key[sha256.Size:])), err
}
