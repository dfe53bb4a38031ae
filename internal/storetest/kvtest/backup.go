package kvtest

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"testing"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/kv"
)

// backup: an archive that is taken while the store is written to unpacks to a store at one
// point of its history, with every blob that its records name.
func (s suite) backup(t *testing.T) {
	st := s.fresh(t)
	ctx, stop := context.WithCancel(context.Background())
	var all sync.WaitGroup
	defer all.Wait()
	defer stop()
	started := make(chan struct{}, 1)
	all.Go(func() { pairsUntil(ctx, t, st, started) })
	<-started
	var whole, records bytes.Buffer
	if err := st.Backup(context.Background(), &whole, true); err != nil {
		t.Fatal(err)
	}
	if err := st.Backup(context.Background(), &records, false); err != nil {
		t.Fatal(err)
	}
	stop()
	s.wantPairs(t, unpack(t, &whole), true)
	s.wantPairs(t, unpack(t, &records), false)
}

// pairsUntil stores two records in each update, which name the same new blob, until ctx ends.
func pairsUntil(ctx context.Context, t *testing.T, st kv.Store, started chan<- struct{}) {
	for i := 0; ctx.Err() == nil; i++ {
		content := fmt.Sprintln("content", i)
		ref, err := st.PutBlob(context.Background(), bytes.NewReader([]byte(content)), 100)
		if err == nil {
			err = st.Update(context.Background(), func(tx kv.Tx) error {
				key := []byte(strconv.Itoa(i))
				return errors.Join(tx.Put("first", key, []byte(ref.Hash)), tx.Put("second", key, []byte(ref.Hash)))
			})
		}
		if err != nil {
			t.Errorf("pair %d: %v", i, err)
			return
		}
		if i == 20 {
			started <- struct{}{}
		}
	}
}

// wantPairs opens an unpacked archive and checks what pairsUntil has stored in it.
func (s suite) wantPairs(t *testing.T, dir string, blobs bool) {
	t.Helper()
	st := s.open(t, dir)
	defer func() { _ = st.Close() }() // only read from
	first, second := map[string]string{}, map[string]string{}
	err := st.View(context.Background(), func(tx kv.Tx) error {
		return errors.Join(collectRecords(tx, "first", first), collectRecords(tx, "second", second))
	})
	if err != nil || len(first) < 21 || len(first) != len(second) {
		t.Fatalf("%d and %d records, %v", len(first), len(second), err)
	}
	for key, hash := range first {
		if second[key] != hash {
			t.Errorf("record %s names %q and %q", key, hash, second[key])
		}
		b, err := st.OpenBlob(context.Background(), hash)
		if !blobs {
			wantCode(t, err, fault.NotFound)
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if text, err := readBlob(b); err != nil || string(text) != "content "+key+"\n" {
			t.Errorf("blob of record %s is %q, %v", key, text, err)
		}
		_ = b.Close() // only read from
	}
}

func collectRecords(tx kv.Tx, b kv.Bucket, into map[string]string) error {
	for rec, err := range tx.Scan(b, kv.Range{}) {
		if err != nil {
			return err
		}
		into[string(rec.Key)] = string(rec.Value)
	}
	return nil
}

// unpack writes an archive into a new directory. It expects that everything in it is private
// and names no user.
func unpack(t *testing.T, archive io.Reader) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "restored")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	var names []string
	r := tar.NewReader(archive)
	for {
		h, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, h.Name)
		mode := int64(0o600)
		if h.Typeflag == tar.TypeDir {
			mode = 0o700
		}
		if h.Mode != mode || h.Uname+h.Gname != "" || h.Uid+h.Gid != 0 || !filepath.IsLocal(h.Name) {
			t.Errorf("%q: mode %o, owner %q %q %d %d", h.Name, h.Mode, h.Uname, h.Gname, h.Uid, h.Gid)
		}
		unpackEntry(t, filepath.Join(dir, h.Name), h, r)
	}
	if len(names) == 0 || !slices.IsSorted(names[1:]) {
		t.Errorf("not in order: %q", names)
	}
	return dir
}

// unpackEntry writes one entry of an archive.
func unpackEntry(t *testing.T, path string, h *tar.Header, content io.Reader) {
	t.Helper()
	if h.Typeflag == tar.TypeDir {
		if err := os.Mkdir(path, h.FileInfo().Mode().Perm()); err != nil {
			t.Fatal(err)
		}
		return
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, h.FileInfo().Mode().Perm())
	if err != nil {
		t.Fatal(err)
	}
	_, err = io.Copy(f, content)
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
}

// backupFails: a writer's error comes back unchanged, an ended context ends it, and neither
// leaves anything behind.
func (s suite) backupFails(t *testing.T) {
	dir := t.TempDir()
	st := s.open(t, dir)
	defer func() { _ = st.Close() }() // what it holds is not looked at
	for i := range 50 {
		putBlob(t, st, bytes.Repeat([]byte{byte(i)}, 1000))
	}
	put(t, st, "a", "1")
	left := leftovers(t, dir, func() {
		for _, room := range []int{0, 700, 20_000} {
			if err := st.Backup(context.Background(), &narrow{room}, true); !errors.Is(err, errWanted) {
				t.Errorf("room for %d bytes: %v", room, err)
			}
		}
		ctx, cancel := context.WithCancel(context.Background())
		err := st.Backup(ctx, writerFunc(func(p []byte) (int, error) { cancel(); return len(p), nil }), true)
		wantCode(t, err, fault.Unavailable)
		wantCode(t, st.Backup(ctx, io.Discard, true), fault.Unavailable)
	})
	if len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

// narrow takes so many bytes and then fails.
type narrow struct{ room int }

// Write implements io.Writer.
func (n *narrow) Write(p []byte) (int, error) {
	if len(p) > n.room {
		return 0, errWanted
	}
	n.room -= len(p)
	return len(p), nil
}

// writerFunc is a writer made by a function.
type writerFunc func([]byte) (int, error)

// Write implements io.Writer.
func (f writerFunc) Write(p []byte) (int, error) { return f(p) }
