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
	report func(kv.Problem)
	root   *os.Root
	file   *os.File
	size   int64  // of file
	stored *blobs // nil when there is no directory of blobs

	problems int64
}

// openOffline opens a ledger that exists. Errors: not_found, denied, invalid, unavailable.
func openOffline(ctx context.Context, dir string, report func(kv.Problem)) (*offline, error) {
	root, err := safefs.OpenRoot(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fault.New(fault.NotFound, "kv.check", "no directory %q", dir)
	}
	if err != nil {
		return nil, osError("kv.check", err)
	}
	v := &offline{ctx: ctx, report: report, root: root}
	if err := v.open(); err != nil {
		v.close()
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fault.New(fault.NotFound, "kv.check", "no ledger in %q", dir)
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
	r, err := v.stored.reader(&readerUntil{v.ctx, f}, size, hash)
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
	v.report(kv.Problem{Where: where, What: err.Error(), Code: fault.CodeOf(err)})
}

// readerUntil is a file that can be read until a context is done.
type readerUntil struct {
	ctx context.Context //style:ok an io.ReaderAt has no other way to be given one
	src io.ReaderAt
}

// ReadAt implements io.ReaderAt.
func (r *readerUntil) ReadAt(p []byte, off int64) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.src.ReadAt(p, off)
}
