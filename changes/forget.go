package changes

import (
	"ctxledger.dev/internal/scrub"
	"ctxledger.dev/kv"
	"ctxledger.dev/kv/rewrite"
)

// ForgetSession replaces every path in a session's changes by stone. That something changed, when, and its number are
// kept.
func ForgetSession(tx kv.Tx, session, stone string) error {
	all, err := kv.Collect(recorded(tx, Filter{Session: session}), kv.All)
	if err != nil {
		return err
	}
	for _, c := range all {
		if err := rename(tx, c, stone); err != nil {
			return err
		}
	}
	return nil
}

// Rules returns how a text is removed from the records of this package.
func Rules() []rewrite.Rule {
	return []rewrite.Rule{
		{Kind: "change", Bucket: bucketChanges, Out: scrubChange},
		{Kind: "state of a file", Bucket: bucketStates, Out: func(tx kv.Tx, r kv.Record, t scrub.Text) (bool, error) {
			return dropNamed(tx, bucketStates, r, string(r.Key), t)
		}},
		{Kind: "touched file", Bucket: bucketTouched, Out: func(tx kv.Tx, r kv.Record, t scrub.Text) (bool, error) {
			return dropNamed(tx, bucketTouched, r, string(r.Value), t)
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
	return true, rename(tx, c, path)
}

// rename stores a change under another path.
func rename(tx kv.Tx, c Change, path string) error {
	if err := unindex(tx, c); err != nil {
		return err
	}
	c.Path = path
	return put(tx, c)
}

// dropNamed deletes the record of a file whose path contains the text.
func dropNamed(tx kv.Tx, b kv.Bucket, r kv.Record, path string, t scrub.Text) (bool, error) {
	if t.Out(path) == path {
		return false, nil
	}
	return true, tx.Delete(b, r.Key)
}
