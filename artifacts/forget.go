package artifacts

import (
	"cmp"
	"slices"
	"time"

	"ctxledger.dev/internal/scrub"
	"ctxledger.dev/kv"
	"ctxledger.dev/kv/rewrite"
)

// Forget makes a tombstone of an artifact and returns it; expired is set if a policy asked for it, not a person. Its labels
// go, too: they quote arguments of the call. The caller removes the blob named by Hash when no other record needs it.
// Forgetting again keeps the first date.
// Errors: not_found, corrupt.
func Forget(tx kv.Tx, id string, at time.Time, expired bool) (Artifact, error) {
	a, err := Get(tx, id)
	if err != nil {
		return a, err
	}
	a.Tool, a.Hint, a.Title, a.Put, a.Name, a.Version = "", "", "", false, "", 0
	if err := unsave(tx, id); err != nil {
		return a, err
	}
	if a.Forgotten != nil {
		return a, save(tx, a)
	}
	at = at.UTC().Round(0)
	a.Forgotten, a.Expired = &at, expired
	err = cmp.Or(count(tx, func(c *Counts) { c.Live--; c.Forgotten++; c.Bytes -= a.Bytes }), unindex(tx, id))
	if err != nil {
		return Artifact{}, err
	}
	return a, save(tx, a)
}

// Leave removes what an artifact says of a session that is forgotten, while others still have it, or who put it: its
// references, and the call that it names where that may be of that session. A title is of who put it.
func Leave(tx kv.Tx, id, session string) error {
	a, err := Get(tx, id)
	if err != nil {
		return err
	}
	mine := func(r Ref) bool { return r.Session == session }
	if !slices.ContainsFunc(a.Refs, mine) {
		return nil
	}
	unname(&a, mine)
	a.Refs = slices.DeleteFunc(a.Refs, mine)
	return cmp.Or(tx.Delete(bucketOwners, timeKey(session, a)), save(tx, a))
}

// LeaveCall removes the words of a call from the artifact of its result. That the session has it is kept.
func LeaveCall(tx kv.Tx, id, session, callID string) error {
	a, err := Get(tx, id)
	if err != nil || len(a.Refs) == 0 {
		return err
	}
	unname(&a, func(r Ref) bool { return r.Session == session && r.CallID == callID })
	return save(tx, a)
}

// unname removes the call that an artifact names, where it may be one of some references.
func unname(a *Artifact, mine func(Ref) bool) {
	if mine(a.Refs[0]) || len(a.Refs) == maxRefs { // of more references the first is not known
		a.Tool, a.Hint = "", ""
	}
}

// Rules returns how the records of this package lose a text. Contents are blobs, which their owner
// looks through.
func Rules() []rewrite.Rule {
	return []rewrite.Rule{
		rewrite.Of("artifact label", bucketRecords, func(a *Artifact, t scrub.Text) {
			rewrite.Words(t, &a.Tool, &a.Hint, &a.Title, &a.Name)
		}),
		rewrite.Of("artifact name", bucketNames, func(n *Named, t scrub.Text) { rewrite.Words(t, &n.Name) }),
	}
}
