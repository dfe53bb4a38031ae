package bolt

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/kv"
)

// filled returns an open store with a hundred records of 1 KB in order.
func filled(t *testing.T) (s *Store, file string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "state")
	s = mustOpen(t, dir, kv.Options{})
	t.Cleanup(func() { must(t, s.Close()) })
	must(t, s.Update(context.Background(), func(tx kv.Tx) error {
		var errs error
		for i := range 100 {
			errs = errors.Join(errs,
				tx.Put("entries", fmt.Appendf(nil, "key%02d", i), bytes.Repeat([]byte{byte('a' + i%26)}, 1000)))
		}
		return errs
	}))
	return s, filepath.Join(dir, ledgerName)
}

func putOne(s *Store, value string) error {
	return s.Update(context.Background(), func(tx kv.Tx) error {
		return tx.Put("entries", []byte("one"), []byte(value))
	})
}

func getOne(t *testing.T, s *Store) (value string) {
	t.Helper()
	must(t, s.View(context.Background(), func(tx kv.Tx) error {
		v, err := tx.Get("entries", []byte("one"))
		value = string(v)
		return err
	}))
	return value
}

// TestViewOutlivesVacuum: where an open file can be replaced, a view holds up neither the vacuum
// nor what is written and read after it; the old file is closed with its last view.
func TestViewOutlivesVacuum(t *testing.T) {
	if !replacesOpen {
		t.Skip("here a vacuum waits for views")
	}
	s, _ := filled(t)
	must(t, putOne(s, "old"))
	before := s.current()
	must(t, s.View(context.Background(), func(tx kv.Tx) error {
		must(t, s.Vacuum(context.Background()))
		must(t, putOne(s, "new"))
		v, err := tx.Get("entries", []byte("one"))
		if string(v) != "old" || getOne(t, s) != "new" {
			t.Errorf("the old view reads %q, a new one %q", v, getOne(t, s))
		}
		select {
		case <-before.retired:
			t.Error("the file was closed under its view")
		default:
		}
		return err
	}))
	<-before.retired
	if _, err := before.file.Stat(); !errors.Is(err, os.ErrClosed) {
		t.Errorf("the old file is still open: %v", err)
	}
}

// TestVacuumWhereOpenFilesCannotBeReplaced takes the way of such a system: it waits for views as long as
// its caller does, and then either nothing or everything has happened.
func TestVacuumWhereOpenFilesCannotBeReplaced(t *testing.T) {
	s, file := filled(t)
	must(t, putOne(s, "old"))
	vacuum := func(ctx context.Context) error {
		done := make(chan error)
		s.jobs <- func() {
			name, next, err := copyLedger(context.Background(), s.root, s.current())
			if err == nil {
				err = s.replaceClosed(ctx, name, next)
			}
			done <- err
		}
		return <-done
	}
	before, err := os.Stat(file)
	must(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	must(t, s.View(context.Background(), func(kv.Tx) error {
		result := make(chan error)
		go func() { result <- vacuum(ctx) }()
		cancel()
		if err := <-result; !fault.Is(err, fault.Unavailable) || !errors.Is(err, context.Canceled) {
			t.Errorf("%v", err)
		}
		return putOne(s, "later")
	}))
	if now, err := os.Stat(file); err != nil || !os.SameFile(before, now) || getOne(t, s) != "later" {
		t.Errorf("%v, %q", err, getOne(t, s))
	}
	must(t, vacuum(context.Background()))
	if now, err := os.Stat(file); err != nil || os.SameFile(before, now) || getOne(t, s) != "later" {
		t.Errorf("%v, %q", err, getOne(t, s))
	}
	must(t, putOne(s, "last"))
	must(t, s.Close())
	s = mustOpen(t, filepath.Dir(file), kv.Options{})
	defer s.Close()
	if got := getOne(t, s); got != "last" {
		t.Errorf("%q", got)
	}
}

// TestVacuumAndBackupRefuseDamage: neither passes over a damaged record or page, and the store
// continues with what it has.
func TestVacuumAndBackupRefuseDamage(t *testing.T) {
	for _, c := range []struct {
		name string
		at   func(raw []byte, m metaPage) int64
	}{
		{"value", func(raw []byte, _ metaPage) int64 { return int64(bytes.Index(raw, []byte("key50")) + 100) }},
		{"key", func(raw []byte, _ metaPage) int64 { return int64(bytes.Index(raw, []byte("key50")) + 3) }},
		{"number of elements", func(raw []byte, m metaPage) int64 {
			return int64(bytes.Index(raw, []byte("key50")))/m.pageSize*m.pageSize + 10
		}},
		{"root page", func(_ []byte, m metaPage) int64 { return int64(m.root)*m.pageSize + 8 }},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, file := filled(t)
			raw, err := os.ReadFile(file)
			must(t, err)
			m, err := readMeta(bytes.NewReader(raw), int64(len(raw)))
			must(t, err)
			flip(t, file, c.at(raw, m))
			before, err := os.Stat(file)
			must(t, err)
			for what, err := range map[string]error{
				"vacuum": s.Vacuum(context.Background()),
				"backup": s.Backup(context.Background(), io.Discard, true),
			} {
				if !fault.Is(err, fault.Corrupt) {
					t.Errorf("%s: %v", what, err)
				}
			}
			after, err := os.Stat(file)
			must(t, err)
			left, err := os.ReadDir(filepath.Dir(file))
			if err != nil || len(left) != 2 || !os.SameFile(before, after) {
				t.Errorf("files %v, %v", left, err)
			}
			flip(t, file, c.at(raw, m))
			must(t, putOne(s, "value"))
			must(t, s.Vacuum(context.Background()))
		})
	}
}

// TestNoOtherProcessBecomesOwnerDuringVacuum: however often the file is replaced, every attempt to open
// the ledger finds it locked.
func TestNoOtherProcessBecomesOwnerDuringVacuum(t *testing.T) {
	s, file := filled(t)
	stop, tried := make(chan struct{}), make(chan int)
	go func() {
		for n := 0; ; n++ {
			if _, err := Open(filepath.Dir(file), kv.Options{}); !fault.Is(err, fault.Locked) {
				t.Errorf("attempt %d: %v", n, err)
			}
			select {
			case <-stop:
				tried <- n
				return
			default:
			}
		}
	}()
	for range 50 {
		must(t, s.Vacuum(context.Background()))
	}
	close(stop)
	t.Logf("%d attempts", <-tried)
}

// TestNothingIsWrittenWhenTheNewFileMayBeUnnamed: an acknowledgement would be lost if the old
// name came back after a power cut.
func TestNothingIsWrittenWhenTheNewFileMayBeUnnamed(t *testing.T) {
	s, _ := filled(t)
	if err := s.stop(os.ErrInvalid); !fault.Is(err, fault.Unavailable) || !errors.Is(err, os.ErrInvalid) {
		t.Errorf("%v", err)
	}
	for what, err := range map[string]error{"update": putOne(s, "x"), "vacuum": s.Vacuum(context.Background())} {
		if !fault.Is(err, fault.Unavailable) || fault.HintOf(err) == "" ||
			!strings.Contains(err.Error(), "stopped writing") {
			t.Errorf("%s: %v", what, err)
		}
	}
	if got := getOne(t, s); got != "" {
		t.Errorf("%q", got)
	}
}
