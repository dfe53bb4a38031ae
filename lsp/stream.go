package lsp

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"

	"go.lsp.dev/jsonrpc2"
)

const (
	// firstPart is the initial buffer of a message in bytes: a text of a megabyte fits.
	firstPart = 3 << 19
	// growth is the factor by which a full buffer grows.
	growth = 4
	// keptFrame is how large a buffer for writing may be that stays, in bytes.
	keptFrame = 256 << 10
)

// stream reads and writes messages. It replaces the library's, which allocates any announced length. A malformed message
// is answered with an error, and reading resumes after it.
type stream struct {
	in    *bufio.Reader
	log   *slog.Logger
	ended func() // called at the end of input

	mu     sync.Mutex
	out    io.Writer // guarded by mu
	framed []byte    // guarded by mu; the buffer of the last message

	sanitize func(string) string // makes an error message safe to show: it may quote input
}

func newStream(in io.Reader, out io.Writer, log *slog.Logger, ended func(), sanitize func(string) string) *stream {
	return &stream{in: bufio.NewReaderSize(in, maxHeaderLine), log: log, ended: ended, out: out, sanitize: sanitize}
}

// Read implements jsonrpc2.Stream. Errors: those of reading, io.EOF at the end between messages.
func (s *stream) Read(ctx context.Context) (jsonrpc2.Message, int64, error) {
	for {
		h, body, err := s.frame(ctx)
		if err != nil {
			s.ended()
			return nil, 0, err
		}
		msg, refused := decode(body)
		if refused == nil && h.charset != "" {
			refused = &refusal{err: jsonrpc2.Errorf(jsonrpc2.ParseError,
				"a message encoded as %.1000q: it has to be UTF-8",
				h.charset)}
		}
		if refused == nil {
			return msg, int64(len(body)), ctx.Err()
		}
		s.refuse(ctx, *refused)
	}
}

// frame reads the next message with its header.
func (s *stream) frame(ctx context.Context) (header, []byte, error) {
	h, err := readHeader(s.in, header{})
	for {
		lost, ok := errors.AsType[errLost](err)
		if !ok {
			break
		}
		s.refuse(ctx, refusal{err: jsonrpc2.NewError(jsonrpc2.ParseError, lost.why)})
		h, err = findHeader(s.in, lost.line)
	}
	if err != nil {
		return h, nil, err
	}
	body, err := readBody(s.in, h.length)
	return h, body, err
}

// readBody reads a body. The buffer grows with the bytes received.
func readBody(in io.Reader, length int) ([]byte, error) {
	body := make([]byte, 0, min(length, firstPart))
	for len(body) < length {
		if len(body) == cap(body) {
			body = append(make([]byte, 0, min(length, growth*len(body))), body...)
		}
		n, err := io.ReadFull(in, body[len(body):cap(body)])
		body = body[:len(body)+n]
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return nil, err
		}
	}
	return body, nil
}

// refuse answers a malformed message.
func (s *stream) refuse(ctx context.Context, r refusal) {
	s.log.Warn("refused a message", "why", r.err.Message)
	if _, err := s.Write(ctx, jsonrpc2.NewResponse(r.id, nil, jsonrpc2.NewError(r.err.Code,
		s.sanitize(r.err.Message)))); err != nil {
		s.log.Warn("answering", "error", err.Error())
	}
}

// Write implements jsonrpc2.Stream. What is written is made in a buffer that stays, unless a message is very long.
func (s *stream) Write(_ context.Context, msg jsonrpc2.Message) (int64, error) {
	const header, room = "Content-Length: %d\r\n\r\n", 32
	s.mu.Lock()
	defer s.mu.Unlock()
	framed := jsonrpc2.AppendMessage(append(s.framed[:0], make([]byte, room)...), msg)
	if s.framed = nil; cap(framed) <= keptFrame {
		s.framed = framed
	}
	before := fmt.Appendf(make([]byte, 0, room), header, len(framed)-room)
	framed = framed[room-len(before):]
	copy(framed, before)
	n, err := s.out.Write(framed)
	return int64(n), err
}

// Close implements jsonrpc2.Stream. It closes nothing: the caller of Serve owns the reader and the writer.
func (s *stream) Close() error { return nil }
