package attribution

import (
	"cmp"
	"slices"
	"time"

	"ctxledger.dev/changes"
	"ctxledger.dev/intents"
	"ctxledger.dev/internal/paths"
	"ctxledger.dev/kv"
)

// lately is how old a touch may be for the file to be checked again.
const lately = 7 * 24 * time.Hour

// touch records that the session touched a file, if an observer can check it.
func (x *Effects) touch(path string, at time.Time) error {
	tree, known := x.trees.worksOn(*x.own)
	if path == "" || path == "." || paths.IsAbs(path) || !known || at.Before(x.at.Add(-lately)) {
		return nil
	}
	return changes.Touch(x.Tx, tree, path)
}

// Abandon records that the session has moved on to another turn. The files of calls that are still pending are checked
// again to find out how the calls ended, and later changes are not attributed to them.
func (x *Effects) Abandon(at time.Time) error {
	pending, err := intents.PendingOf(x.Tx, x.own.ID)
	if err != nil {
		return err
	}
	for _, in := range pending {
		if in.Turn != x.own.Turns-1 {
			continue // abandoned earlier
		}
		if err := cmp.Or(x.touch(in.Subject(), at), x.again(in)); err != nil {
			return err
		}
	}
	return nil
}

// preHash returns the state of a call's file when the call began, as far as it is known.
func (x *Effects) preHash(in intents.Intent) (string, error) {
	path := in.Subject()
	tree, known := x.trees.worksOn(*x.own)
	if path == "" || paths.IsAbs(path) || len(tree)+1+len(path) > changes.MaxPath || !known {
		return "", nil
	}
	st, known, err := changes.StateOf(x.Tx, tree, path)
	if err != nil || !known {
		return "", err
	}
	return HashBefore(x.Tx, st, in.Begun)
}

// HashBefore returns the state of a file when a call began: the hash of its content, intents.Absent, or "" when it is
// unknown. st is its present state. A change shortly before the call may be the call's own, since the file system's
// clock is coarse.
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
		case c.Before.After(at): // the first observation came after the call began
			return "", nil
		case c.Op == changes.Created:
			return intents.Absent, nil
		}
		return c.HashFrom, nil
	}
	return "", nil
}

// ContentOf returns the hash of a file's content, intents.Absent, or "" when it is unknown.
func ContentOf(st changes.State) string {
	if !st.Exists {
		return intents.Absent
	}
	return st.Hash
}
