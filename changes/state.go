package changes

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"ctxledger.dev/kv"
)

const (
	bucketStates  kv.Bucket = "file_states"  // file → stored
	bucketBuried  kv.Bucket = "file_buried"  // hash of a forgotten file → mark
	bucketTouched kv.Bucket = "file_touched" // number → file: the files that sessions touched, in that order
)

// MaxPath is how long a path may be to have a state, in bytes, with its tree and a byte between: it is a key.
const MaxPath = kv.MaxKey

// maxTouched bounds how many touches are remembered; of those a path has one, its newest.
const maxTouched = 16_384

// fileKey returns what a file of a tree is known by. Neither part has a NUL.
func fileKey(tree, path string) string {
	if tree == "" {
		return path
	}
	return tree + "\x00" + path
}

// fileOf is the reverse of fileKey.
func fileOf(key string) (tree, path string) {
	if tree, path, found := strings.Cut(key, "\x00"); found {
		return tree, path
	}
	return "", key
}

// State is what the ledger knows of a file in one of its trees.
type State struct {
	Tree     string    `json:"tree,omitempty"` // the root of the tree that Path is relative to; "": the workspace
	Path     string    `json:"path"`
	Exists   bool      `json:"exists"`            // as a regular file
	Size     int64     `json:"size,omitempty"`    // bytes
	Modified time.Time `json:"modified,omitzero"` // by the file system's clock
	Hash     string    `json:"hash,omitempty"`    // SHA-256 of the content; "" when absent, Large or not known
	// Text is that of the content as text: see filetext.Hash; "" where Hash is, and in states of earlier versions.
	Text   string    `json:"text,omitempty"`
	Large  bool      `json:"large,omitempty"` // too large to hash: changes are detected by size and time
	Since  time.Time `json:"since,omitzero"`  // since when it is so, as far as its own time tells
	Looked time.Time `json:"looked,omitzero"` // when it was first seen so; zero in states of earlier versions
}

// Known returns since when the file is known to have been so: what is moved or unpacked there has an older time of its own.
func (s State) Known() time.Time {
	if s.Looked.After(s.Since) {
		return s.Looked
	}
	return s.Since
}

// Same reports whether two states are equal but for Since and Looked.
func (s State) Same(o State) bool {
	return s.Tree == o.Tree && s.Path == o.Path && s.Exists == o.Exists && s.Size == o.Size &&
		s.Modified.Equal(o.Modified) && s.Hash == o.Hash && s.Text == o.Text && s.Large == o.Large
}

// Diff says what happened to a file between two looks at it; "" when nothing did. Where a hash is
// missing, size and time decide.
func Diff(was, is State) Op {
	switch {
	case !was.Exists && !is.Exists:
		return ""
	case !was.Exists:
		return Created
	case !is.Exists:
		return Deleted
	case was.Hash != "" && is.Hash != "":
		if was.Hash != is.Hash {
			return Modified
		}
	case was.Size != is.Size || !was.Modified.Equal(is.Modified):
		return Modified
	}
	return ""
}

// stored is the record of a path: what is known of the file, and when a session last touched it.
type stored struct {
	State   *State `json:"state,omitempty"`
	Touched int64  `json:"touched,omitempty"` // number of its newest touch
}

// StateOf returns what is known of a file of a tree, and whether anything is.
func StateOf(tx kv.Tx, tree, path string) (State, bool, error) {
	s, err := loadStored(tx, fileKey(tree, path))
	if err != nil || s.State == nil {
		return State{}, false, err
	}
	return *s.State, true, nil
}

// SaveState replaces what is known of a file.
func SaveState(tx kv.Tx, st State) error {
	key := fileKey(st.Tree, st.Path)
	s, err := loadStored(tx, key)
	if err != nil {
		return err
	}
	s.State = &st
	return saveStored(tx, key, s)
}

// Touch notes that a session touched a file of a tree. One too long for a key is not noted.
func Touch(tx kv.Tx, tree, path string) error {
	key := fileKey(tree, path)
	if path == "" || len(key) > MaxPath {
		return nil
	}
	s, err := loadStored(tx, key)
	if err != nil {
		return err
	}
	last, err := newestTouch(tx)
	if err != nil {
		return err
	}
	if s.Touched > 0 {
		if err := tx.Delete(bucketTouched, idKey(s.Touched)); err != nil {
			return err
		}
	}
	if err := tx.Delete(bucketBuried, graveOf(key)); err != nil {
		return err
	}
	s.Touched = last + 1
	return cmp.Or(tx.Put(bucketTouched, idKey(s.Touched), []byte(key)),
		tx.Delete(bucketTouched, idKey(s.Touched-maxTouched)), saveStored(tx, key, s))
}

// Touched returns the paths in a tree that sessions touched after a number, the newest first and at most limit
// of them, and the number of the newest touch.
func Touched(tx kv.Tx, tree string, after int64, limit int) ([]string, int64, error) {
	last, err := newestTouch(tx)
	if err != nil {
		return nil, 0, err
	}
	var paths []string
	for r, err := range tx.Scan(bucketTouched, kv.Range{From: idKey(after + 1), Reverse: true}) {
		if err != nil {
			return nil, 0, err
		}
		if len(paths) == limit {
			break
		}
		if of, path := fileOf(string(r.Value)); of == tree {
			paths = append(paths, path)
		}
	}
	return paths, last, nil
}

// TouchedTrees returns the trees in which sessions touched files after a number, but the workspace, the newest
// touch first, and the number of the newest touch.
func TouchedTrees(tx kv.Tx, after int64) ([]string, int64, error) {
	last, err := newestTouch(tx)
	if err != nil {
		return nil, 0, err
	}
	var trees []string
	for r, err := range tx.Scan(bucketTouched, kv.Range{From: idKey(after + 1), Reverse: true}) {
		if err != nil {
			return nil, 0, err
		}
		if tree, _ := fileOf(string(r.Value)); tree != "" && !slices.Contains(trees, tree) {
			trees = append(trees, tree)
		}
	}
	return trees, last, nil
}

// IsTouched reports whether the touch of a file by a session is remembered.
func IsTouched(tx kv.Tx, f File) (bool, error) {
	s, err := loadStored(tx, fileKey(f.Tree, f.Path))
	return s.Touched > 0, err
}

func newestTouch(tx kv.Tx) (int64, error) {
	key, err := kv.LastKey(tx, bucketTouched)
	return idOf(key), err
}

func loadStored(tx kv.Tx, key string) (s stored, err error) {
	_, err = kv.GetJSON(tx, bucketStates, []byte(key), &s)
	return s, err
}

func saveStored(tx kv.Tx, key string, s stored) error {
	return kv.PutJSON(tx, bucketStates, []byte(key), s)
}
