package changes

import (
	"cmp"
	"crypto/sha256"
	"slices"

	"ctxledger.dev/internal/scrub"
	"ctxledger.dev/kv"
	"ctxledger.dev/kv/rewrite"
)

// File is a file of a tree of the workspace.
type File struct{ Tree, Path string }

// ForgetSession replaces every path in a session's changes by stone, and returns the paths; with intents, only in the
// changes that are attributed to one of them. That something changed, when, and its number are kept.
func ForgetSession(tx kv.Tx, session, stone string, intents ...string) (files []File, err error) {
	all, err := kv.Collect(recorded(tx, Filter{Session: session}), kv.All)
	if err != nil {
		return nil, err
	}
	for _, c := range all {
		if len(intents) > 0 && !slices.Contains(intents, c.Intent) {
			continue
		}
		if c.Path != stone {
			files = append(files, File{c.Tree, c.Path})
		}
		c.Agent = ""
		if err := rename(tx, c, stone); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// ForgetFile removes what is known of a file that only forgotten sessions worked on, with its path in what others did to
// it. What is observed of it from then on is not recorded until a session touches it again.
func ForgetFile(tx kv.Tx, f File, stone string) error {
	list, err := OfPath(tx, f.Path, kv.All)
	if err != nil {
		return err
	}
	for _, c := range list {
		if c.Tree != f.Tree || c.Session != "" {
			continue
		}
		if err := rename(tx, c, stone); err != nil {
			return err
		}
	}
	return bury(tx, fileKey(f.Tree, f.Path))
}

// ChangedElsewhere reports whether a session other than the given one changed a file.
func ChangedElsewhere(tx kv.Tx, f File, session string) (bool, error) {
	list, err := OfPath(tx, f.Path, kv.All)
	return slices.ContainsFunc(list, func(c Change) bool {
		return c.Tree == f.Tree && c.Session != "" && c.Session != session
	}), err
}

// bury removes what is known of a file, and remembers by a hash of its path that it was forgotten.
func bury(tx kv.Tx, key string) error {
	if len(key) > MaxPath {
		return nil // it has no state
	}
	s, err := loadStored(tx, key)
	if err != nil {
		return err
	}
	if s.Touched > 0 {
		err = tx.Delete(bucketTouched, idKey(s.Touched))
	}
	return cmp.Or(err, tx.Delete(bucketStates, []byte(key)), tx.Put(bucketBuried, graveOf(key), []byte{1}))
}

// graveOf is what a forgotten file is known by. Whoever has the whole path can tell that it was forgotten.
func graveOf(key string) []byte {
	sum := sha256.Sum256([]byte(key))
	return sum[:16]
}

// Buried reports whether a file was forgotten and no session has touched it since: what an observer still knows of it is
// not recorded.
func Buried(tx kv.Tx, tree, path string) (bool, error) {
	v, err := tx.Get(bucketBuried, graveOf(fileKey(tree, path)))
	return v != nil, err
}

// Rules returns how a text is removed from the records of this package.
func Rules() []rewrite.Rule {
	return []rewrite.Rule{
		{Kind: "change", Bucket: bucketChanges, Out: scrubChange},
		{Kind: "state of a file", Bucket: bucketStates, Out: func(tx kv.Tx, r kv.Record, t scrub.Text) (bool, error) {
			return dropNamed(tx, string(r.Key), t)
		}},
		{Kind: "touched file", Bucket: bucketTouched, Out: func(tx kv.Tx, r kv.Record, t scrub.Text) (bool, error) {
			return dropNamed(tx, string(r.Value), t)
		}},
	}
}

func scrubChange(tx kv.Tx, r kv.Record, t scrub.Text) (bool, error) {
	c, err := decode(r)
	if err != nil {
		return false, err
	}
	path := t.Out(c.Path)
	if agent := t.Out(c.Agent); agent != c.Agent {
		c.Agent = agent
	} else if path == c.Path {
		return false, nil
	}
	if path != c.Path {
		err = bury(tx, fileKey(c.Tree, c.Path))
	}
	return true, cmp.Or(err, rename(tx, c, path))
}

// rename stores a change under another path.
func rename(tx kv.Tx, c Change, path string) error {
	err := unindex(tx, c)
	c.Path = path
	return cmp.Or(err, put(tx, c))
}

// dropNamed removes what is known of a file whose path contains the text.
func dropNamed(tx kv.Tx, key string, t scrub.Text) (bool, error) {
	if t.Out(key) == key {
		return false, nil
	}
	return true, bury(tx, key)
}
