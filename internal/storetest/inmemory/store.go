// Package inmemory is a second store for tests: it shows that what is above kv needs no store in particular.
//
// Start at Backend. A store keeps everything in memory while it is open and writes it to its directory when it is closed:
// what a killed process had stored is gone, so it is for tests alone. It implements none of kv's optional interfaces.
package inmemory

import (
	"context"
	"encoding/gob"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/kv"
	"ctxledger.dev/kv/held"
)

// Backend opens the stores of this package, whose places are directories.
type Backend struct{}

// store implements kv.Store.
type store struct {
	o       kv.Options
	file    *os.File                          // which has the owner's lock, and the content while the store is closed
	records atomic.Pointer[map[kv.Bucket]set] // what views see; nothing in it is ever changed
	writer  chan struct{}                     // full while an update runs

	mu     sync.Mutex
	blobs  map[string]content // guarded by mu
	closed bool               // guarded by mu
	calls  sync.WaitGroup     // added to only under mu while not closed
}

// saved is the content of the file.
type saved struct {
	Records map[kv.Bucket]set
	Blobs   map[string]content
}

// Open implements kv.Backend.
func (Backend) Open(place string, o kv.Options) (kv.Store, error) {
	if err := os.MkdirAll(place, 0o700); err != nil {
		return nil, fault.Wrap(fault.Unavailable, "kv.open", err)
	}
	f, err := os.OpenFile(filepath.Join(place, held.Ledger), os.O_RDWR|os.O_CREATE, 0o600)
	if err == nil {
		err = held.Take(f, o.LockWait)
	}
	s := &store{o: o, file: f, blobs: map[string]content{}, writer: make(chan struct{}, 1)}
	if err == nil {
		err = s.load(filepath.Join(place, blobsName))
	}
	if err == nil {
		return s, nil
	}
	if f != nil {
		_ = f.Close() // nothing was written
	}
	if _, ok := errors.AsType[*fault.Error](err); !ok {
		err = fault.Wrap(fault.Corrupt, "kv.open", err)
	}
	return nil, err
}

// load reads what was saved, and the blobs that lie beside it where a backup was unpacked.
func (s *store) load(dir string) error {
	all := saved{map[kv.Bucket]set{}, s.blobs}
	if err := gob.NewDecoder(s.file).Decode(&all); err != nil && err != io.EOF {
		return err
	}
	s.records.Store(&all.Records)
	names, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, name := range names {
		raw, readErr := os.ReadFile(filepath.Join(dir, name.Name()))
		s.blobs[name.Name()] = newContent(raw)
		err = errors.Join(err, readErr)
	}
	return err
}

// Close implements kv.Store.
func (s *store) Close() error {
	s.mu.Lock()
	again := s.closed
	s.closed = true
	s.mu.Unlock()
	if again {
		return nil
	}
	s.calls.Wait()
	_, err := s.file.Seek(0, io.SeekStart)
	err = errors.Join(err, s.file.Truncate(0), gob.NewEncoder(s.file).Encode(saved{*s.records.Load(), s.blobs}))
	return fault.Wrap(fault.Unavailable, "kv.close", errors.Join(err, held.Release(s.file), s.file.Close()))
}

// begin registers a call, which ends with s.calls.Done.
func (s *store) begin(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return fault.New(fault.Unavailable, "kv", "the store is closed")
	}
	if err := ctx.Err(); err != nil {
		return fault.Wrap(fault.Unavailable, "kv", err)
	}
	s.calls.Add(1)
	return nil
}

// View implements kv.Store.
func (s *store) View(ctx context.Context, fn func(kv.Tx) error) error {
	if err := s.begin(ctx); err != nil {
		return err
	}
	defer s.calls.Done()
	t := &tx{records: *s.records.Load()}
	defer func() { t.over = true }()
	return fn(t)
}

// Update implements kv.Store. Functions run one after the other, so that none runs again for another's sake.
func (s *store) Update(ctx context.Context, fn func(kv.Tx) error) error {
	if err := s.begin(ctx); err != nil {
		return err
	}
	defer s.calls.Done()
	select {
	case s.writer <- struct{}{}:
	case <-ctx.Done():
		return fault.Wrap(fault.Unavailable, "kv.update", ctx.Err())
	}
	defer func() { <-s.writer }()
	if s.o.RunTwice {
		_, _ = s.run(fn) // the real run decides
	}
	records, err := s.run(fn)
	if err == nil {
		s.records.Store(&records)
	}
	return err
}

// run runs an update's function on a goroutine of its own, which it may end, and returns the records as it leaves them.
func (s *store) run(fn func(kv.Tx) error) (map[kv.Bucket]set, error) {
	t := &tx{records: maps.Clone(*s.records.Load()), own: map[kv.Bucket]bool{}}
	done := make(chan error, 1)
	go func() {
		err := error(fault.New(fault.Internal, "kv.update", "the function ended its goroutine"))
		defer func() {
			if v := recover(); v != nil {
				err = fault.New(fault.Internal, "kv.update", "panic in an update: %v", v)
			}
			done <- err
		}()
		err = fn(t)
	}()
	err := <-done
	t.over = true
	return t.records, err
}

// Size implements kv.Store.
func (s *store) Size(ctx context.Context) (kv.Size, error) {
	if err := s.begin(ctx); err != nil {
		return kv.Size{}, err
	}
	defer s.calls.Done()
	size := kv.Size{Records: 1} // nothing at all occupies something, too
	for _, records := range *s.records.Load() {
		for _, r := range records {
			size.Records += int64(len(r.Key) + len(r.Value))
		}
	}
	for b := range maps.Values(s.all()) {
		size.Blobs += b.Disk
		size.BlobCount++
	}
	return size, nil
}

// all returns the blobs that there are, as they are listed.
func (s *store) all() map[string]kv.StoredBlob {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := map[string]kv.StoredBlob{}
	for hash, b := range s.blobs {
		out[hash] = kv.StoredBlob{Hash: hash, Disk: int64(len(b.Bytes)) + 1, Modified: b.At}
	}
	return out
}

// hashes returns the names of the blobs in order.
func (s *store) hashes() []string { return slices.Sorted(maps.Keys(s.all())) }
