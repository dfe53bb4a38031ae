package bolt

import (
	"bufio"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"ctxledger.dev/internal/failpoint"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/safefs"
	"ctxledger.dev/kv"
	"ctxledger.dev/kv/internal/blobfile"
)

// blobs is the directory of blob files. Only the owner of the ledger uses it.
type blobs struct {
	root  *os.Root
	info  fs.FileInfo // which directory it is
	codec *blobfile.Codec
	temps atomic.Int64 // number of temporary files so far, for their names

	cache blobCache

	scratch bool             // do not sync
	durable [256]atomic.Bool // directories of blobs, by number, whose names are known to be on disk
}

// tempSuffix ends the names of blobs that are being written.
const tempSuffix = ".tmp"

// openBlobs opens the directory, makes it if need be and removes what a crash left unfinished.
func openBlobs(state *os.Root) (*blobs, error) {
	codec, err := blobfile.NewCodec()
	if err != nil {
		return nil, err
	}
	root, err := openDir(state, blobsName)
	if err != nil {
		return nil, osError("kv.open", err)
	}
	b := &blobs{root: root, codec: codec}
	if b.info, err = root.Stat("."); err == nil {
		err = removeTemps(root, func(name string) bool { return strings.HasSuffix(name, tempSuffix) })
	}
	if err != nil {
		_ = root.Close() // the error that matters is err
		return nil, osError("kv.open", err)
	}
	return b, nil
}

// openDir opens a private directory inside another one, making it if need be.
func openDir(parent *os.Root, name string) (*os.Root, error) {
	err := parent.Mkdir(name, dirMode)
	if err == nil {
		err = syncRoot(parent, ".")
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	info, err := parent.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, fault.New(fault.Denied, "kv.open", "%s is not a directory", name).
			WithHint("move it elsewhere")
	}
	d, err := safefs.OpenDirIn(parent, name)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	if err := tighten(d, info, dirMode); err != nil {
		return nil, err
	}
	return parent.OpenRoot(name + "/.")
}

func (b *blobs) close() error { return errors.Join(b.cache.close(), b.root.Close()) }

// place returns the directory and the path of a blob's file.
func place(hash string) (dir, path string) { return hash[:2], hash[:2] + "/" + hash }

// validHash reports whether hash can name a blob: nothing else may become part of a path.
func validHash(hash string) bool {
	raw, err := hex.DecodeString(hash)
	return err == nil && len(raw) == 32 && hash == strings.ToLower(hash)
}

// put stores the content of r. The file is complete and on disk before it gets its name.
func (b *blobs) put(ctx context.Context, r io.Reader, limit int64) (ref kv.BlobRef, err error) {
	temp := fmt.Sprintf("%d%s", b.temps.Add(1), tempSuffix)
	f, err := b.root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, fileMode)
	if err != nil {
		return kv.BlobRef{}, osError("kv.putblob", err)
	}
	failpoint.Hit("kv.blob.created")
	defer func() {
		_ = f.Close() // already closed on success
		if err != nil {
			_ = b.root.Remove(temp) // the next owner tries again
		}
	}()
	w := bufio.NewWriter(f)
	if ref, err = b.codec.Write(&diskWriter{w}, &ctxReader{ctx, r}, limit); err != nil {
		return kv.BlobRef{}, err
	}
	if b.intact(ref.Hash) {
		switch err := b.refresh(f, w, ref.Hash); {
		case err == nil:
			return ref, osError("kv.putblob", errors.Join(f.Close(), b.root.Remove(temp), b.sync(ref.Hash)))
		case !errors.Is(err, fs.ErrNotExist): // else it was deleted just now
			return kv.BlobRef{}, osError("kv.putblob", err)
		}
	}
	err = w.Flush()
	failpoint.Hit("kv.blob.written")
	if !b.scratch {
		err = errors.Join(err, f.Sync())
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return kv.BlobRef{}, osError("kv.putblob", err)
	}
	failpoint.Hit("kv.blob.synced")
	dir, path := place(ref.Hash)
	if err := b.root.Mkdir(dir, dirMode); err != nil && !errors.Is(err, fs.ErrExist) {
		return kv.BlobRef{}, osError("kv.putblob", err)
	}
	if err := b.root.Rename(temp, path); err != nil {
		return kv.BlobRef{}, osError("kv.putblob", err)
	}
	failpoint.Hit("kv.blob.renamed")
	err = errors.Join(b.cache.drop(ref.Hash), b.sync(ref.Hash))
	failpoint.Hit("kv.blob.named")
	return ref, osError("kv.putblob", err)
}

// intact reports whether a blob is already stored and undamaged.
func (b *blobs) intact(hash string) bool {
	r, f, err := b.openFile(hash)
	if err != nil {
		return false
	}
	defer f.Close() // opened only for reading
	return r.Verify() == nil
}

// refresh sets the time of a stored blob to that of the file that was just written with the same content,
// by the file system's clock. It protects the blob from garbage collection until a record references it.
// The time is not synced: after a power cut no record will.
func (b *blobs) refresh(f *os.File, w *bufio.Writer, hash string) error {
	if err := w.Flush(); err != nil {
		return err
	}
	info, err := f.Stat()
	if err != nil {
		return err
	}
	_, path := place(hash)
	return b.root.Chtimes(path, info.ModTime(), info.ModTime())
}

// sync makes the name of a blob durable, even if the blob existed before: the call that stored it may have
// failed here.
func (b *blobs) sync(hash string) error {
	if b.scratch {
		return nil
	}
	dir, _ := place(hash)
	if err := syncRoot(b.root, dir); err != nil {
		return err
	}
	n, err := strconv.ParseUint(dir, 16, 8)
	if err != nil || b.durable[n].Load() {
		return err
	}
	if err := syncRoot(b.root, "."); err != nil {
		return err
	}
	b.durable[n].Store(true)
	return nil
}

