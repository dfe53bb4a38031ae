package bolt

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"ctxledger.dev/internal/failpoint"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/safefs"
	"ctxledger.dev/kv"
)

// Backend opens ledgers in directories: see kv.Backends.
type Backend struct{}

var _ kv.Files = Backend{}

// Open implements kv.Backend.
func (Backend) Open(dir string, o kv.Options) (kv.Store, error) {
	s, err := Open(dir, o)
	if err != nil {
		return nil, err
	}
	return s, nil
}

// Store is a ledger in a directory. It implements kv.Store.
type Store struct {
	opts  kv.Options
	dir   string // the state directory, absolute
	root  *os.Root
	blobs *blobs
	queue chan *call
	jobs  chan func()   // work for the writer between two commits
	wrote chan struct{} // closed when the writer has ended

	mu      sync.Mutex
	file    *ledgerFile    // the records; guarded by mu, changed by the writer alone
	swapped fs.FileInfo    // guarded by mu; see swap
	closed  bool           // guarded by mu
	calls   sync.WaitGroup // in-flight calls; added to only under mu while not closed
	end     sync.Once
	endErr  error // result of the one real Close

	failMu sync.Mutex
	failed error // why nothing is written any more; guarded by failMu
}

var (
	_ kv.Store     = (*Store)(nil)
	_ kv.Compacted = (*Store)(nil)
	_ kv.Watched   = (*Store)(nil)
)

// Open opens the ledger in the directory dir exclusively, and creates both if they do not exist. Errors:
// locked when another owner has it; unavailable when its format is newer or it cannot be reached;
// denied for permissions, another owner's files, links and network file systems; invalid when dir or the
// ledger has the wrong file type; corrupt for a damaged ledger.
func Open(dir string, o kv.Options) (*Store, error) {
	root, err := openStateDir(dir)
	if err != nil {
		return nil, err
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return nil, errors.Join(osError("kv.open", err), root.Close())
	}
	s := &Store{
		opts:  o,
		dir:   dir,
		root:  root,
		queue: make(chan *call, queueSize),
		jobs:  make(chan func()),
		wrote: make(chan struct{}),
	}
	if err := s.open(); err != nil {
		_ = root.Close() // the error that matters is err
		return nil, inDir(dir, err)
	}
	go s.write()
	return s, nil
}

// open fills s in. After an error nothing but the state directory is open.
func (s *Store) open() (err error) {
	if s.file, err = openLedger(s.root, s.opts.LockWait); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = s.file.db.Close() // nothing was written
		}
	}()
	if err := checkFormat(s.file.db); err != nil {
		return err
	}
	s.file.db.NoSync = s.file.db.NoSync || s.opts.Scratch
	failpoint.Hit("kv.open.mapped")
	_ = tightenTree(s.root, ".", openLevels) // Tighten does the rest; check reports what cannot be changed
	err = removeTemps(s.root, func(name string) bool { return strings.HasPrefix(name, tempPrefix) })
	if err != nil {
		return osError("kv.open", err)
	}
	if s.blobs, err = openBlobs(s.root); err == nil {
		s.blobs.scratch = s.opts.Scratch
	}
	return err
}

// removeTemps removes the temporary files that a crash left in a directory. Only the owner may call it.
func removeTemps(root *os.Root, isTemp func(name string) bool) error {
	names, err := readNames(root, ".")
	if err != nil {
		return err
	}
	for _, name := range names {
		if !isTemp(name) {
			continue
		}
		if err := root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// begin registers a call, which ends with s.calls.Done. Errors: unavailable.
func (s *Store) begin(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return fault.Wrap(fault.Unavailable, "kv", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return fault.New(fault.Unavailable, "kv", "the ledger is closed")
	}
	s.calls.Add(1)
	return nil
}

// View implements kv.Store.
func (s *Store) View(ctx context.Context, fn func(kv.Tx) error) error {
	if err := s.begin(ctx); err != nil {
		return err
	}
	defer s.calls.Done()
	l := s.acquire()
	defer s.release(l)
	return view(l.db, func(t *tx) error { return fn(t) })
}

// PutBlob implements kv.Store. An error of r is returned unchanged.
func (s *Store) PutBlob(ctx context.Context, r io.Reader, limit int64) (kv.BlobRef, error) {
	if err := s.begin(ctx); err != nil {
		return kv.BlobRef{}, err
	}
	defer s.calls.Done()
	ref, err := s.blobs.put(ctx, r, limit)
	if err == nil {
		err = s.CheckLocation()
	}
	return ref, err
}

// OpenBlob implements kv.Store. The blob may outlive the store.
func (s *Store) OpenBlob(ctx context.Context, hash string) (kv.Blob, error) {
	if err := s.begin(ctx); err != nil {
		return nil, err
	}
	defer s.calls.Done()
	b, err := s.blobs.open(hash)
	if err != nil {
		return nil, err
	}
	return b, nil
}

// DeleteBlob implements kv.Store.
func (s *Store) DeleteBlob(ctx context.Context, hash string) error {
	if err := s.begin(ctx); err != nil {
		return err
	}
	defer s.calls.Done()
	return s.blobs.delete(hash)
}

// Blobs implements kv.Store.
func (s *Store) Blobs(ctx context.Context) iter.Seq2[kv.StoredBlob, error] {
	return func(yield func(kv.StoredBlob, error) bool) {
		if err := s.begin(ctx); err != nil {
			yield(kv.StoredBlob{}, err)
			return
		}
		defer s.calls.Done()
		s.blobs.each(ctx)(yield)
	}
}

// Size implements kv.Store. It visits every blob file.
func (s *Store) Size(ctx context.Context) (kv.Size, error) {
	if err := s.begin(ctx); err != nil {
		return kv.Size{}, err
	}
	defer s.calls.Done()
	var size kv.Size
	for b, err := range s.blobs.each(ctx) {
		if err != nil {
			return kv.Size{}, err
		}
		size.Blobs += b.Disk
		size.BlobCount++
	}
	l := s.acquire()
	defer s.release(l)
	info, err := l.file.Stat()
	if err != nil {
		return kv.Size{}, osError("kv.size", err)
	}
	size.Records = safefs.OnDisk(info)
	return size, nil
}

// Close implements kv.Store. Queued updates are still committed. Calls that do not end within closeWait,
// perhaps because a disk or their input hangs, are abandoned: nothing more is written, and the ledger is
// free for the next owner. Close is idempotent. Errors: unavailable when calls were abandoned, or when the
// lock could not be released.
func (s *Store) Close() error {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.end.Do(func() {
		drained := make(chan struct{})
		go func() { s.calls.Wait(); close(drained) }()
		select {
		case <-drained:
			s.endErr = s.shut()
		case <-time.After(closeWait):
			s.endErr = s.releaseEarly()
			go func() { <-drained; _ = s.shut() }() // nothing has been written since
		}
	})
	return s.endErr
}

// shut ends the writer and closes everything. No call may be in flight.
func (s *Store) shut() (err error) {
	close(s.queue)
	<-s.wrote
	if s.stuck() {
		err = abandon(s.file.file) // bbolt would wait for ever for its own lock
	} else {
		err = s.file.db.Close()
	}
	return osError("kv.close", errors.Join(err, s.blobs.close(), s.root.Close()))
}
