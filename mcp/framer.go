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

	"ctxledger.dev/internal/limits"
)

// drainWait is how long requests under way may take after the end of input.
const drainWait = 10 * time.Second

// framer reads lines from the client and hands on those that are well-formed messages. The MCP
// library reads lines of any length and forgives spellings; neither is safe.
type framer struct {
	in   *bufio.Reader
	next io.Writer // where the MCP library reads
	wire *wire
	log  *slog.Logger
	// asking counts the requests of the server that the client has not answered yet.
	asking *atomic.Int32
}

// run reads until the input ends, and then waits for the answers under way. Errors: those of
// writing to the client, of reading, and io.ErrClosedPipe when the MCP library reads no more.
func (f *framer) run(ctx context.Context) error {
	for {
		line, seeker, err := f.line()
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		end := err != nil
		if !end || len(line) > 0 || seeker != nil {
			if err := f.take(line, seeker); err != nil {
				return err
			}
		}
		if end {
			ctx, cancel := context.WithTimeout(ctx, drainWait)
			defer cancel()
			f.wire.drain(ctx)
			return nil
		}
	}
}

// line returns the next line without its end. One that is too long is not kept: the seeker, nil
// otherwise, has looked for its id.
func (f *framer) line() ([]byte, *idSeeker, error) {
	var kept []byte
	var long *idSeeker
	for {
		part, err := f.in.ReadSlice('\n')
		switch {
		case long != nil:
			long.feed(part)
		case len(kept)+len(part) > limits.MCPMessage+1: // and its end
			long = &idSeeker{}
			long.feed(kept)
			long.feed(part)
			kept = nil
		default:
			kept = append(kept, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return bytes.TrimSuffix(bytes.TrimSuffix(kept, []byte("\n")), []byte("\r")), long, err
		}
	}
}

// take answers a line that does not pass, or hands it on.
func (f *framer) take(line []byte, long *idSeeker) error {
	if long != nil {
		return f.refuse(refusal{long.found(), codeRequest, fmt.Sprintf(
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
		return f.refuse(refusal{code: codeRequest, text: fmt.Sprintf("the id %.60s belongs to a request that is not answered yet", m.id)})
	}
	_, err := f.next.Write(append(line, '\n'))
	return err
}

func (f *framer) refuse(r refusal) error {
	f.log.Warn("line refused", "code", r.code, "why", r.text)
	return f.wire.refuse(r)
}
