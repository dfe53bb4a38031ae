package bolt

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"ctxledger.dev/kv"
)

func TestVacuumSmoke(t *testing.T) {
	dir := t.TempDir()
	s := mustOpen(t, dir, Options{})
	ctx := context.Background()
	for i := range 100 {
		must(t, s.Update(ctx, func(tx kv.Tx) error {
			return tx.Put("entries", fmt.Append(nil, i), bytes.Repeat([]byte("secret"), 1000))
		}))
	}
	must(t, s.Update(ctx, func(tx kv.Tx) error {
		for i := range 100 {
			if i > 0 {
				if err := tx.Delete("entries", fmt.Append(nil, i)); err != nil {
					return err
				}
			}
		}
		return nil
	}))
	b, _ := s.Size(ctx)
	must(t, s.Vacuum(ctx))
	a, _ := s.Size(ctx)
	t.Log(b, a)
	must(t, s.Update(ctx, func(tx kv.Tx) error { return tx.Put("entries", []byte("x"), nil) }))
	var buf bytes.Buffer
	must(t, s.Backup(ctx, &buf, true))
	t.Log(buf.Len())
	must(t, s.Close())
	e, _ := os.ReadDir(dir)
	t.Log(e)
	f, _ := os.ReadFile(filepath.Join(dir, ledgerName))
	t.Log(bytes.Count(f, []byte("secret")))
	must(t, mustOpen(t, dir, Options{}).Close())
}
