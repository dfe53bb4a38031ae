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

// drainWait is how long requests under way may take after the end of input.
const drainWait = 10 * time.Second

// framer reads lines from the client and is the input of the MCP library: it gives it those that are
// well-formed messages. The library reads lines of any length and forgives spellings; neither is safe.
type framer struct {
	ctx  context.Context //style:ok a reader has no parameter to take it from; ends the waiting at the end
	in   *bufio.Reader
	wire *wire
	log  *slog.Logger
	// asking counts the requests of the server that the client has not answered yet.
	asking *atomic.Int32

	rest   []byte // of the line that passed last
	ended  bool   // whether in has
	failed error  // of reading or writing, other than io.EOF
}

// Read implements io.Reader. At the end of input it first waits for the answers under way, because the
// library cancels them when it sees the end. Errors: those of reading, and of writing to the client.
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

// next reads a line, and keeps it if it passes.
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

// line returns the next line without its end. One that is too long is not kept: the seeker, nil
// otherwise, has looked for its id.
func (f *framer) line() ([]byte, *jsonspan.Seeker, error) {
	var kept []byte
	var long *jsonspan.Seeker
	for {
		part, err := f.in.ReadSlice('\n')
		switch {
		case long != nil:
			_, _ = long.Write(part)
		case len(kept)+len(part) > limits.MCPMessage+1: // and its end
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

// take answers a line that does not pass, or keeps it for the library.
func (f *framer) take(line []byte, long *jsonspan.Seeker) error {
	if long != nil {
		return f.refuse(refusal{found(long), codeRequest, fmt.Sprintf(
			"the message is longer than %d MiB: hand in the conversation in parts with `since`, or import its file with `ctxledger import`", limits.MCPMessage>>20)})
	}
	m, wrong := check(line)
	switch {
	case m.answer && f.asking.Load() > 0: // the library knows its own ids
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
