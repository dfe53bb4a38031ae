package upkeep

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"ctxledger.dev/artifacts"
	"ctxledger.dev/engine/core"
	"ctxledger.dev/intents"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/failpoint"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/redact"
	"ctxledger.dev/internal/safefs"
	"ctxledger.dev/kv"
	"ctxledger.dev/kv/held"
	"ctxledger.dev/memory"
	"ctxledger.dev/sessions"
)

// migration is one step from the schema before to a newer one.
type migration struct {
	to   int
	what string // that it does, for docs/maintainers/format.md
	fn   func(*migrating) error
}

// migrating is the context of a step: the transaction of all steps, and a ledger that reads originals and masks.
type migrating struct {
	kv.Tx
	ctx context.Context //style:ok a step is one function in a table; ends the reading of blobs
	l   *core.Ledger
}

// migrations are all steps, in order. Steps are only ever added.
var migrations = []migration{
	{2, "builds the index of pending intents", func(m *migrating) error { return intents.IndexPending(m) }},
	{3, "takes secrets out of what was derived from messages", (*migrating).rederive},
	{4, "identifies by value the messages that hosts passed in", (*migrating).byValue},
	{5, "indexes the words of memories, and has those of messages and artifacts be indexed", (*migrating).words},
}

// newestSchema is what this program writes.
func newestSchema() int { return migrations[len(migrations)-1].to }

// Migrate brings the records of a store to the newest schema, and returns the redactor with the ledger's key. The copy of
// the file is complete before anything changes, and one transaction has all steps and the new schema number: after a
// crash at any instant the records have one schema or the other.
func Migrate(ctx context.Context, store kv.Store, state string, e env.Env) (*redact.Redactor, error) {
	at, used, key, err := schema(ctx, store)
	if err != nil {
		return nil, err
	}
	known := key != nil
	if !known {
		key = make([]byte, core.MaskKeySize)
		e.Random(key)
	}
	masks := redact.New(key)
	if known && at == newestSchema() {
		return masks, nil
	}
	if _, inFiles := store.(kv.Watched); inFiles && used && at < newestSchema() {
		if err := keepCopy(state, at); err != nil {
			return nil, fault.Wrap(fault.Unavailable, "engine.migrate", err)
		}
		failpoint.Hit("engine.migrate.copied")
	}
	return masks, store.Update(ctx, func(tx kv.Tx) error { return bringUp(ctx, store, tx, key) })
}

// bringUp runs the steps from the schema of the records to the newest one. A ledger without a masking key gets this
// one.
func bringUp(ctx context.Context, store kv.Store, tx kv.Tx, key []byte) error {
	at, err := schemaOf(tx)
	if err != nil {
		return err
	}
	if at > newestSchema() {
		return fault.New(fault.Unavailable, "engine.migrate",
			"the ledger has schema %d, but this program supports only schemas up to %d", at, newestSchema()).
			WithHint("upgrade ctxledger")
	}
	known, err := tx.Get(core.BucketMasks, []byte(core.MaskKey))
	if err == nil && known == nil {
		known, err = key, tx.Put(core.BucketMasks, []byte(core.MaskKey), key)
	}
	if err != nil || at == newestSchema() {
		return err
	}
	step := migrating{Tx: tx, ctx: ctx, l: core.ReadOnly(store, redact.New(known))}
	for _, m := range migrations {
		if m.to <= at {
			continue
		}
		if err := m.fn(&step); err != nil {
			return err
		}
	}
	failpoint.Hit("engine.migrate.applied")
	return tx.Put(core.BucketEngine, core.KeySchema, []byte(strconv.Itoa(newestSchema())))
}

// schema returns the schema of the records, whether anything was ever recorded, and the masking key; nil: there is none
// yet.
func schema(ctx context.Context, store kv.Store) (at int, used bool, key []byte, err error) {
	err = store.View(ctx, func(tx kv.Tx) error {
		if at, err = schemaOf(tx); err != nil {
			return err
		}
		event, err := core.NewestEvent(tx)
		used = event > 0
		if err == nil {
			key, err = tx.Get(core.BucketMasks, []byte(core.MaskKey))
		}
		return err
	})
	return at, used, key, err
}

func schemaOf(tx kv.Tx) (int, error) {
	raw, err := tx.Get(core.BucketEngine, core.KeySchema)
	if err != nil || raw == nil {
		return 1, err
	}
	n, err := strconv.Atoi(string(raw))
	if err != nil || n < 1 {
		return 0, fault.New(fault.Corrupt, "engine.migrate", "the ledger has the schema %.1000q", raw)
	}
	return n, nil
}

// keepCopy copies the file of records within its directory, for a return to the previous version of the program. It
// replaces the copy of an interrupted attempt: that version may have written since.
func keepCopy(state string, schema int) error {
	name := filepath.Join(state, copyPrefix+strconv.Itoa(schema))
	temp := name + ".partial"
	err := copyFile(filepath.Join(state, held.Ledger), temp)
	failpoint.Hit("engine.migrate.copying")
	if err == nil {
		err = os.Rename(temp, name)
	}
	if err == nil {
		err = safefs.SyncDir(state)
	}
	if err != nil {
		return fmt.Errorf("copy the records before migrating: %w", err)
	}
	return nil
}

// copyFile copies a file into a new private one and syncs it. Blocks of zeros, the larger part of a young file of
// records, stay holes.
func copyFile(from, to string) error {
	r, _, err := safefs.OpenListed(from)
	if err != nil {
		return err
	}
	defer r.Close() // opened for reading
	w, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	err = copySparse(w, r)
	if err == nil {
		err = w.Sync()
	}
	return errors.Join(err, w.Close())
}

// copySparse copies r to the beginning of an empty file.
func copySparse(w *os.File, r io.Reader) error {
	block, zeros := make([]byte, 64<<10), make([]byte, 64<<10)
	for size := int64(0); ; {
		n, err := io.ReadFull(r, block)
		if n > 0 && !bytes.Equal(block[:n], zeros[:n]) {
			if _, err := w.WriteAt(block[:n], size); err != nil {
				return err
			}
		}
		size += int64(n)
		switch {
		case err == io.EOF || err == io.ErrUnexpectedEOF:
			return w.Truncate(size)
		case err != nil:
			return err
		}
	}
}

// words has everything be found by its words.
func (m *migrating) words() error {
	return cmp.Or(memory.Index(m), sessions.IndexAgain(m), artifacts.IndexAgain(m))
}
