package bolt

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/safefs"
	"ctxledger.dev/kv"
	"ctxledger.dev/kv/held"
	"ctxledger.dev/kv/internal/blobfile"
)

// offline reads the directory of a ledger for Check and Salvage: locked, read-only, and not trusted. It is
// for one goroutine.
type offline struct {
	ctx    context.Context
	watch  kv.Watch
	root   *os.Root
	file   *os.File
	size   int64  // of file
	stored *blobs // nil when there is no directory of blobs

	problems    int64
	done, total int64 // bytes, for the progress
}

// openOffline opens a ledger that exists. Errors: not_found, denied, invalid, unavailable.
func openOffline(ctx context.Context, dir string, w kv.Watch) (*offline, error) {
	root, err := safefs.OpenRoot(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fault.New(fault.NotFound, "kv.check", "there is no directory %q", dir)
	}
	if err != nil {
		return nil, osError("kv.check", err)
	}
	v := &offline{ctx: ctx, watch: w, root: root}
	if err := v.open(); err != nil {
		v.close()
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fault.New(fault.NotFound, "kv.check", "there is no ledger in %q", dir)
		}
		return nil, osError("kv.check", err)
	}
	return v, nil
}

// open takes the lock and opens the directory of blobs.
func (v *offline) open() error {
	f, info, err := openRegular(v.root, ledgerName, os.O_RDONLY)
	if err != nil {
		return err
	}
	v.file, v.size = f, info.Size()
	if err := takeLock(v.root, f, info, 0); err != nil {
		return err
	}
	if !held.Takes && held.Elsewhere(v.root) {
		return held.Locked()
	}
	codec, err := blobfile.NewCodec()
	if err != nil {
		return err
	}
	blobRoot, err := v.root.OpenRoot(blobsName + "/.")
	switch {
	case err == nil:
		v.stored = &blobs{root: blobRoot, codec: codec}
	case !errors.Is(err, fs.ErrNotExist):
		v.problem(blobsName, osError("kv.check", err))
	}
	return v.measure()
}

// measure computes how many bytes there are to read.
func (v *offline) measure() error {
	v.total = v.size
	if m, ok := bestMeta(v.file, v.size); ok {
		v.total = int64(m.pages) * m.pageSize // the file may be larger
	}
	if v.stored == nil {
		return nil
	}
	for b, err := range v.stored.each(v.ctx) {
		if err != nil {
			return err
		}
		v.total += b.Disk
	}
	return nil
}

// meta returns the best meta page of the file and reports a damaged one; ok is false when there is none.
func (v *offline) meta() (m metaPage, ok bool) {
	m, err := readMeta(v.file, v.size)
	if err != nil {
		v.problem(ledgerName, err)
		return bestMeta(v.file, v.size)
	}
	return m, true
}

// blob opens a stored blob, whose file the caller closes.
func (v *offline) blob(hash string) (*os.File, *blobfile.Reader, error) {
	f, size, err := v.stored.file(hash)
	if err != nil {
		return nil, nil, err
	}
	r, err := v.stored.reader(&metered{offline: v, src: f}, size, hash)
	return f, r, err
}

// close releases the lock.
func (v *offline) close() {
	if v.stored != nil {
		_ = v.stored.close() // only read from
	}
	if v.file != nil {
		_ = v.file.Close()
	}
	_ = v.root.Close()
}

// problem counts and reports a problem.
func (v *offline) problem(where string, err error) {
	v.problems++
	if v.watch.Problem != nil {
		v.watch.Problem(kv.Problem{Where: where, What: err.Error(), Code: fault.CodeOf(err)})
	}
}

// advance reports the progress, in bytes done.
func (v *offline) advance(done int64) {
	v.done = max(v.done, min(done, v.total))
	if v.watch.Progress != nil {
		v.watch.Progress(v.done, v.total)
	}
}

// metered is a file that reports its reads as progress, until the context is done.
type metered struct {
	*offline
	src io.ReaderAt
}

// ReadAt implements io.ReaderAt.
func (m *metered) ReadAt(p []byte, off int64) (int, error) {
	if err := m.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := m.src.ReadAt(p, off)
	m.advance(m.done + int64(n))
	return n, err
}
