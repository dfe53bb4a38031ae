package kvtest

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/kv"
)

// vacuumForgets: a thousand deleted secrets are found in the raw files before, none after, and
// adjacent records are intact.
func (s suite) vacuumForgets(t *testing.T) {
	dir := t.TempDir()
	st := s.open(t, dir)
	secrets := storeSecrets(t, st, 1000)
	before, err := st.Size(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if rawHits(t, dir, secrets) == 0 {
		t.Skip("this backend keeps its records elsewhere")
	}
	if err := st.(kv.Compacted).Vacuum(context.Background()); err != nil {
		t.Fatal(err)
	}
	if n := rawHits(t, dir, secrets); n > 0 {
		t.Errorf("%d of %d deleted secrets are still in the files", n, len(secrets))
	}
	after, err := st.Size(context.Background())
	if err != nil || after.Records >= before.Records {
		t.Errorf("size %+v after %+v, %v", after, before, err)
	}
	for range 2 { // the store is the same one, and so is what is found later
		for i := range secrets {
			want(t, st, "kept"+strconv.Itoa(i), strconv.Itoa(i))
			wantNone(t, st, "secret"+strconv.Itoa(i))
		}
		put(t, st, "later", "value")
		if err := st.Close(); err != nil {
			t.Fatal(err)
		}
		st = s.open(t, dir)
	}
	if err := st.Close(); err != nil {
		t.Error(err)
	}
}

// storeSecrets stores n secrets between records that stay, and deletes them again.
func storeSecrets(t *testing.T, st kv.Store, n int) []string {
	t.Helper()
	rnd := rand.NewChaCha8([32]byte{3})
	secrets := make([]string, n)
	update(t, st, func(tx kv.Tx) error {
		var errs error
		for i := range secrets {
			var b [16]byte
			_, _ = rnd.Read(b[:]) // never fails
			secrets[i] = hex.EncodeToString(b[:])
			value := bytes.Repeat([]byte(secrets[i]), 1+i%100)
			errs = errors.Join(errs, tx.Put(bucket, []byte("secret"+strconv.Itoa(i)), value),
				tx.Put(bucket, []byte("kept"+strconv.Itoa(i)), []byte(strconv.Itoa(i))))
		}
		return errs
	})
	update(t, st, func(tx kv.Tx) error {
		var errs error
		for i := range secrets {
			errs = errors.Join(errs, tx.Delete(bucket, []byte("secret"+strconv.Itoa(i))))
		}
		return errs
	})
	return secrets
}

// rawHits counts the secrets that a file below dir holds, by their first half.
func rawHits(t *testing.T, dir string, secrets []string) (hits int) {
	t.Helper()
	const half = 16
	halves := map[string]bool{}
	for _, s := range secrets {
		halves[s[:half]] = true
	}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		raw, err := os.ReadFile(path)
		for i := range max(0, len(raw)-half+1) {
			if raw[i] != 0 && halves[string(raw[i:i+half])] { // most of a file may be zeroes
				delete(halves, string(raw[i:i+half]))
				hits++
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return hits
}

// vacuumInUse: eight goroutines write and read while the store is rewritten again and again.
func (s suite) vacuumInUse(t *testing.T) {
	const goroutines, rounds = 8, 20
	dir := t.TempDir()
	st := s.open(t, dir)
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	acked := make([]int, goroutines)
	var all, started sync.WaitGroup
	started.Add(goroutines)
	for g := range goroutines {
		all.Go(func() { acked[g] = appendUntil(ctx, t, st, g, started.Done) })
	}
	started.Wait()
	for i := range rounds {
		if err := st.(kv.Compacted).Vacuum(context.Background()); err != nil {
			t.Error(err)
		}
		put(t, st, "round", strconv.Itoa(i)) // the others get a turn
	}
	stop()
	all.Wait()
	for range 2 {
		for g, n := range acked {
			if n == 0 {
				t.Errorf("goroutine %d has written nothing", g)
			}
			wantRun(t, st, g, n)
		}
		if err := st.Close(); err != nil {
			t.Fatal(err)
		}
		st = s.open(t, dir)
	}
	if err := st.Close(); err != nil {
		t.Error(err)
	}
}

// appendUntil appends records of one writer until ctx ends, looking for the one before each
// time, and returns how many were acknowledged. It calls started after the first.
func appendUntil(ctx context.Context, t *testing.T, st kv.Store, g int, started func()) (n int) {
	once := sync.OnceFunc(started)
	defer once()
	for ; ctx.Err() == nil; n++ {
		err := st.Update(context.Background(), func(tx kv.Tx) error {
			return tx.Put(bucket, runKey(g, n), runKey(g, n))
		})
		if err == nil {
			err = st.View(context.Background(), func(tx kv.Tx) error { return checkRun(tx, g, n+1) })
		}
		if err != nil {
			t.Errorf("writer %d, record %d: %v", g, n, err)
			return n
		}
		once()
	}
	return n
}

func runKey(g, n int) []byte { return fmt.Appendf(nil, "%d/%06d", g, n) }

// checkRun expects that writer g has at least n records, without a gap, the last ten of which it
// reads.
func checkRun(tx kv.Tx, g, n int) error {
	i := max(0, n-10)
	for rec, err := range tx.Scan(bucket, kv.Range{Prefix: fmt.Appendf(nil, "%d/", g), From: runKey(g, i)}) {
		if err != nil {
			return err
		}
		if want := runKey(g, i); !bytes.Equal(rec.Key, want) || !bytes.Equal(rec.Value, want) {
			return fmt.Errorf("found %q = %q, want %q", rec.Key, rec.Value, want)
		}
		i++
	}
	if i < n {
		return fmt.Errorf("%d records, want %d", i, n)
	}
	return nil
}

// wantRun checks that writer g has exactly the records that were acknowledged.
func wantRun(t *testing.T, st kv.Store, g, n int) {
	t.Helper()
	i := 0
	err := st.View(context.Background(), func(tx kv.Tx) error {
		for rec, err := range tx.Scan(bucket, kv.Range{Prefix: fmt.Appendf(nil, "%d/", g)}) {
			if err != nil {
				return err
			}
			if !bytes.Equal(rec.Key, runKey(g, i)) || !bytes.Equal(rec.Value, rec.Key) {
				return fmt.Errorf("record %d is %q = %q", i, rec.Key, rec.Value)
			}
			i++
		}
		return nil
	})
	if err != nil || i != n {
		t.Errorf("writer %d has %d records (%v), acknowledged were %d", g, i, err, n)
	}
}

// vacuumKeepsViews: a view that began before sees its snapshot to its end, though the store is
// rewritten and written to meanwhile. It does not wait for that: a backend may have to let it end first.
func (s suite) vacuumKeepsViews(t *testing.T) {
	st := s.fresh(t)
	put(t, st, "a", "1")
	vacuumed := make(chan error, 1)
	err := st.View(context.Background(), func(tx kv.Tx) error {
		go func() {
			err := st.(kv.Compacted).Vacuum(context.Background())
			vacuumed <- errors.Join(err, st.Update(context.Background(), func(tx kv.Tx) error {
				return tx.Put(bucket, []byte("a"), []byte("2"))
			}))
		}()
		for range 1000 {
			if v, err := tx.Get(bucket, []byte("a")); err != nil || string(v) != "1" {
				return fmt.Errorf("%q, %w", v, err)
			}
		}
		return nil
	})
	if err := errors.Join(err, <-vacuumed); err != nil {
		t.Error(err)
	}
	want(t, st, "a", "2")
}

// vacuumDropped: a caller that gives up before its turn has changed nothing and blocks no other.
func (s suite) vacuumDropped(t *testing.T) {
	st := s.fresh(t)
	ctx, cancel := context.WithCancel(context.Background())
	release, wait := hold(st)
	result := make(chan error)
	go func() { result <- st.(kv.Compacted).Vacuum(ctx) }()
	cancel()
	err := <-result
	wantCode(t, err, fault.Unavailable)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v does not say why", err)
	}
	release()
	if err := wait(); err != nil {
		t.Fatal(err)
	}
	put(t, st, "a", "1")
	want(t, st, "a", "1")
}

// vacuumEmpty: nothing, an emptied bucket and a large value survive it too.
func (s suite) vacuumEmpty(t *testing.T) {
	dir := t.TempDir()
	st := s.open(t, dir)
	big := string(bytes.Repeat([]byte("v"), kv.MaxValue))
	for _, step := range []func(){
		func() {},
		func() {
			put(t, st, "a", "1")
			update(t, st, func(tx kv.Tx) error { return tx.Delete(bucket, []byte("a")) })
		},
		func() { put(t, st, "big", big) },
	} {
		step()
		if err := st.(kv.Compacted).Vacuum(context.Background()); err != nil {
			t.Fatal(err)
		}
		wantNone(t, st, "a")
		if err := st.Close(); err != nil {
			t.Fatal(err)
		}
		st = s.open(t, dir)
	}
	want(t, st, "big", big)
	if err := st.Close(); err != nil {
		t.Error(err)
	}
}
