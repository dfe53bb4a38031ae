package blobfile

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/kv"
)

// Write packs the bytes of r, at most limit of them, into w and returns the blob's name, size and lines.
// After an error the content of w is incomplete. Errors: too_large, invalid for a negative limit, and
// those of r and w unchanged.
func (c *Codec) Write(w io.Writer, r io.Reader, limit int64) (kv.BlobRef, error) {
	if limit < 0 {
		return kv.BlobRef{}, fault.New(fault.Invalid, "kv.blob", "blob limit %d is negative", limit)
	}
	if _, err := w.Write(append([]byte(headerMagic), version)); err != nil {
		return kv.BlobRef{}, err
	}
	var (
		f       = footer{end: int64(headerSize)}
		content = make([]byte, FrameSize)
		packed  []byte
		sum     = sha256.New()
		last    = byte('\n') // of the content
	)
	for eof := false; !eof; {
		var n int
		var err error
		if n, eof, err = fill(r, content); err != nil {
			return kv.BlobRef{}, err
		}
		if int64(n) > limit-f.ref.Size {
			return kv.BlobRef{}, fault.New(fault.TooLarge, "kv.blob", "content exceeds the limit of %d bytes", limit)
		}
		if n == 0 {
			break
		}
		if len(f.frames) == maxFrames {
			return kv.BlobRef{}, fault.New(fault.TooLarge, "kv.blob",
				"content exceeds %d bytes, the largest blob", int64(maxFrames)*FrameSize)
		}
		packed = c.pack(packed, len(f.frames), content[:n])
		if _, err := w.Write(packed); err != nil {
			return kv.BlobRef{}, err
		}
		f.frames = append(f.frames, frame{offset: f.end, newlines: f.ref.Lines, size: n})
		f.end += int64(len(packed))
		f.ref.Size += int64(n)
		f.ref.Lines += int64(bytes.Count(content[:n], []byte{'\n'}))
		sum.Write(content[:n])
		last = content[n-1]
	}
	if last != '\n' {
		f.ref.Lines++
	}
	f.ref.Hash = hex.EncodeToString(sum.Sum(nil))
	_, err := w.Write(f.encode())
	return f.ref, err
}

// fill reads until p is full or r ends. Unlike io.ReadFull it distinguishes a reader's own
// io.ErrUnexpectedEOF from the end: a truncated body must not become a blob.
func fill(r io.Reader, p []byte) (n int, eof bool, err error) {
	for n < len(p) {
		m, err := r.Read(p[n:])
		n += m
		if err == io.EOF {
			return n, true, nil
		}
		if err != nil {
			return n, false, err
		}
	}
	return n, false, nil
}
