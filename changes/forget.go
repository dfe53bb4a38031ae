package changes

import (
	"ctxledger.dev/internal/scrub"
	"ctxledger.dev/kv"
	"ctxledger.dev/kv/rewrite"
)

// ForgetSession puts stone in the place of every path that a session's changes name. That something
// changed, when, and its number stay.
func ForgetSession(tx kv.Tx, session, stone string) error {
	var all []Change
	for c, err := range newestFirst(tx, Filter{Session: session}) {
		if err != nil {
			return err
		}
		all = append(all, c)
	}
	for _, c := range all {
		if err := rename(tx, c, stone); err != nil {
			return err
		}
	}
	return nil
}

// Rules returns how the records of this package lose a text.
func Rules() []rewrite.Rule {
	return []rewrite.Rule{{Kind: "change", Bucket: bucketChanges, Out: scrubChange}}
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
	return true, rename(tx, c, path)
}

// rename stores a change under another path.
func rename(tx kv.Tx, c Change, path string) error {
	if err := tx.Delete(bucketPaths, indexKey(c.Path, c.ID)); err != nil {
		return err
	}
	c.Path = path
	return store(tx, c)
}
