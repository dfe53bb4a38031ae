package crashtest

import (
	"context"
	"errors"

	"ctxledger.dev/kv"
	"ctxledger.dev/kv/bolt"
)

// makeOld makes a ledger that nobody owns one of the first schema again, which is told by the absence
// of a record that the engine keeps.
func makeOld(ctx context.Context, state string) error {
	store, err := bolt.Open(state, bolt.Options{})
	if err != nil {
		return err
	}
	err = store.Update(ctx, func(tx kv.Tx) error { return tx.Delete("engine", []byte("schema")) })
	return errors.Join(err, store.Close())
}
