package daemon

import (
	"errors"
	"io"
)

// A blob on the wire is a sequence of frames with raw bytes, ended by an empty frame.

// sendStream copies r to w as a stream. Which side failed is told by the error: one of r comes
// back as a *sourceError. stop, asked before each frame, ends the copying early.
func sendStream(w io.Writer, r io.Reader, stop func() bool) error {
	buffer := make([]byte, chunk)
	for {
		n, err := io.ReadFull(r, buffer)
		if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			return &sourceError{err}
		}
		if stop() {
			return nil
		}
		if n > 0 {
			if err := sendChunk(w, buffer[:n]); err != nil {
				return err
			}
		}
		if err != nil {
			return sendChunk(w, nil)
		}
	}
}

// sendChunk sends one frame of a stream; an empty one ends it.
func sendChunk(w io.Writer, p []byte) error {
	frame, err := newFrame(p)
	if err != nil {
		return err
	}
	_, err = w.Write(frame)
	return err
}

// sourceError is a failure of what was to be sent, not of the connection.
type sourceError struct{ err error }

func (e *sourceError) Error() string { return e.err.Error() }
func (e *sourceError) Unwrap() error { return e.err }

// streamReader reads the bytes of a stream from a connection. It ends with io.EOF after the
// empty frame, and with io.ErrUnexpectedEOF when the connection ends before that.
type streamReader struct {
	r     io.Reader
	rest  []byte
	ended bool
}

func (s *streamReader) Read(p []byte) (int, error) {
	for len(s.rest) == 0 {
		if s.ended {
			return 0, io.EOF
		}
		frame, err := readFrame(s.r, chunk)
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return 0, err
		}
		s.rest, s.ended = frame, len(frame) == 0
	}
	n := copy(p, s.rest)
	s.rest = s.rest[n:]
	return n, nil
}
