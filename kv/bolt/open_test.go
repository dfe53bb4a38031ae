package bolt

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/kv"
)

// newLedger makes a closed ledger with one record and returns its directory and file.
func newLedger(t testing.TB) (dir, file string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "state")
	s := mustOpen(t, dir, kv.Options{})
	err := s.Update(context.Background(), func(tx kv.Tx) error {
		return tx.Put("entries", []byte("key"), []byte("value"))
	})
	if err = errors.Join(err, s.Close()); err != nil {
		t.Fatal(err)
	}
	return dir, filepath.Join(dir, ledgerName)
}

// must ends the test for an error of its own preparations.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestOpenRefuses: each bad state is a named error with a code, and never a panic.
func TestOpenRefuses(t *testing.T) {
	for _, c := range []struct {
		name    string
		prepare func(t *testing.T, dir, file string)
		code    fault.Code
		says    string
	}{
		{"empty file", func(t *testing.T, _, file string) { must(t, os.WriteFile(file, nil, 0o600)) },
			fault.Corrupt, "is empty"},
		{"one byte", func(t *testing.T, _, file string) { must(t, os.WriteFile(file, []byte("x"), 0o600)) },
			fault.Corrupt, "too short"},
		{"text file", func(t *testing.T, _, file string) {
			must(t, os.WriteFile(file, []byte(strings.Repeat("not a ledger\n", 5000)), 0o600))
		}, fault.Corrupt, "not a ledger file"},
		{"zeroes", func(t *testing.T, _, file string) { must(t, os.WriteFile(file, make([]byte, 1<<16), 0o600)) },
			fault.Corrupt, "not a ledger file"},
		{"garbage", func(t *testing.T, _, file string) {
			must(t, os.WriteFile(file, bytes.Repeat([]byte{0xed, 0xda, 0x0c, 0x13}, 1<<14), 0o600))
		}, fault.Corrupt, "not a ledger file"},
		{"cut off inside the pages",
			func(t *testing.T, _, file string) { must(t, os.Truncate(file, int64(3*os.Getpagesize()))) },
			fault.Corrupt, "cut off"},
		{"cut off inside the second meta page",
			func(t *testing.T, _, file string) { must(t, os.Truncate(file, int64(os.Getpagesize()+20))) },
			fault.Corrupt, "too short"},
		{"damaged first meta page", func(t *testing.T, _, file string) { flip(t, file, pageHeader+48) },
			fault.Corrupt, "meta page"},
		{"damaged second meta page",
			func(t *testing.T, _, file string) { flip(t, file, int64(os.Getpagesize()+pageHeader+48)) },
			fault.Corrupt, "meta page"},
		{"one meta page in both places", func(t *testing.T, _, file string) {
			raw, err := os.ReadFile(file)
			must(t, err)
			page := os.Getpagesize()
			copy(raw[:page], raw[page:2*page])
			must(t, os.WriteFile(file, raw, 0o600))
		}, fault.Corrupt, "are not consecutive"},
		{"page whose number of elements became zero", func(t *testing.T, _, file string) {
			edit(t, file, func(btx *bbolt.Tx) error { // a record too long for an inline bucket
				return btx.Bucket([]byte("entries")).Put([]byte("key"),
					kv.Seal("entries", []byte("key"), make([]byte, 2000)))
			})
			f, err := os.OpenFile(file, os.O_RDWR, 0)
			must(t, err)
			defer f.Close()
			_, err = f.WriteAt([]byte{0, 0}, bucketPage(t, file, "entries")*int64(os.Getpagesize())+10)
			must(t, err)
		}, fault.Corrupt, "without a count"},
		{"symbolic link that leads nowhere instead of the state directory", func(t *testing.T, dir, _ string) {
			must(t, errors.Join(os.RemoveAll(dir), os.Symlink("nowhere", dir)))
		}, fault.Invalid, "leads nowhere"},
		{"directory instead of the file", func(t *testing.T, _, file string) {
			must(t, errors.Join(os.Remove(file), os.Mkdir(file, 0o700)))
		}, fault.Invalid, "is a directory"},
		{"symbolic link", func(t *testing.T, _, file string) {
			must(t, errors.Join(os.Rename(file, file+".real"), os.Symlink(file+".real", file)))
		}, fault.Denied, "symbolic link"},
		{"dangling symbolic link", func(t *testing.T, _, file string) {
			must(t, errors.Join(os.Remove(file), os.Symlink("nowhere", file)))
		}, fault.Denied, "symbolic link"},
		{"symbolic link instead of the blobs", func(t *testing.T, dir, _ string) {
			must(t, errors.Join(os.Remove(filepath.Join(dir, blobsName)),
				os.Symlink(t.TempDir(), filepath.Join(dir, blobsName))))
		}, fault.Denied, "not a directory"},
		{"file instead of the state directory", func(t *testing.T, dir, _ string) {
			must(t, errors.Join(os.RemoveAll(dir), os.WriteFile(dir, nil, 0o600)))
		}, fault.Invalid, "not a directory"},
		{"file above the state directory", func(t *testing.T, dir, _ string) {
			parent := filepath.Dir(dir)
			must(t, errors.Join(os.RemoveAll(parent), os.WriteFile(parent, nil, 0o600)))
		}, "", ""},
		{"newer format", func(t *testing.T, _, file string) { setFormat(t, file, "2") }, fault.Unavailable,
			"format 2, but this program supports only formats up to 1"},
		{"unreadable format", func(t *testing.T, _, file string) { setFormat(t, file, "one") },
			fault.Corrupt, "format"},
		{"database of another program", func(t *testing.T, _, file string) {
			edit(t, file, func(btx *bbolt.Tx) error { return btx.DeleteBucket([]byte(metaBucket)) })
		}, fault.Corrupt, "another program"},
		{"rewritten with a free list", func(t *testing.T, _, file string) {
			db, err := bbolt.Open(file, 0o600, nil)
			must(t, err)
			must(t, db.Close())
		}, fault.Corrupt, "free list"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir, file := newLedger(t)
			c.prepare(t, dir, file)
			s, err := Open(dir, kv.Options{})
			if err == nil {
				must(t, s.Close())
				t.Fatal("opened")
			}
			if c.code != "" && fault.CodeOf(err) != c.code || !strings.Contains(err.Error(), c.says) {
				t.Errorf("code %s: %v", fault.CodeOf(err), err)
			}
			if c.code == fault.CodeOf(err) && fault.HintOf(err) == "" {
				t.Errorf("no way out: %v", err)
			}
			if fault.Is(err, fault.Locked) {
				t.Errorf("taken for locked: %v", err)
			}
		})
	}
	if _, err := Open("", kv.Options{}); !fault.Is(err, fault.Invalid) {
		t.Errorf("no name: %v", err)
	}
}

