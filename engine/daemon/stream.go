package daemon

import (
	"errors"
	"io"
)

// A blob on the wire is a sequence of frames with raw bytes, ended by an empty frame.

// sendStream copies r to w as a stream. An error of r is returned as a *sourceError. stop is called
// before each frame and ends the copying early.
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
			if err := writeFrame(w, buffer[:n]); err != nil {
				return err
			}
		}
		if err != nil {
			return writeFrame(w, nil)
		}
	}
}

// sendBytes sends p as a stream.
func sendBytes(w io.Writer, p []byte) error {
	for len(p) > 0 {
		n := min(len(p), chunk)
		if err := writeFrame(w, p[:n]); err != nil {
			return err
		}
		p = p[n:]
	}
	return writeFrame(w, nil)
}

// sourceError is an error of the reader whose content is sent, not of the connection.
type sourceError struct{ err error }

func (e *sourceError) Error() string { return e.err.Error() }
func (e *sourceError) Unwrap() error { return e.err }

// streamReader reads a stream from a connection: io.EOF after the empty frame, io.ErrUnexpectedEOF when
// the connection ends before that.
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
