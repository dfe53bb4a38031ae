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
	return []rewrite.Rule{
		{Kind: "change", Bucket: bucketChanges, Out: scrubChange},
		{Kind: "state of a file", Bucket: bucketStates, Out: scrubState},
		{Kind: "touched file", Bucket: bucketTouched, Out: scrubTouched},
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

// scrubState forgets what is known of a file whose name holds the text.
func scrubState(tx kv.Tx, r kv.Record, t scrub.Text) (bool, error) {
	path := string(r.Key)
	if t.Out(path) == path {
		return false, nil
	}
	return true, tx.Delete(bucketStates, r.Key)
}

// scrubTouched forgets that a session touched such a file.
func scrubTouched(tx kv.Tx, r kv.Record, t scrub.Text) (bool, error) {
	path := string(r.Value)
	if t.Out(path) == path {
		return false, nil
	}
	return true, tx.Delete(bucketTouched, r.Key)
}
