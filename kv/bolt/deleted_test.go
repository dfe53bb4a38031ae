package bolt

import (
	"context"
	"io"
	"strings"
	"testing"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/kv"
)

// TestADeletedBlobIsNotRead, but by who has it open; one that is stored again is.
func TestADeletedBlobIsNotRead(t *testing.T) {
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
