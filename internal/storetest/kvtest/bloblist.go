package kvtest

import (
	"bytes"
	"context"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/kv"
)

// blobList: every blob once, in order of hash, with what Size adds up; deleting while listing
// and breaking off are allowed.
func (s suite) blobList(t *testing.T) {
	st := s.fresh(t)
	ctx := context.Background()
	for _, err := range st.Blobs(ctx) {
		t.Errorf("an empty store lists a blob, error %v", err)
	}
	var hashes []string
	for i := range 150 {
		hashes = append(hashes, putBlob(t, st, []byte(strconv.Itoa(i))).Hash)
	}
	slices.Sort(hashes)
	var listed []string
	var disk int64
	for b, err := range st.Blobs(ctx) {
		if err != nil {
			t.Fatal(err)
		}
		listed, disk = append(listed, b.Hash), disk+b.Disk
		if b.Disk <= 0 || b.Modified.IsZero() {
			t.Errorf("%+v", b)
		}
	}
	size, err := st.Size(ctx)
	if !slices.Equal(listed, hashes) || err != nil || size.BlobCount != 150 || size.Blobs != disk {
		t.Errorf("%d blobs of %d bytes listed, size %+v, %v", len(listed), disk, size, err)
	}
	deleteListed(t, st, hashes)
	ended, cancel := context.WithCancel(ctx)
	cancel()
	for _, err := range st.Blobs(ended) {
		wantCode(t, err, fault.Unavailable)
	}
}

// deleteListed deletes every second blob while listing, and breaks off at the last but one.
func deleteListed(t *testing.T, st kv.Store, hashes []string) {
	t.Helper()
	n := 0
	for b, err := range st.Blobs(context.Background()) {
		if err != nil || b.Hash != hashes[n] {
			t.Fatalf("blob %d: %+v, %v", n, b, err)
		}
		if n++; n%2 == 0 {
			if err := st.DeleteBlob(context.Background(), b.Hash); err != nil {
				t.Fatal(err)
			}
		}
		if n == len(hashes)-1 {
			break
		}
	}
	left := 0
	for range st.Blobs(context.Background()) {
		left++
	}
	if want := len(hashes) - (len(hashes)-1)/2; left != want {
		t.Errorf("%d blobs are left, want %d", left, want)
	}
}

// blobRefreshed: content that is stored again counts as new from then on, so that a garbage
// collection leaves it to a record that is about to name it. It needs a backend that keeps a
// blob in a file of its name.
func (s suite) blobRefreshed(t *testing.T) {
	dir := t.TempDir()
	st := s.open(t, dir)
	defer func() { _ = st.Close() }() // what matters has been listed
	content := bytes.Repeat([]byte("again\n"), 50_000)
	ref := putBlob(t, st, content)
	path := findFile(t, dir, ref.Hash)
	if path == "" {
		t.Skip("this backend keeps blobs elsewhere")
	}
	first := modified(t, st, ref.Hash)
	old := first.Add(-3 * time.Hour)
	if err := os.Chtimes(path, old, old); err != nil {
		t.Fatal(err)
	}
	if got := modified(t, st, ref.Hash); got.Sub(old).Abs() > time.Second {
		t.Fatalf("modified %v, want %v", got, old)
	}
	putBlob(t, st, content)
	if got := modified(t, st, ref.Hash); got.Before(first) {
		t.Errorf("modified %v, stored again after %v", got, first)
	}
}

// modified returns the time of a blob in the list.
func modified(t *testing.T, st kv.Store, hash string) time.Time {
	t.Helper()
	for b, err := range st.Blobs(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		if b.Hash == hash {
			return b.Modified
		}
	}
	t.Fatalf("blob %s is not listed", hash)
	return time.Time{}
}
