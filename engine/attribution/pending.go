package attribution

import (
	"slices"
	"time"

	"ctxledger.dev/changes"
	"ctxledger.dev/intents"
	"ctxledger.dev/kv"
)

// lately is how long ago a session may have touched a file for it to be looked at again.
const lately = 7 * 24 * time.Hour

// touch notes that the session touched a file, if it is one that can be looked at.
func (x *Effects) touch(path string, at time.Time) error {
	tree, known := x.trees.worksOn(*x.own)
	if path == "" || path == "." || isAbs(path) || !known || at.Before(x.at.Add(-lately)) {
		return nil
	}
	return changes.Touch(x.Tx, tree, path)
}

// Abandon takes note that the session's host has gone on to another turn: a look at the files of calls
// that are still pending tells what became of them, and what changed from now on is not their doing.
func (x *Effects) Abandon(at time.Time) error {
	pending, err := intents.PendingOf(x.Tx, x.own.ID)
	if err != nil {
		return err
	}
	for _, in := range pending {
		if in.Turn != x.own.Turns-1 {
			continue // it was abandoned before
		}
		if err := x.touch(in.Subject(), at); err != nil {
			return err
		}
		if err := x.again(in); err != nil {
			return err
		}
	}
	return nil
}

// preHash returns what the file that a call acts on was like when the call began, as far as the
// ledger knows.
func (x *Effects) preHash(in intents.Intent) (string, error) {
	path := in.Subject()
	tree, known := x.trees.worksOn(*x.own)
	if path == "" || isAbs(path) || len(tree)+1+len(path) > changes.MaxPath || !known {
		return "", nil
	}
	st, known, err := changes.StateOf(x.Tx, tree, path)
	if err != nil || !known {
		return "", err
	}
	return HashBefore(x.Tx, st, in.Begun)
}

// HashBefore returns what a file was like when a call began: the hash of its content, intents.Absent,
// or "" when that is not known. st is its present state. What became so just before may be the call's
// own doing: the file system's clock ticks.
func HashBefore(tx kv.Tx, st changes.State, begun time.Time) (string, error) {
	at := begun.Add(-fileClock)
	if !st.Since.After(at) {
		return ContentOf(st), nil
	}
	list, err := Recent(tx, st.Tree, st.Path)
	if err != nil {
		return "", err
	}
	for _, c := range slices.Backward(list) {
		if c.Source != changes.Observed || c.Time.Before(at) {
			continue
		}
		switch {
		case c.Before.After(at): // it was looked at for the first time when it had begun
			return "", nil
		case c.Op == changes.Created:
			return intents.Absent, nil
		}
		return c.HashFrom, nil
	}
	return "", nil
}

// ContentOf returns the hash of a file's content, intents.Absent, or "" when it is not known.
func ContentOf(st changes.State) string {
	if !st.Exists {
		return intents.Absent
	}
	return st.Hash
}
