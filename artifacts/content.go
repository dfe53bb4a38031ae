package artifacts

import (
	"bytes"
	"io"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/kv"
)

// Content is what Read reads: bytes at any offset, and where lines start.
type Content interface {
	io.ReaderAt
	// Size is the number of bytes.
	Size() int64
	// Lines is the number of lines: newlines, plus one for an unterminated last line.
	Lines() int64
	// LineOffset returns the byte offset at which line n (0-based) starts; n = Lines gives Size.
	// Errors: invalid for a line outside [0, Lines], corrupt.
	LineOffset(n int64) (int64, error)
}

// Blob returns the Content of an open blob. The caller keeps it open while it is read.
func Blob(b kv.Blob) Content { return blobContent{b} }

type blobContent struct{ kv.Blob }

func (b blobContent) Size() int64  { return b.Ref().Size }
func (b blobContent) Lines() int64 { return b.Ref().Lines }

// Text returns the Content of bytes in memory, which must not change afterwards.
func Text(b []byte) Content {
	t := textContent{Reader: bytes.NewReader(b), offsets: []int64{0}}
	for i := 0; i < len(b); {
		n := bytes.IndexByte(b[i:], '\n')
		if n < 0 {
			n = len(b) - i - 1
		}
		i += n + 1
		t.offsets = append(t.offsets, int64(i))
	}
	return t
}

type textContent struct {
	*bytes.Reader
	offsets []int64 // where each line starts, and the end
}

func (t textContent) Lines() int64 { return int64(len(t.offsets) - 1) }

func (t textContent) LineOffset(n int64) (int64, error) {
	if n < 0 || n > t.Lines() {
		return 0, fault.New(fault.Invalid, "artifacts.line", "line %d is outside 0-%d", n, t.Lines())
	}
	return t.offsets[n], nil
}

// readAt returns the bytes [from, to) of c.
func readAt(c Content, from, to int64) ([]byte, error) {
	p := make([]byte, to-from)
	return p, readFull(c, p, from)
}

// readFull fills p with the bytes of c from offset off on, which exist. Errors: corrupt.
func readFull(c Content, p []byte, off int64) error {
	n, err := c.ReadAt(p, off)
	if n == len(p) {
		return nil
	}
	if err == nil || err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	if fault.CodeOf(err) == fault.Internal {
		err = fault.Wrap(fault.Corrupt, opRead, err)
	}
	return err
}
