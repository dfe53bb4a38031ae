package bolt

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"ctxledger.dev/kv"
)

// BenchmarkUpdate stores 1 KB values, each durable before the next of its goroutine, through
// the store and through bbolt itself with the same options. ns/op is per value.
func BenchmarkUpdate(b *testing.B) {
	value := make([]byte, 1024)
	for _, n := range []int{1, 8, 64} {
		b.Run(fmt.Sprintf("store-%d", n), func(b *testing.B) {
			s := mustOpen(b, b.TempDir(), kv.Options{})
			defer s.Close()
			parallel(b, n, func(key []byte) error {
				return s.Update(context.Background(), func(tx kv.Tx) error { return tx.Put("entries", key, value) })
			})
		})
		for name, update := range map[string]func(*bbolt.DB, func(*bbolt.Tx) error) error{
			"bbolt-update": (*bbolt.DB).Update, "bbolt-batch": (*bbolt.DB).Batch,
		} {
			b.Run(fmt.Sprintf("%s-%d", name, n), func(b *testing.B) {
				db, err := bbolt.Open(filepath.Join(b.TempDir(), "db"), 0o600,
					&bbolt.Options{NoFreelistSync: true, FreelistType: bbolt.FreelistMapType,
						InitialMmapSize: initialMap})
				must(b, err)
				defer db.Close()
				parallel(b, n, func(key []byte) error {
					return update(db, func(tx *bbolt.Tx) error {
						bucket, err := tx.CreateBucketIfNotExists([]byte("entries"))
						if err != nil {
							return err
						}
						return bucket.Put(key, value)
					})
				})
			})
		}
	}
}

// parallel calls fn b.N times from n goroutines, with ascending keys, and reports percentiles.
func parallel(b *testing.B, n int, fn func(key []byte) error) {
	var next atomic.Int64
	var all sync.WaitGroup
	took := make([]time.Duration, b.N)
	b.SetBytes(1024)
	b.ResetTimer()
	for range n {
		all.Go(func() {
			for i := next.Add(1) - 1; i < int64(b.N); i = next.Add(1) - 1 {
				start := time.Now() //style:ok a benchmark measures the real clock
				if err := fn(binary.BigEndian.AppendUint64(nil, uint64(i))); err != nil {
					b.Error(err)
				}
				took[i] = time.Since(start)
			}
		})
	}
	all.Wait()
	b.StopTimer()
	slices.Sort(took)
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "puts/s")
	b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-µs")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-µs")
}

// BenchmarkGet reads 1 KB values, one transaction each.
func BenchmarkGet(b *testing.B) {
	s := mustOpen(b, b.TempDir(), kv.Options{})
	defer s.Close()
	fillStore(b, s, 100)
	i := 0
	for b.Loop() {
		key := binary.BigEndian.AppendUint64(nil, uint64(i%1000))
		must(b, s.View(context.Background(), func(tx kv.Tx) error { _, err := tx.Get("entries", key); return err }))
		i++
	}
}

// BenchmarkScan reads 1 000 values of 1 KB in one transaction.
func BenchmarkScan(b *testing.B) {
	s := mustOpen(b, b.TempDir(), kv.Options{})
	defer s.Close()
	fillStore(b, s, 1)
	b.SetBytes(1000 << 10)
	for b.Loop() {
		must(b, s.View(context.Background(), func(tx kv.Tx) error {
			for _, err := range tx.Scan("entries", kv.Range{}) {
				if err != nil {
					return err
				}
			}
			return nil
		}))
	}
}

// fillStore stores n times 1 000 values of 1 KB.
func fillStore(b *testing.B, s *Store, n int) {
	b.Helper()
	for i := range n {
		must(b, s.Update(context.Background(), func(tx kv.Tx) error {
			var errs error
			for j := range 1000 {
				errs = errors.Join(errs,
					tx.Put("entries", binary.BigEndian.AppendUint64(nil, uint64(i*1000+j)), make([]byte, 1024)))
			}
			return errs
		}))
	}
}

// BenchmarkOpen opens ledgers of several sizes; pages is the part that our own check takes.
func BenchmarkOpen(b *testing.B) {
	for _, thousands := range []int{0, 1, 100} { // of 1 KB records
		dir := b.TempDir()
		s := mustOpen(b, dir, kv.Options{})
		fillStore(b, s, thousands)
		must(b, s.Close())
		b.Run(fmt.Sprintf("%dMB", thousands), func(b *testing.B) {
			for b.Loop() {
				must(b, mustOpen(b, dir, kv.Options{}).Close())
			}
		})
	}
}

// BenchmarkPutBlob stores new blobs of 1 MB of text.
func BenchmarkPutBlob(b *testing.B) {
	s := mustOpen(b, b.TempDir(), kv.Options{})
	defer s.Close()
	text := strings.Repeat("a line of output that a tool printed, number 12345\n", 20_000)
	b.SetBytes(int64(len(text)))
	i := 0
	for b.Loop() {
		_, err := s.PutBlob(context.Background(), strings.NewReader(fmt.Sprint(i, text)), 2<<20)
		must(b, err)
		i++
	}
}

// BenchmarkCheckPages walks the pages of 100 MB, as every opening does: loaded in one go, and
// grown in random order.
func BenchmarkCheckPages(b *testing.B) {
	for name, key := range map[string]func(i uint64) uint64{
		"ascending": func(i uint64) uint64 { return i },
		"scattered": func(i uint64) uint64 { return i * 0x9E3779B97F4A7C15 },
	} {
		dir := b.TempDir()
		s := mustOpen(b, dir, kv.Options{})
		s.current().db.NoSync = true // only the layout matters
		for i := range uint64(100) {
			must(b, s.Update(context.Background(), func(tx kv.Tx) error {
				var errs error
				for j := range uint64(1000) {
					errs = errors.Join(errs,
						tx.Put("entries", binary.BigEndian.AppendUint64(nil, key(i*1000+j)), make([]byte, 1024)))
				}
				return errs
			}))
		}
		f := s.current().file
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				must(b, checkFile(f))
			}
		})
		must(b, s.Close())
	}
}

// BenchmarkMaintenance does to 100 MB of records what owners do now and then.
func BenchmarkMaintenance(b *testing.B) {
	dir, ctx := b.TempDir(), context.Background()
	s := mustOpen(b, dir, kv.Options{})
	fillStore(b, s, 100)
	for name, fn := range map[string]func() error{
		"vacuum": func() error { return s.Vacuum(ctx) },
		"backup": func() error { return s.Backup(ctx, io.Discard, true) },
		"check": func() error {
			must(b, s.Close())
			_, err := backend.Check(ctx, dir, ignored)
			s = mustOpen(b, dir, kv.Options{})
			return err
		},
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(100 << 20)
			for b.Loop() {
				must(b, fn())
			}
		})
	}
	must(b, s.Close())
}
