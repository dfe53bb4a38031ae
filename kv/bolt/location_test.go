package bolt

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/kv"
)

// displacements are what can happen to a state directory under a live owner.
var displacements = []struct {
	name string
	do   func(state string) error
}{
	{"the directory removed", os.RemoveAll},
	{"the directory moved", func(state string) error { return os.Rename(state, state+".old") }},
	{"the directory replaced", func(state string) error {
		return errors.Join(os.Rename(state, state+".old"), os.CopyFS(state, os.DirFS(state+".old")))
	}},
	{"a directory above moved",
		func(state string) error { return os.Rename(filepath.Dir(state), filepath.Dir(state)+".old") }},
	{"the file removed", func(state string) error { return os.Remove(filepath.Join(state, ledgerName)) }},
	{"the file replaced", func(state string) error {
		return errors.Join(os.WriteFile(filepath.Join(state, "new"), nil, 0o600),
			os.Rename(filepath.Join(state, "new"), filepath.Join(state, ledgerName)))
	}},
	{"the blobs removed", func(state string) error { return os.RemoveAll(filepath.Join(state, blobsName)) }},
	{"the blobs replaced", func(state string) error {
		blobs := filepath.Join(state, blobsName)
		return errors.Join(os.Rename(blobs, blobs+".old"), os.Mkdir(blobs, 0o700))
	}},
}

// Once, what was stored after its directory was gone was acknowledged.
func TestNothingIsAcknowledgedThatIsNotInItsPlace(t *testing.T) {
	if !replacesOpen {
		t.Skip("open files cannot be moved here")
	}
	put := func(s *Store) error {
		return s.Update(t.Context(), func(tx kv.Tx) error { return tx.Put("b", []byte("k"), []byte("v")) })
	}
	blob := func(s *Store) error {
		_, err := s.PutBlob(t.Context(), strings.NewReader("content"), 100)
		return err
	}
	for _, d := range displacements {
		for what, store := range map[string]func(*Store) error{"a record": put, "a blob": blob} {
			t.Run(d.name+"/"+what, func(t *testing.T) {
				state := filepath.Join(t.TempDir(), "above", "state")
				s, err := Open(state, kv.Options{})
				if err != nil {
					t.Fatal(err)
				}
				if err := errors.Join(store(s), s.CheckLocation()); err != nil {
					t.Fatal(err)
				}
				if err := d.do(state); err != nil {
					t.Fatal(err)
				}
				if err := store(s); !fault.Is(err, fault.Unavailable) {
					t.Errorf("stored with %v", err)
				}
				if err := s.CheckLocation(); !fault.Is(err, fault.Moved) {
					t.Errorf("it is reported to be in its place: %v", err)
				}
				if err := put(s); !fault.Is(err, fault.Moved) {
					t.Errorf("a record afterwards: %v", err)
				}
				if err := s.Close(); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// A vacuum puts another file in place of the ledger, which is no displacement.
func TestAVacuumLeavesTheLedgerInItsPlace(t *testing.T) {
	s := mustOpen(t, t.TempDir(), kv.Options{})
	defer s.Close()
	if err := errors.Join(s.Vacuum(t.Context()), s.CheckLocation()); err != nil {
		t.Error(err)
	}
}

func BenchmarkCheckLocation(b *testing.B) {
	s, err := Open(b.TempDir(), kv.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	for b.Loop() {
		if err := s.CheckLocation(); err != nil {
			b.Fatal(err)
		}
	}
}
