package link

import (
	"errors"
	"io"
)

// A blob on the wire is a sequence of frames with raw bytes, ended by an empty frame.

// SendStream copies r to w as a stream. An error of r is returned as a *sourceError. stop is called
// before each frame and ends the copying early.
func SendStream(w io.Writer, r io.Reader, stop func() bool) error {
	buffer := make([]byte, Chunk)
	for {
		n, err := io.ReadFull(r, buffer)
		if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			return &SourceError{err}
		}
		if stop() {
			return nil
		}
		if n > 0 {
			if err := WriteFrame(w, buffer[:n]); err != nil {
				return err
			}
		}
		if err != nil {
			return WriteFrame(w, nil)
		}
	}
}

// SendBytes sends p as a stream.
func SendBytes(w io.Writer, p []byte) error {
	for len(p) > 0 {
		n := min(len(p), Chunk)
		if err := WriteFrame(w, p[:n]); err != nil {
			return err
		}
		p = p[n:]
	}
	return WriteFrame(w, nil)
}

// SourceError is an error of the reader whose content is sent, not of the connection.
type SourceError struct{ Err error }

func (e *SourceError) Error() string { return e.Err.Error() }
func (e *SourceError) Unwrap() error { return e.Err }

// StreamReader reads a stream from a connection: io.EOF after the empty frame, io.ErrUnexpectedEOF when
// the connection ends before that.
type StreamReader struct {
	r     io.Reader
	rest  []byte
	ended bool
}

// NewStreamReader returns a reader of the stream that follows in r.
func NewStreamReader(r io.Reader) *StreamReader { return &StreamReader{r: r} }

func (s *StreamReader) Read(p []byte) (int, error) {
	for len(s.rest) == 0 {
		if s.ended {
			return 0, io.EOF
		}
		frame, err := ReadFrame(s.r, Chunk)
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
