package bolt

import (
	"bytes"
	"context"
	"encoding/binary"
	"hash/fnv"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/kv"
)

// FuzzDamagedPagesNeverEndTheProcess patches a ledger in several places, with the checksums of
// its meta pages made right again: it opens or is refused as corrupt, and if it opens, then
// every read and an update end with a result or an error. Check says beforehand that something is
// wrong with what is refused or cannot be read.
func FuzzDamagedPagesNeverEndTheProcess(f *testing.F) {
	good := fuzzLedger(f)
	page := uint32(os.Getpagesize())
	for id := uint32(2); id < uint32(usedBytes(good))/page; id++ {
		for _, at := range []uint32{0, 8, 10, 12, 16, 20, 24, 28, 32} {
			f.Add(binary.BigEndian.AppendUint32(nil, (id*page+at)<<8|1))
			f.Add(binary.BigEndian.AppendUint32(nil, (id*page+at)<<8|0xff))
		}
	}
	dir := filepath.Join(f.TempDir(), "state")
	must(f, mustOpen(f, dir, kv.Options{}).Close())
	f.Fuzz(func(t *testing.T, patches []byte) {
		bad := bytes.Clone(good)
		for ; len(patches) >= 4; patches = patches[4:] { // three bytes of place, one of change
			p := binary.BigEndian.Uint32(patches)
			bad[int(p>>8)%len(bad)] ^= byte(p)
		}
		for _, meta := range []int{0, int(page)} {
			sum := fnv.New64a()
			_, _ = sum.Write(bad[meta+pageHeader : meta+pageHeader+56]) // a hash never fails
			binary.NativeEndian.PutUint64(bad[meta+pageHeader+56:], sum.Sum64())
		}
		must(t, os.WriteFile(filepath.Join(dir, ledgerName), bad, 0o600))
		checked, err := backend.Check(context.Background(), dir, ignored)
		must(t, err)
		s, err := Open(dir, kv.Options{})
		if err != nil {
			if checked.Problems == 0 {
				t.Fatalf("check finds nothing, open says %v", err)
			}
			if c := fault.CodeOf(err); c != fault.Corrupt && c != fault.Unavailable {
				t.Fatal(err)
			}
			return
		}
		_ = s.View(context.Background(), func(tx kv.Tx) error { // must end, may fail
			for _, err := range tx.Scan("entries", kv.Range{}) {
				if err != nil && checked.Problems == 0 {
					t.Fatalf("check finds nothing, scan says %v", err)
				}
			}
			for range tx.Scan("entries", kv.Range{Reverse: true}) {
			}
			_, err := tx.Get("small", []byte("k"))
			return err
		})
		_ = s.Update(context.Background(), func(tx kv.Tx) error { // must end, may fail
			_ = tx.Delete("entries", []byte("key7"))
			return tx.Put("entries", []byte("key5"), []byte("new"))
		})
		_ = s.Close() // must end, may fail
	})
}

// fuzzLedger returns a ledger file with a branch page, leaves, an inline bucket and a discarded
// transaction.
func fuzzLedger(t testing.TB) []byte {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "state")
	s := mustOpen(t, dir, kv.Options{})
	for round := range 2 {
		must(t, s.Update(context.Background(), func(tx kv.Tx) error {
			for i := range 12 {
				err := tx.Put("entries", []byte("key"+strconv.Itoa(i)), bytes.Repeat([]byte{byte(round)}, 1000))
				if err != nil {
					return err
				}
			}
			return tx.Put("small", []byte("k"), []byte("inline"))
		}))
	}
	must(t, s.Close())
	file, err := os.ReadFile(filepath.Join(dir, ledgerName))
	must(t, err)
	return file[:usedBytes(file)]
}
