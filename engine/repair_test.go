package engine_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ctxledger.dev/engine"
	"ctxledger.dev/engine/upkeep"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/storetest/inmemory"
	"ctxledger.dev/internal/testonly/cases"
	"ctxledger.dev/kv"
	"ctxledger.dev/ledger"
)

// repair repairs the closed ledger in dir into a new directory.
func repair(t *testing.T, dir string) (upkeep.Repaired, string, error) {
	t.Helper()
	into := filepath.Join(t.TempDir(), "into")
	r, err := upkeep.Repair(t.Context(), stored(dir), into)
	return r, into, err
}

// A store in no files has nothing that could be salvaged, and says so.
func TestARepairNeedsFiles(t *testing.T) {
	o := engine.Options{State: t.TempDir(), Env: env.System(), Stores: kv.Backends{"memory": inmemory.Backend{}}}
	o.Store = "memory:" + o.State
	_, err := upkeep.Repair(t.Context(), o, t.TempDir())
	if wantCode(t, err, fault.Invalid); fault.HintOf(err) == "" {
		t.Errorf("%v names no way out", err)
	}
}

func TestARepairKeepsWhatIsWhole(t *testing.T) {
	dir := schema1(t)
	before, _ := records(t, dir)
	r, into, err := repair(t, dir)
	if err != nil || r.Lost.Total != 0 || r.Total != 0 || r.Blobs != 3 {
		t.Fatalf("%+v, %v", r, err)
	}
	after, schema := records(t, into)
	for k, v := range withoutAliases(before) {
		if after[k] != v {
			t.Errorf("%q is another record", k)
		}
	}
	if schema != "5" || len(after) != len(before) {
		t.Errorf("schema %q, %d records of %d", schema, len(after), len(before))
	}
}

// TestARepairNamesWhatIsLost loses one entry of a log and what it says of a blob.
func TestARepairNamesWhatIsLost(t *testing.T) {
	dir := schema1(t)
	change(t, dir, func(tx kv.Tx) error {
		if err := tx.Delete("log", []byte("ab03de2c\x00\x00\x00\x00\x00\x00\x00\x00\x07")); err != nil {
			return err
		}
		return tx.Delete("intents", keyAfter(tx, "intents", "ab03de2c\x00"))
	})
	var biggest string
	size := int64(0)
	names, err := filepath.Glob(filepath.Join(dir, "blobs", "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		if info.Size() > size {
			biggest, size = name, info.Size()
		}
	}
	if err := os.Truncate(biggest, size/2); err != nil {
		t.Fatal(err)
	}
	r, into, err := repair(t, dir)
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, f := range r.Lost.Items {
		all.WriteString(f.Where + ": " + f.What + "\n")
	}
	for _, want := range []string{"session ab03de2c, entry 7: is missing", "session ab03de2c, intent of call ",
		"blob " + filepath.Base(biggest)} {
		if !strings.Contains(all.String(), want) {
			t.Errorf("%q is not among what is lost:\n%s", want, all.String())
		}
	}
	l, _ := openIn(t, into, "/home/dev/shop")
	entries := log(t, l, "ab03de2c")
	if e := entries[6]; !e.Lost || e.Forgotten == nil || e.Note == "" {
		t.Errorf("in the place of the lost entry: %+v", e)
	}
	render(t, l, "ab03de2c")
	hand(t, l, ledger.AppendMessagesRequest{Messages: say("it", "goes on")})
}

// keyAfter returns the first key that starts with a prefix.
func keyAfter(tx kv.Tx, b kv.Bucket, prefix string) []byte {
	for r := range tx.Scan(b, kv.Range{Prefix: []byte(prefix)}) {
		return r.Key
	}
	return nil
}

// TestRepairsOfRandomDamage changes bytes anywhere in the file of records: either nothing of it can be
// read and the error says so, or the result is sound and every view of it can be read.
func TestRepairsOfRandomDamage(t *testing.T) {
	golden := schema1(t)
	content := readFile(t, filepath.Join(golden, "ledger.db"))
	used := len(strings.TrimRight(string(content), "\x00"))
	repaired, seeds := 0, cases.Some(12)
	for seed := range uint64(seeds) {
		random := rand.New(rand.NewPCG(seed, 3))
		dir, damaged := copyState(t, golden), append([]byte(nil), content...)
		for range 1 + random.IntN(12) {
			damaged[random.IntN(used)] ^= byte(1 + random.IntN(255))
		}
		if random.IntN(3) == 0 { // a torn page as well
			at := random.IntN(used/4096) * 4096
			clear(damaged[at : at+4096])
		}
		if err := os.WriteFile(filepath.Join(dir, "ledger.db"), damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		_, into, err := repair(t, dir)
		if err != nil {
			if !fault.Is(err, fault.Corrupt) {
				t.Errorf("seed %d: %v", seed, err)
			}
			continue
		}
		repaired++
		readable(t, into)
	}
	if repaired < seeds/2 {
		t.Errorf("only %d of %d ledgers were repaired", repaired, seeds)
	}
}

// readable opens a ledger and renders all its views.
func readable(t *testing.T, dir string) {
	t.Helper()
	l, _ := openIn(t, dir, "/home/dev/shop")
	all, err := l.Sessions(t.Context(), ledger.SessionsRequest{})
	if err != nil {
		t.Error(err)
	}
	for _, s := range all.Sessions {
		if _, err := ledger.Messages(t.Context(), l, ledger.ViewRequest{Session: s.ID}); err != nil {
			t.Errorf("session %s: %v", s.ID, err)
		}
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
}
