package engine_test

import (
	"bytes"
	"context"
	"io"
	"runtime"
	"strings"
	"testing"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
)

// peak notes how much memory is in use while something is read.
type peak struct {
	io.Reader
	read, next int64
	most       uint64
}

func (p *peak) Read(b []byte) (int, error) {
	n, err := p.Reader.Read(b)
	if p.read += int64(n); p.read >= p.next {
		p.next = p.read + 16<<20
		p.most = max(p.most, inUse())
	}
	return n, err
}

func inUse() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// A session of any size is printed by its handle, in constant memory. Once, 64 MiB were the most.
func TestASessionOfAnySizeIsStreamed(t *testing.T) {
	volume(t)
	if testing.Short() {
		t.Skip("75 MiB, without goroutines to meet")
	}
	l := open(t)
	original := raw(`{"role":"user","content":"%s"}`, strings.Repeat("word ", 3<<20))
	ref, err := l.PutBlob(t.Context(), bytes.NewReader(original))
	if err != nil {
		t.Fatal(err)
	}
	e := message(original)
	e.Original, e.Blob = nil, ref.Hash
	resp, err := l.AppendEntries(t.Context(), batchOf([]sessions.NewEntry{e, e, e, e, e}...))
	if err != nil {
		t.Fatal(err)
	}
	want := append(original, '\n')
	const times = 5
	before := inUse()
	for _, offset := range []int64{0, 4*int64(len(want)) - 7, times * int64(len(want))} {
		rc, err := l.ReadBlob(t.Context(), ledger.ReadBlobRequest{Handle: resp.Session, Offset: offset})
		if err != nil {
			t.Fatal(err)
		}
		in := &peak{Reader: rc}
		got := make([]byte, len(want))
		for at := offset; at < times*int64(len(want)); {
			from := at % int64(len(want))
			part := want[from:]
			if _, err := io.ReadFull(in, got[:len(part)]); err != nil || !bytes.Equal(got[:len(part)], part) {
				t.Fatalf("at %d: %v", at, err)
			}
			at += int64(len(part))
		}
		if n, err := in.Read(got); n != 0 || err != io.EOF {
			t.Errorf("past the end: %d, %v", n, err)
		}
		if err := rc.Close(); err != nil {
			t.Error(err)
		}
		if grown := int64(in.most) - int64(before); grown > 32<<20 {
			t.Errorf("reading %d bytes took %d bytes of memory", in.read, grown)
		} else {
			t.Logf("from %d: %d MiB, at most %d KiB more memory than before", offset, in.read>>20, grown>>10)
		}
	}
	if _, err := l.ReadBlob(t.Context(),
		ledger.ReadBlobRequest{Handle: resp.Session,
			Offset: times*int64(len(want)) + 1}); !fault.Is(err, fault.Invalid) {
		t.Errorf("beyond the end: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	rc, err := l.ReadBlob(ctx, ledger.ReadBlobRequest{Handle: resp.Session})
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := io.Copy(io.Discard, rc); err == nil {
		t.Error("a caller that has gone is read to")
	}
	if err := rc.Close(); err != nil {
		t.Error(err)
	}
}
