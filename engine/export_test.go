package engine

import (
	"context"
	"errors"

	"ctxledger.dev/kv"
	"ctxledger.dev/kv/audit"
	"ctxledger.dev/kv/bolt"
)

// Audit runs the audits on the closed ledger in dir.
func Audit(ctx context.Context, dir string) ([]audit.Finding, error) {
	s, err := bolt.Open(dir, bolt.Options{})
	if err != nil {
		return nil, err
	}
	var found []audit.Finding
	blobs := map[string]bool{}
	for b, err := range s.Blobs(ctx) {
		if err != nil {
			return nil, err
		}
		blobs[b.Hash] = true
	}
	err = s.View(ctx, func(tx kv.Tx) error {
		l := Local{}
		return auditRecords(ctx, tx, false, l.started, blobs, func(f audit.Finding) { found = append(found, f) })
	})
	return found, errors.Join(err, s.Close())
}
