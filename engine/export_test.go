package engine

import (
	"context"
	"errors"

	"ctxledger.dev/kv"
	"ctxledger.dev/kv/audit"
	"ctxledger.dev/kv/bolt"
	"ctxledger.dev/ledger"
)

// Audit runs the audits on the closed ledger in dir.
func Audit(ctx context.Context, dir string) ([]audit.Finding, error) {
	s, err := bolt.Open(dir, bolt.Options{})
	if err != nil {
		return nil, err
	}
	var found []audit.Finding
	blobs, err := stored(ctx, s)
	if err != nil {
		return nil, err
	}
	err = s.View(ctx, func(tx kv.Tx) error {
		l := Local{}
		return auditRecords(ctx, tx, false, l.started, blobs, func(f audit.Finding) { found = append(found, f) })
	})
	return found, errors.Join(err, s.Close())
}

func stored(ctx context.Context, s kv.Store) (map[string]bool, error) {
	blobs := map[string]bool{}
	for b, err := range s.Blobs(ctx) {
		if err != nil {
			return nil, err
		}
		blobs[b.Hash] = true
	}
	return blobs, nil
}

// PutEstimator stores bytes in the place of a model's estimator.
func (l *Local) PutEstimator(ctx context.Context, model string, raw []byte) error {
	return l.store.Update(ctx, func(tx kv.Tx) error { return tx.Put(bucketEstimators, estimatorKey(model), raw) })
}

var errUndo = errors.New("undone")

// Mend damages the records, mends what an audit finds, audits again and renders every view, all in a
// transaction that is not kept. It returns what was found and what was left after mending.
func (l *Local) Mend(ctx context.Context, damage func(tx kv.Tx, blobs map[string]bool) error) (found, left []audit.Finding, err error) {
	blobs, err := stored(ctx, l.store)
	if err != nil {
		return nil, nil, err
	}
	err = l.store.Update(ctx, func(tx kv.Tx) error {
		found, left = nil, nil
		if err := damage(tx, blobs); err != nil {
			return err
		}
		if err := auditRecords(ctx, tx, true, l.now(), blobs, func(f audit.Finding) { found = append(found, f) }); err != nil {
			return err
		}
		if err := auditRecords(ctx, tx, false, l.now(), blobs, func(f audit.Finding) { left = append(left, f) }); err != nil {
			return err
		}
		all, err := visible(tx)
		if err != nil {
			return err
		}
		for _, s := range all {
			f, err := l.fold(tx, s.ID)
			if err != nil {
				return err
			}
			if _, err := l.renderPage(ctx, tx, f, ledger.ViewRequest{Session: s.ID}); err != nil {
				return err
			}
		}
		return errUndo
	})
	if errors.Is(err, errUndo) {
		err = nil
	}
	return found, left, err
}

// HoldGrowth has nobody else replay a session until what it returns is called.
func (l *Local) HoldGrowth(ctx context.Context, session string) (release func()) {
	kept, err := l.growths.take(ctx, session)
	if err != nil {
		panic(err)
	}
	return kept.release
}
