package link

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
)

// frameHeader is the size of a frame's length field, in bytes: big endian, the length of the body.
const frameHeader = 4

// HelloFrame bounds a frame from a client that has not authenticated yet, in bytes.
const HelloFrame = 4 << 10

// Chunk is how many bytes of a blob one frame carries: few enough that cancelling is prompt.
const Chunk = 256 << 10

// newFrame returns body as a frame. too_large: it exceeds limits.Frame.
func newFrame(body []byte) ([]byte, error) {
	if len(body) > limits.Frame {
		return nil, tooLong(len(body), limits.Frame)
	}
	frame := make([]byte, frameHeader, frameHeader+len(body))
	binary.BigEndian.PutUint32(frame, uint32(len(body)))
	return append(frame, body...), nil
}

func tooLong(size, limit int) error {
	return fault.New(fault.TooLarge, "daemon.frame", "a message of %d bytes exceeds the limit of %d", size, limit)
}

// ReadFrame returns the body of the next frame, which may be empty. Errors: too_large for a frame
// above limit, before anything is allocated for it; io.EOF between frames; io.ErrUnexpectedEOF
// inside one.
func ReadFrame(r io.Reader, limit uint32) ([]byte, error) {
	var header [frameHeader]byte
	if _, err := io.ReadFull(r, header[:]); err != nil {
		return nil, err
	}
	n := binary.BigEndian.Uint32(header[:])
	if n > limit {
		return nil, tooLong(int(n), int(limit))
	}
	body := make([]byte, n)
	if _, err := io.ReadFull(r, body); err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return nil, err
	}
	return body, nil
}

// WriteJSON sends v as one frame.
func WriteJSON(w io.Writer, v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return fault.Wrap(fault.Internal, "daemon.encode", err)
	}
	return WriteFrame(w, body)
}

// WriteFrame sends body as one frame.
func WriteFrame(w io.Writer, body []byte) error {
	frame, err := newFrame(body)
	if err != nil {
		return err
	}
	_, err = w.Write(frame)
	return err
}

// ReadJSON receives one frame into v.
func ReadJSON(r io.Reader, limit uint32, v any) error {
	body, err := ReadFrame(r, limit)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(body, v); err != nil {
		return fault.Wrap(fault.Invalid, "daemon.decode", err)
	}
	return nil
}

// ReadAhead is the buffer size for reading calls, in bytes: a small message takes one system call.
const ReadAhead = 16 << 10
