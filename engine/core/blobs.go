package core

import (
	"context"
	"io"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/kv"
)

// HoldBlobs keeps unreferenced blobs from being deleted until release is called. A caller holds them from the time
// it stores a blob until the record that names the blob is committed.
func (l *Ledger) HoldBlobs() (release func()) {
	l.references.RLock()
	return l.references.RUnlock
}

// LockBlobs keeps blobs from being stored and referenced until unlock is called. A caller that deletes
// unreferenced blobs locks them.
func (l *Ledger) LockBlobs() (unlock func()) {
	l.references.Lock()
	return l.references.Unlock
}

// TrackBlobUse begins or, with nil, ends the noting of blobs that come into use. When it returns, every
// append that began before has been committed or given up.
func (l *Ledger) TrackBlobUse(seen map[string]bool) {
	l.references.Lock()
	defer l.references.Unlock()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.inUse = seen
}

// use notes that a blob is stored or named, in case garbage is being collected. The caller holds
// l.references for reading.
func (l *Ledger) use(hash string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.inUse != nil {
		l.inUse[hash] = true
	}
}

// BlobUsed reports whether a blob came into use since TrackBlobUse began.
func (l *Ledger) BlobUsed(hash string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.inUse[hash]
}

// storeBlob stores a blob. The caller holds l.references for reading when the content ends, and until it
// does not matter any more whether the blob is there.
func (l *Ledger) storeBlob(ctx context.Context, content io.Reader) (kv.BlobRef, error) {
	ref, err := l.Store.PutBlob(ctx, content, limits.Blob)
	if err == nil {
		l.use(ref.Hash)
	}
	return ref, err
}

// PutBlob implements ledger.Blobs. Garbage that is collected in this moment does not include the blob: whoever
// stored it has limits.CollectGrace to name it.
func (l *Ledger) PutBlob(ctx context.Context, content io.Reader) (kv.BlobRef, error) {
	end := &ending{Reader: content, then: l.references.RLock}
	ref, err := l.storeBlob(ctx, end)
	if end.seen {
		l.references.RUnlock()
	}
	return ref, err
}

// ending calls a function when a content has ended. It waits for a slow sender without a lock.
type ending struct {
	io.Reader
	then func()
	seen bool // whether it has been called
}

// Read implements io.Reader.
func (e *ending) Read(p []byte) (int, error) {
	n, err := e.Reader.Read(p)
	if err == io.EOF && !e.seen {
		e.seen = true
		e.then()
	}
	return n, err
}

// readBlob returns a whole blob, if it is not longer than limit.
func (l *Ledger) readBlob(ctx context.Context, hash string, limit int64) ([]byte, error) {
	b, err := l.Store.OpenBlob(ctx, hash)
	if err != nil {
		return nil, err
	}
	defer b.Close() // opened for reading
	return readWhole(b, limit)
}

func readWhole(b kv.Blob, limit int64) ([]byte, error) {
	ref := b.Ref()
	if ref.Size > limit {
		return nil, fault.New(fault.TooLarge, "engine.blob", "blob %.12s has %d bytes, more than %d", ref.Hash,
			ref.Size, limit)
	}
	return io.ReadAll(io.NewSectionReader(b, 0, ref.Size))
}
