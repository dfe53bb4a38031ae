package blobfile

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"sort"
	"sync"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/kv"
)

// Reader reads a packed blob. It is safe for concurrent use and keeps one unpacked frame.
type Reader struct {
	codec *Codec
	src   io.ReaderAt
	foot  footer

	mu      sync.Mutex
	current int    // number of the unpacked frame, or -1; guarded by mu
	content []byte // of that frame; guarded by mu
	buffer  []byte // the memory of content; guarded by mu
	packed  []byte // scratch; guarded by mu
}

// Open returns a reader over the size bytes of src. It checks everything except the frames, which are
// checked when they are read. Errors: corrupt; unavailable when src cannot be read or a newer version
// wrote it.
func (c *Codec) Open(src io.ReaderAt, size int64) (*Reader, error) {
	foot, err := readFooter(src, size)
	if err != nil {
		return nil, err
	}
	return &Reader{codec: c, src: src, foot: foot, current: -1}, nil
}

// Ref returns the blob's name, size and number of lines.
func (r *Reader) Ref() kv.BlobRef { return r.foot.ref }

// ReadAt implements io.ReaderAt over the content. Errors: io.EOF beyond the end, invalid for
// a negative offset, corrupt, unavailable.
func (r *Reader) ReadAt(p []byte, off int64) (int, error) {
	if off < 0 {
		return 0, fault.New(fault.Invalid, "kv.blob", "offset %d is negative", off)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	done := 0
	for done < len(p) && off < r.foot.ref.Size {
		content, err := r.frame(int(off / FrameSize))
		if err != nil {
			return done, err
		}
		n := copy(p[done:], content[off%FrameSize:])
		done, off = done+n, off+int64(n)
	}
	if done < len(p) {
		return done, io.EOF
	}
	return done, nil
}

// LineOffset returns the byte offset at which line n (0-based) starts; n = Lines gives the
// size. Errors: invalid for a line outside [0, Lines], corrupt, unavailable.
func (r *Reader) LineOffset(n int64) (int64, error) {
	switch ref := r.foot.ref; {
	case n < 0 || n > ref.Lines:
		return 0, fault.New(fault.Invalid, "kv.blob", "line %d is outside the blob's %d lines", n, ref.Lines)
	case n == 0:
		return 0, nil
	case n == ref.Lines:
		return ref.Size, nil
	}
	// The n-th newline is in the last frame that has fewer than n newlines before it.
	i := sort.Search(len(r.foot.frames), func(i int) bool { return r.foot.frames[i].newlines >= n }) - 1
	r.mu.Lock()
	defer r.mu.Unlock()
	content, err := r.frame(i)
	if err != nil {
		return 0, err
	}
	at := 0
	for range n - r.foot.frames[i].newlines {
		next := bytes.IndexByte(content[at:], '\n')
		if next < 0 {
			return 0, corrupt("frame %d has fewer lines than the index says", i)
		}
		at += next + 1
	}
	return int64(i)*FrameSize + int64(at), nil
}

// Verify reads the whole blob and compares it with its name. Errors: corrupt, unavailable.
func (r *Reader) Verify() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	sum := sha256.New()
	for i := range r.foot.frames {
		content, err := r.frame(i)
		if err != nil {
			return err
		}
		sum.Write(content)
	}
	if got := hex.EncodeToString(sum.Sum(nil)); got != r.foot.ref.Hash {
		return corrupt("%s holds the content of %s", r.foot.ref.Hash, got)
	}
	return nil
}

// frame returns the content of frame i, valid until the next call; r.mu is held.
func (r *Reader) frame(i int) ([]byte, error) {
	if r.current == i {
		return r.content, nil
	}
	r.current = -1 // an error below leaves the buffer invalid
	end := r.foot.end
	if i+1 < len(r.foot.frames) {
		end = r.foot.frames[i+1].offset
	}
	if r.buffer == nil {
		r.buffer = make([]byte, min(FrameSize, r.foot.ref.Size))
		r.packed = make([]byte, frameHeader+len(r.buffer))
	}
	packed := r.packed[:end-r.foot.frames[i].offset] // footer.check bounds it
	if err := readAt(r.src, packed, r.foot.frames[i].offset); err != nil {
		return nil, err
	}
	content, err := r.codec.unpack(r.buffer, i, packed, r.foot.frames[i].size)
	if err != nil {
		return nil, err
	}
	r.current, r.content = i, content
	return content, nil
}
