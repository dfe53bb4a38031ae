package inmemory

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/gob"
	"encoding/hex"
	"io"
	"iter"
	"time"

	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/kv"
	"ctxledger.dev/kv/held"
)

// blobsName is the directory of blobs in an archive.
const blobsName = "blobs"

// content is a stored blob.
type content struct {
	Bytes []byte
	Ref   kv.BlobRef
	At    time.Time // when it was stored last
}

func newContent(raw []byte) content {
	sum, lines := sha256.Sum256(raw), int64(bytes.Count(raw, []byte{'\n'}))
	if len(raw) > 0 && raw[len(raw)-1] != '\n' {
		lines++
	}
	ref := kv.BlobRef{Hash: hex.EncodeToString(sum[:]), Size: int64(len(raw)), Lines: lines}
	return content{raw, ref, env.System().Now()}
}

// PutBlob implements kv.Store.
func (s *store) PutBlob(ctx context.Context, r io.Reader, limit int64) (kv.BlobRef, error) {
	const op = "kv.putblob"
	if err := s.begin(ctx); err != nil {
		return kv.BlobRef{}, err
	}
	defer s.calls.Done()
	if limit < 0 {
		return kv.BlobRef{}, fault.New(fault.Invalid, op, "the limit %d is negative", limit)
	}
	var raw bytes.Buffer
	_, err := io.Copy(&raw, io.LimitReader(&patient{ctx, r}, limit+1))
	if err == nil && int64(raw.Len()) > limit {
		err = fault.New(fault.TooLarge, op, "the content has more than %d bytes", limit)
	}
	if err != nil {
		return kv.BlobRef{}, err
	}
	b := newContent(raw.Bytes())
	s.mu.Lock()
	defer s.mu.Unlock()
	s.blobs[b.Ref.Hash] = b
	return b.Ref, nil
}

// patient reads until its context ends.
type patient struct {
	ctx context.Context //style:ok a reader has no other way to be given one
	r   io.Reader
}

// Read implements io.Reader.
func (p *patient) Read(b []byte) (int, error) {
	if err := p.ctx.Err(); err != nil {
		return 0, fault.Wrap(fault.Unavailable, "kv", err)
	}
	return p.r.Read(b)
}

// OpenBlob implements kv.Store.
func (s *store) OpenBlob(ctx context.Context, hash string) (kv.Blob, error) {
	if err := s.begin(ctx); err != nil {
		return nil, err
	}
	defer s.calls.Done()
	s.mu.Lock()
	defer s.mu.Unlock()
	b, ok := s.blobs[hash]
	if !ok {
		return nil, fault.New(fault.NotFound, "kv.openblob", "no blob %.100q", hash)
	}
	return blob{b}, nil
}

// blob implements kv.Blob.
type blob struct{ content }

// Ref implements kv.Blob.
func (b blob) Ref() kv.BlobRef { return b.content.Ref }

// Close implements io.Closer.
func (blob) Close() error { return nil }

// ReadAt implements io.ReaderAt.
func (b blob) ReadAt(p []byte, off int64) (int, error) {
	if off < 0 {
		return 0, fault.New(fault.Invalid, "kv.readblob", "the offset %d is negative", off)
	}
	n := copy(p, b.Bytes[min(off, int64(len(b.Bytes))):])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// LineOffset implements kv.Blob.
func (b blob) LineOffset(n int64) (int64, error) {
	if n < 0 || n > b.content.Ref.Lines {
		return 0, fault.New(fault.Invalid, "kv.lineoffset", "no line %d", n)
	}
	at := 0
	for range n {
		i := bytes.IndexByte(b.Bytes[at:], '\n')
		if i < 0 {
			return int64(len(b.Bytes)), nil
		}
		at += i + 1
	}
	return int64(at), nil
}

// DeleteBlob implements kv.Store.
func (s *store) DeleteBlob(ctx context.Context, hash string) error {
	if err := s.begin(ctx); err != nil {
		return err
	}
	defer s.calls.Done()
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.blobs, hash)
	return nil
}

// Blobs implements kv.Store.
func (s *store) Blobs(ctx context.Context) iter.Seq2[kv.StoredBlob, error] {
	return func(yield func(kv.StoredBlob, error) bool) {
		if err := s.begin(ctx); err != nil {
			yield(kv.StoredBlob{}, err)
			return
		}
		defer s.calls.Done()
		all := s.all()
		for _, hash := range s.hashes() {
			if b, ok := all[hash]; ok && !yield(b, nil) {
				return
			}
		}
	}
}

// Backup implements kv.Store.
func (s *store) Backup(ctx context.Context, w io.Writer, blobs bool) error {
	if err := s.begin(ctx); err != nil {
		return err
	}
	defer s.calls.Done()
	var records bytes.Buffer
	if err := gob.NewEncoder(&records).Encode(saved{Records: *s.records.Load()}); err != nil {
		return fault.Wrap(fault.Internal, "kv.backup", err)
	}
	t := tar.NewWriter(w)
	if err := write(ctx, t, held.Ledger, records.Bytes()); err != nil || !blobs {
		return closed(t, err)
	}
	err := t.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: blobsName + "/", Mode: 0o700})
	for _, hash := range s.hashes() {
		s.mu.Lock()
		b, ok := s.blobs[hash]
		s.mu.Unlock()
		if ok && err == nil {
			err = write(ctx, t, blobsName+"/"+hash, b.Bytes)
		}
	}
	return closed(t, err)
}

// write adds a file to an archive.
func write(ctx context.Context, t *tar.Writer, name string, raw []byte) error {
	h := &tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: 0o600, Size: int64(len(raw)), ModTime: env.System().Now()}
	if err := t.WriteHeader(h); err != nil {
		return err
	}
	_, err := io.Copy(t, &patient{ctx, bytes.NewReader(raw)})
	return err
}

// closed ends an archive, unless there was an error.
func closed(t *tar.Writer, err error) error {
	if err != nil {
		return err
	}
	return t.Close()
}
