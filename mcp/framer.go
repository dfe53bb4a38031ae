package mcp

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync/atomic"
	"time"

	"ctxledger.dev/internal/jsonspan"
	"ctxledger.dev/internal/limits"
)

// drainWait is how long requests in flight may take after the end of input.
const drainWait = 10 * time.Second

// framer reads lines from the client and passes well-formed messages to the MCP library as its input. The library
// accepts lines of any length and other spellings of keys; neither is safe.
type framer struct {
	ctx  context.Context //style:ok io.Reader has no context parameter; ends the wait for answers
	in   *bufio.Reader
	wire *wire
	log  *slog.Logger
	// asking counts server requests that the client has not answered.
	asking *atomic.Int32

	rest   []byte // of the last accepted line
	ended  bool   // whether in has ended
	failed error  // of reading or writing, other than io.EOF
}

// Read implements io.Reader. At the end of input it first waits for requests in flight, because the library cancels
// them when it sees the end. Errors: those of reading, and of writing to the client.
func (f *framer) Read(p []byte) (int, error) {
	for len(f.rest) == 0 {
		if f.failed != nil {
			return 0, f.failed
		}
		if f.ended {
			ctx, cancel := context.WithTimeout(f.ctx, drainWait)
			defer cancel()
			f.wire.drain(ctx)
			return 0, io.EOF
		}
		f.failed = f.next()
	}
	n := copy(p, f.rest)
	f.rest = f.rest[n:]
	return n, nil
}

// next reads a line and keeps it if it is well-formed.
func (f *framer) next() error {
	line, seeker, err := f.line()
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	f.ended = err != nil
	if f.ended && len(line) == 0 && seeker == nil {
		return nil
	}
	return f.take(line, seeker)
}

// line returns the next line without its end. Of a line that is too long it returns the seeker, which has searched it
// for the id.
func (f *framer) line() ([]byte, *jsonspan.Seeker, error) {
	var kept []byte
	var long *jsonspan.Seeker
	for {
		part, err := f.in.ReadSlice('\n')
		switch {
		case long != nil:
			_, _ = long.Write(part)
		case len(kept)+len(part) > limits.MCPMessage+1: // with the line end
			long = newSeeker()
			_, _ = long.Write(kept)
			_, _ = long.Write(part)
			kept = nil
		default:
			kept = append(kept, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return bytes.TrimSuffix(bytes.TrimSuffix(kept, []byte("\n")), []byte("\r")), long, err
		}
	}
}

// take keeps a line for the library, or rejects it with an answer.
func (f *framer) take(line []byte, long *jsonspan.Seeker) error {
	if long != nil {
		return f.refuse(refusal{found(long), codeRequest, fmt.Sprintf(
			"the message is longer than %d MiB: hand in the conversation in parts with `since`, "+
				"or import its file with `ctxledger import`", limits.MCPMessage>>20)})
	}
	m, wrong := check(line)
	switch {
	case m.answer && f.asking.Load() > 0: // the library checks its own ids
	case wrong != nil && wrong.code == 0:
		f.log.Debug("line dropped", "method", m.method)
		return nil
	case wrong != nil:
		return f.refuse(*wrong)
	case m.id != nil && !f.wire.begin(m):
		return f.refuse(refusal{code: codeRequest, text: "the id belongs to a request that is not answered yet"})
	}
	f.rest = append(line, '\n')
	return nil
}

func (f *framer) refuse(r refusal) error {
	f.log.Warn("line refused", "code", r.code, "why", r.text)
	return f.wire.refuse(r)
}
