package engine

import (
	"context"
	"errors"

	"ctxledger.dev/engine/upkeep"
	"ctxledger.dev/kv"
	"ctxledger.dev/kv/consistency"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/tokens"
)

// PutEstimator stores bytes in the place of a model's estimator.
func (l *Local) PutEstimator(ctx context.Context, model string, raw []byte) error {
	key := []byte(sessions.Digest([]byte(tokens.NewEstimator(model).Model())))
	return l.core.Store.Update(ctx, func(tx kv.Tx) error { return tx.Put("estimators", key, raw) })
}

var errUndo = errors.New("undone")

// Mend damages the records, repairs what a check finds, checks again and renders every view, all in a
// transaction that is not kept. It returns what was found and what was left after mending.
func (l *Local) Mend(ctx context.Context,
	damage func(tx kv.Tx, blobs map[string]bool) error) (found, left []consistency.Finding, err error) {
	blobs, err := stored(ctx, l.core.Store)
	if err != nil {
		return nil, nil, err
	}
	run := func(tx kv.Tx, fix bool) (all []consistency.Finding, err error) {
		found := func(f consistency.Finding) { all = append(all, f) }
		err = upkeep.CheckRecords(ctx, tx, fix, l.core.Now(), blobs, found)
		return all, err
	}
	err = l.core.Store.Update(ctx, func(tx kv.Tx) error {
		if err := damage(tx, blobs); err != nil {
			return err
		}
		if found, err = run(tx, true); err != nil {
			return err
		}
		if left, err = run(tx, false); err != nil {
			return err
		}
		all, err := sessions.List(tx)
		if err != nil {
			return err
		}
		for _, s := range all {
			if s.Pending {
				continue
			}
			f, err := l.core.Fold(tx, s.ID)
			if err != nil {
				return err
			}
			if _, err := l.views.Page(ctx, tx, f, ledger.ViewRequest{Session: s.ID}); err != nil {
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
