package engine_test

import (
	"bytes"
	"errors"
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"ctxledger.dev/engine/upkeep"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/kv"
)

// check checks the closed ledger in dir.
func check(t *testing.T, dir string) upkeep.Checked {
	t.Helper()
	c, err := upkeep.Check(t.Context(), stored(dir))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestACheckOfAnOlderSchemaChangesNothing(t *testing.T) {
	dir := schema1(t)
	before, _ := records(t, dir)
	file := readFile(t, filepath.Join(dir, "ledger.db"))
	if c := check(t, dir); c.Total != 0 || c.Records < 500 || c.Blobs != 3 {
		t.Errorf("%+v", c)
	}
	if after, schema := records(t, dir); schema != "" || !maps.Equal(before, after) {
		t.Error("the check migrated the ledger")
	}
	if !bytes.Equal(file, readFile(t, filepath.Join(dir, "ledger.db"))) {
		t.Error("the check wrote to the file")
	}
}

// TestACheckNamesWhatIsWrong damages the records behind the back of the domains.
func TestACheckNamesWhatIsWrong(t *testing.T) {
	volume(t)
	for _, x := range []struct {
		name  string
		wrong func(kv.Tx) error
		where string
		what  string
	}{
		{"entry", func(tx kv.Tx) error {
			return tx.Delete("log", []byte("ab03de2c\x00\x00\x00\x00\x00\x00\x00\x00\x07"))
		}, "session ab03de2c, entry 7", "is missing"},
		{"session", func(tx kv.Tx) error { return tx.Delete("sessions", []byte("ab03de2c")) }, "session ab03de2c",
			"has a log but no record"},
		{"index", func(tx kv.Tx) error { return tx.Put("calls", []byte("ab03de2c\x00nobody"), make([]byte, 8)) },
			"index calls", "does not point where it should"},
		{"count", func(tx kv.Tx) error { return tx.Put("artifacts.counts", []byte("counts"), []byte(`{"live":7}`)) },
			"artifacts", "7 live"},
		{"event", func(tx kv.Tx) error { return tx.Delete("events", []byte{0, 0, 0, 0, 0, 0, 0, 2}) }, "events 2 to 2",
			"are missing"},
		{"original", func(tx kv.Tx) error { return rewrite(tx, "ab03de2c\x00\x00\x00\x00\x00\x00\x00\x00\x03") },
			"session ab03de2c, entry 3", "chain of the log is broken"},
	} {
		t.Run(x.name, func(t *testing.T) {
			dir := schema1(t)
			change(t, dir, x.wrong)
			c := check(t, dir)
			for _, f := range c.Damage {
				if f.Where == x.where && strings.Contains(f.What, x.what) {
					return
				}
			}
			t.Errorf("not found: %+v", c.Damage)
		})
	}
	dir := schema1(t)
	change(t, dir, func(tx kv.Tx) error { return tx.Put("engine", []byte("schema"), []byte("99")) })
	_, err := upkeep.Check(t.Context(), stored(dir))
	wantCode(t, err, fault.Unavailable)
	_, err = upkeep.Check(t.Context(), stored(t.TempDir()))
	wantCode(t, err, fault.NotFound)
}

// rewrite changes the last byte of an entry's original, checksums and all.
func rewrite(tx kv.Tx, key string) error {
	v, err := tx.Get("log", []byte(key))
	if err != nil {
		return err
	}
	v[len(v)-1] ^= 1
	return tx.Put("log", []byte(key), v)
}

// change changes the records of a closed ledger.
func change(t *testing.T, dir string, fn func(kv.Tx) error) {
	t.Helper()
	s, err := storeIn(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(s.Update(t.Context(), fn), s.Close()); err != nil {
		t.Fatal(err)
	}
}