// blob is an open blob. It implements kv.Blob.
type blob struct {
	*blobfile.Reader
	cache  *blobCache
	of     *cachedBlob
	closed sync.Once
}

// Close implements kv.Blob. It is idempotent.
func (b *blob) Close() (err error) {
	b.closed.Do(func() { err = osError("kv.blob", b.cache.put(b.of)) })
	return err
}

// open opens a stored blob.
func (b *blobs) open(hash string) (*blob, error) {
	return b.cache.take(hash, func() (*blobfile.Reader, *os.File, error) { return b.openFile(hash) })
}

// openFile opens the file of a stored blob.
func (b *blobs) openFile(hash string) (*blobfile.Reader, *os.File, error) {
	f, size, err := b.file(hash)
	if err != nil {
		return nil, nil, err
	}
	r, err := b.reader(f, size, hash)
	if err != nil {
		_ = f.Close() // opened only for reading
		return nil, nil, err
	}
	return r, f, nil
}

// file opens the file of a blob.
func (b *blobs) file(hash string) (*os.File, int64, error) {
	if !validHash(hash) {
		return nil, 0, fault.New(fault.NotFound, "kv.openblob",
			"no blob %.1000q: a blob is named by 64 lower-case hex digits", hash)
	}
	_, path := place(hash)
	info, err := b.root.Lstat(path)
	var f *os.File
	if err == nil && info.Mode()&fs.ModeSymlink == 0 {
		f, info, err = safefs.OpenIn(b.root, path, os.O_RDONLY)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, 0, fault.New(fault.NotFound, "kv.openblob", "no blob %s", hash)
	case err == nil && f == nil, fault.Is(err, fault.Invalid):
		return nil, 0, fault.New(fault.Corrupt, "kv.openblob", "blob %s is not a plain file", hash)
	case err != nil:
		return nil, 0, osError("kv.openblob", err)
	}
	return f, info.Size(), nil
}

// reader reads the file of a blob, which must hold the blob of its name.
func (b *blobs) reader(src io.ReaderAt, size int64, hash string) (*blobfile.Reader, error) {
	r, err := b.codec.Open(src, size)
	if err == nil && r.Ref().Hash != hash {
		err = fault.New(fault.Corrupt, "kv.openblob", "the file of blob %s holds blob %s", hash, r.Ref().Hash)
	}
	return r, err
}

// delete removes a blob's file.
func (b *blobs) delete(hash string) error {
	if !validHash(hash) {
		return nil // no blob has that name
	}
	dir, path := place(hash)
	err := b.root.Remove(path)
	kept := b.cache.drop(hash)
	if errors.Is(err, fs.ErrNotExist) {
		return osError("kv.deleteblob", kept)
	}
	failpoint.Hit("kv.blob.removed")
	if err == nil {
		err = syncRoot(b.root, dir)
	}
	return osError("kv.deleteblob", errors.Join(err, kept))
}

// each yields the blob files in order of hash. It holds the names of one directory at a time.
func (b *blobs) each(ctx context.Context) iter.Seq2[kv.StoredBlob, error] {
	return func(yield func(kv.StoredBlob, error) bool) {
		err := b.walk(ctx, func(blob kv.StoredBlob) bool { return yield(blob, nil) })
		if err != nil {
			yield(kv.StoredBlob{}, osError("kv.blobs", err))
		}
	}
}

// walk calls yield for every blob file until it says false; then the error is nil.
func (b *blobs) walk(ctx context.Context, yield func(kv.StoredBlob) bool) error {
	dirs, err := readNames(b.root, ".")
	if err != nil {
		return err
	}
	slices.Sort(dirs)
	for _, dir := range dirs {
		if len(dir) != 2 {
			continue // a temporary file, which may be gone already
		}
		info, err := b.root.Lstat(dir)
		if err != nil {
			return err
		}
		if !info.IsDir() {
			continue
		}
		if more, err := b.walkDir(ctx, dir, yield); err != nil || !more {
			return err
		}
	}
	return nil
}

// walkDir calls yield for the blob files of one directory.
func (b *blobs) walkDir(ctx context.Context, dir string, yield func(kv.StoredBlob) bool) (more bool, err error) {
	names, err := readNames(b.root, dir)
	if err != nil {
		return false, err
	}
	slices.Sort(names)
	for _, hash := range names {
		if !validHash(hash) || !strings.HasPrefix(hash, dir) {
			continue
		}
		_, path := place(hash)
		info, err := b.root.Lstat(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue // deleted meanwhile
		}
		if err = errors.Join(err, ctx.Err()); err != nil {
			return false, err
		}
		if !yield(kv.StoredBlob{Hash: hash, Disk: info.Size(), Modified: info.ModTime()}) {
			return false, nil
		}
	}
	return true, nil
}

// readNames returns the names in a directory.
func readNames(root *os.Root, name string) ([]string, error) {
	d, err := safefs.OpenDirIn(root, name)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	return d.Readdirnames(-1)
}

// diskWriter turns errors of the disk into faults, to distinguish them from those of the caller's reader.
type diskWriter struct{ w io.Writer }

// Write implements io.Writer.
func (d *diskWriter) Write(p []byte) (int, error) {
	n, err := d.w.Write(p)
	return n, osError("kv.putblob", err)
}

// ctxReader ends a stream when its context is done.
type ctxReader struct {
	ctx context.Context
	r   io.Reader
}

// Read implements io.Reader.
func (c *ctxReader) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, fault.Wrap(fault.Unavailable, "kv", err)
	}
	return c.r.Read(p)
}
