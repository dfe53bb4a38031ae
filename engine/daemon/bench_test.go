package daemon

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"ctxledger.dev/engine/daemon/link"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/ledger"
)

// benchmarked opens a ledger owned by another process.
func benchmarked(b *testing.B) ledger.API {
	b.Helper()
	dir, err := os.MkdirTemp("", "cl")
	if err != nil {
		b.Fatal(err)
	}
	o := Options{State: filepath.Join(dir, "state"), Workspace: b.TempDir(), Env: env.System()}
	api, err := Open(b.Context(), o)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		_ = api.Close() // what matters is that the daemon goes
		if err := link.Stop(context.Background(), o.State); err != nil {
			b.Error(err)
		}
		if err := os.RemoveAll(dir); err != nil {
			b.Error(err)
		}
	})
	return api
}

func BenchmarkRead(b *testing.B) {
	api := benchmarked(b)
	if _, err := api.SaveMemory(b.Context(), fact("x")); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := api.Memory(b.Context(), ledger.MemoryRequest{Name: "x"}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkWriteByEight(b *testing.B) {
	api := benchmarked(b)
	var n atomic.Int64
	b.SetParallelism(8)
	b.RunParallel(func(p *testing.PB) {
		for p.Next() {
			if _, err := api.SaveMemory(b.Context(), fact(fmt.Sprint("fact-", n.Add(1)))); err != nil {
				b.Error(err)
			}
		}
	})
}

func BenchmarkReadBlob(b *testing.B) {
	api := benchmarked(b)
	content := noise(8 << 20)
	ref, err := api.PutBlob(b.Context(), bytes.NewReader(content))
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(ref.Size)
	for b.Loop() {
		r, err := api.ReadBlob(b.Context(), ledger.ReadBlobRequest{Hash: ref.Hash})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := bytes.NewBuffer(make([]byte, 0, len(content)+bytes.MinRead)).ReadFrom(r); err != nil {
			b.Fatal(err)
		}
		if err := r.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkFirstConnect is what a process waits that finds no daemon.
func BenchmarkFirstConnect(b *testing.B) {
	dir, err := os.MkdirTemp("", "cl")
	if err != nil {
		b.Fatal(err)
	}
	defer os.RemoveAll(dir)
	o := Options{State: filepath.Join(dir, "state"), Workspace: b.TempDir(), Env: env.System()}
	for b.Loop() {
		api, err := Open(b.Context(), o)
		if err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		_ = api.Close() // what matters is that the daemon goes
		if err := link.Stop(context.Background(), o.State); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
}
