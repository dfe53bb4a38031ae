package artifacts

import (
	"time"

	"ctxledger.dev/internal/scrub"
	"ctxledger.dev/kv"
	"ctxledger.dev/kv/rewrite"
)

// Forget makes a tombstone of an artifact and returns it; expired is set if a policy asked for it, not a person.
// The caller removes the blob named by Hash when no other record needs it. Forgetting again changes nothing.
// Errors: not_found, corrupt.
func Forget(tx kv.Tx, id string, at time.Time, expired bool) (Artifact, error) {
	a, err := Get(tx, id)
	if err != nil || a.Forgotten != nil {
		return a, err
	}
	at = at.UTC().Round(0)
	a.Forgotten, a.Expired = &at, expired
	if err := count(tx, func(c *Counts) { c.Live--; c.Forgotten++; c.Bytes -= a.Bytes }); err != nil {
		return Artifact{}, err
	}
	return a, save(tx, a)
}

// Rules returns how the records of this package lose a text. Contents are blobs, which their owner
// looks through.
func Rules() []rewrite.Rule {
	return []rewrite.Rule{{Kind: "artifact label", Bucket: bucketRecords, Out: scrubLabels}}
}

func scrubLabels(tx kv.Tx, r kv.Record, t scrub.Text) (bool, error) {
	return rewrite.JSON(tx, bucketRecords, r, func(a *Artifact) ([]byte, error) {
		rewrite.Words(t, &a.Tool, &a.Hint, &a.Title)
		return r.Key, nil
	})
}
