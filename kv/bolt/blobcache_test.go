package bolt

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"testing"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/kv"
	"ctxledger.dev/kv/internal/blobfile"
)

// TestADeletedBlobIsNotReadFromTheCache: deletion also removes a cached blob, and one that is stored again
// is opened again.
func TestADeletedBlobIsNotReadFromTheCache(t *testing.T) {
	s := mustOpen(t, t.TempDir(), kv.Options{})
	defer s.Close()
	ctx := context.Background()
	ref, err := s.PutBlob(ctx, strings.NewReader("content"), 100)
	must(t, err)
	read := func() string {
		b, err := s.OpenBlob(ctx, ref.Hash)
		must(t, err)
		defer b.Close()
		all, err := io.ReadAll(io.NewSectionReader(b, 0, ref.Size))
		must(t, err)
		return string(all)
	}
	read()
	held, err := s.OpenBlob(ctx, ref.Hash)
	must(t, err)
	must(t, s.DeleteBlob(ctx, ref.Hash))
	if _, err := s.OpenBlob(ctx, ref.Hash); !fault.Is(err, fault.NotFound) {
		t.Errorf("after its deletion: %v", err)
	}
	if all, err := io.ReadAll(io.NewSectionReader(held, 0, ref.Size)); string(all) != "content" || err != nil {
		t.Errorf("who was reading got %q, %v", all, err)
	}
	must(t, held.Close())
	must(t, held.Close())
	_, err = s.PutBlob(ctx, strings.NewReader("content"), 100)
	must(t, err)
	if got := read(); got != "content" {
		t.Errorf("stored again: %q", got)
	}
}

// TestTheBlobCacheIsBounded: many readers of many blobs leave no more open than the cache holds.
func TestTheBlobCacheIsBounded(t *testing.T) {
	s := mustOpen(t, t.TempDir(), kv.Options{})
	ctx := context.Background()
	var hashes []string
	for i := range 3 * blobCacheSize {
		ref, err := s.PutBlob(ctx, strings.NewReader(fmt.Sprint(i)), 100)
		must(t, err)
		hashes = append(hashes, ref.Hash)
	}
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			for range 20 {
				for i, hash := range hashes {
					b, err := s.OpenBlob(ctx, hash)
					if err != nil {
						t.Error(err)
						return
					}
					p := make([]byte, len(fmt.Sprint(i)))
					if _, err := b.ReadAt(p, 0); err != nil || string(p) != fmt.Sprint(i) {
						t.Errorf("blob %d: %q, %v", i, p, err)
					}
					_ = b.Close()
				}
			}
		})
	}
	readers.Wait()
	if n := len(s.blobs.cache.open); n > blobCacheSize || n != len(s.blobs.cache.idle) {
		t.Errorf("%d blobs are open, %d idle", n, len(s.blobs.cache.idle))
	}
	must(t, s.Close())
	if n := len(s.blobs.cache.open); n != 0 {
		t.Errorf("%d blobs are open after Close", n)
	}
}

// TestABlobThatIsBeingOpenedHoldsNoOther, and one that is deleted meanwhile is not kept.
func TestABlobThatIsBeingOpenedHoldsNoOther(t *testing.T) {
	var c blobCache
	file := func() (*blobfile.Reader, *os.File, error) {
		f, err := os.Open(os.DevNull)
		return nil, f, err
	}
	b, err := c.take("slow", func() (*blobfile.Reader, *os.File, error) {
		other, err := c.take("other", file)
		must(t, err)
		must(t, other.Close())
		must(t, c.drop("slow"))
		return file()
	})
	must(t, err)
	must(t, b.Close())
	if len(c.open) != 1 || c.open["other"] == nil {
		t.Errorf("open: %v", c.open)
	}
	must(t, c.close())
}
