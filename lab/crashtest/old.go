package crashtest

import (
	"context"
	"errors"

	"ctxledger.dev/kv"
	"ctxledger.dev/kv/bolt"
)

// makeOld turns a ledger without an owner back into one of the first schema, which lacks a record that the engine
// keeps.
func makeOld(ctx context.Context, state string) error {
	store, err := bolt.Open(state, bolt.Options{})
	if err != nil {
		return err
	}
	err = store.Update(ctx, func(tx kv.Tx) error { return tx.Delete("engine", []byte("schema")) })
	return errors.Join(err, store.Close())
}