// flip changes one byte of a file.
func flip(t testing.TB, file string, at int64) {
	t.Helper()
	f, err := os.OpenFile(file, os.O_RDWR, 0)
	must(t, err)
	defer f.Close()
	var b [1]byte
	_, err = f.ReadAt(b[:], at)
	must(t, err)
	b[0] ^= 0x20
	_, err = f.WriteAt(b[:], at)
	must(t, err)
}

// edit changes a ledger behind the store's back.
func edit(t testing.TB, file string, fn func(*bbolt.Tx) error) {
	t.Helper()
	db, err := bbolt.Open(file, 0o600, &bbolt.Options{NoFreelistSync: true})
	must(t, err)
	must(t, errors.Join(db.Update(fn), db.Close()))
}

// bucketPage returns the page that a bucket starts with.
func bucketPage(t testing.TB, file, name string) (page int64) {
	edit(t, file, func(btx *bbolt.Tx) error {
		page = int64(btx.Bucket([]byte(name)).Root())
		return nil
	})
	return page
}

func setFormat(t testing.TB, file, value string) {
	edit(t, file, func(btx *bbolt.Tx) error {
		return btx.Bucket([]byte(metaBucket)).Put([]byte(formatKey),
			kv.Seal(metaBucket, []byte(formatKey), []byte(value)))
	})
}

// TestSecondOpenIsLocked: one owner at a time, in this process too; waiting gets the lock when
// the owner leaves.
func TestSecondOpenIsLocked(t *testing.T) {
	dir, _ := newLedger(t)
	s := mustOpen(t, dir, kv.Options{})
	for _, wait := range []time.Duration{0, 5 * time.Millisecond} {
		if _, err := Open(dir, kv.Options{LockWait: wait}); !fault.Is(err, fault.Locked) {
			t.Fatalf("wait %v: %v", wait, err)
		}
	}
	got := make(chan error)
	go func() {
		s2, err := Open(dir, kv.Options{LockWait: time.Minute})
		if err == nil {
			err = s2.Close()
		}
		got <- err
	}()
	must(t, s.Close())
	must(t, <-got)
}

// TestFailedOpenReleasesTheLock: a refused ledger can be opened once it is put right.
func TestFailedOpenReleasesTheLock(t *testing.T) {
	dir, file := newLedger(t)
	setFormat(t, file, "7")
	for range 2 {
		if _, err := Open(dir, kv.Options{}); !fault.Is(err, fault.Unavailable) || fault.Is(err, fault.Locked) {
			t.Fatal(err)
		}
	}
	setFormat(t, file, "1")
	must(t, mustOpen(t, dir, kv.Options{}).Close())
}

// TestManyStartAtOnce: however many create the same ledger at once, one owns it at a time, the
// others find it locked, and no half-made file stays behind.
func TestManyStartAtOnce(t *testing.T) {
	for range 20 {
		dir := filepath.Join(t.TempDir(), "a", "b")
		var all sync.WaitGroup
		var mu sync.Mutex
		var owners []*Store
		for range 8 {
			all.Go(func() {
				s, err := Open(dir, kv.Options{})
				if err != nil {
					if !fault.Is(err, fault.Locked) {
						t.Error(err)
					}
					return
				}
				mu.Lock()
				defer mu.Unlock()
				owners = append(owners, s)
			})
		}
		all.Wait()
		if len(owners) != 1 {
			t.Fatalf("%d owners", len(owners))
		}
		must(t, owners[0].Close())
		must(t, mustOpen(t, dir, kv.Options{}).Close())
		entries, err := os.ReadDir(dir)
		must(t, err)
		if len(entries) != 2 {
			t.Errorf("files %v", entries)
		}
	}
}

// TestLeftoversOfACrashAreRemoved: what a killed process left unfinished is not in the way.
func TestLeftoversOfACrashAreRemoved(t *testing.T) {
	dir := t.TempDir()
	must(t, os.Chmod(dir, 0o700))
	must(t, os.Mkdir(filepath.Join(dir, blobsName), 0o700))
	for _, name := range []string{tempPrefix + "0", blobsName + "/1" + tempSuffix} {
		must(t, os.WriteFile(filepath.Join(dir, name), []byte("half"), 0o600))
	}
	s := mustOpen(t, dir, kv.Options{})
	defer s.Close()
	if _, err := s.PutBlob(context.Background(), strings.NewReader("content"), 100); err != nil {
		t.Error(err)
	}
	for _, pattern := range []string{tempPrefix + "*", blobsName + "/*" + tempSuffix} {
		if left, _ := filepath.Glob(filepath.Join(dir, pattern)); len(left) > 0 {
			t.Errorf("left: %q", left)
		}
	}
}
