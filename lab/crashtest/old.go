package crashtest

import (
	"context"
	"errors"

	"ctxledger.dev/kv"
	"ctxledger.dev/kv/stores"
)

// makeOld turns a ledger without an owner back into one of the first schema, which lacks a record that the engine
// keeps.
func makeOld(ctx context.Context, state string) error {
	store, err := stores.All().Open("bolt:"+state, kv.Options{})
	if err != nil {
		return err
	}
	err = store.Update(ctx, func(tx kv.Tx) error { return tx.Delete("engine", []byte("schema")) })
	return errors.Join(err, store.Close())
}
