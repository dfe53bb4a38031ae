package mcp

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"ctxledger.dev/internal/jsonspan"
	"ctxledger.dev/internal/limits"
)

const (
	readBuffer = 64 << 10         // bytes read from the client at once
	workers    = 8                // tools of a client at work
	mostOpen   = 100              // unanswered requests of a client; when there are as many, reading waits
	idleAfter  = time.Minute      // without a message, until the client counts as idle: an agent at work says more
	drainWait  = 10 * time.Second // how long requests in flight may take after the end of input
)

// Serve answers a client on in and out until in ends or ctx is cancelled. At the end of in it first answers the
// requests in flight, for at most ten seconds. It opens the ledger in the background, so that the first call finds
// it open, and closes it at the end.
//
// Errors: those of reading and writing, and of closing the ledger. The end of in and the cancellation of ctx are not
// errors.
func (s *Server) Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	w := &writer{out: out, broken: cancel}
	c := s.Connect(w.send)
	ctx = c.Context(ctx)
	var work sync.WaitGroup
	if !s.o.AskRoots { // else roots are asked for with the first call
		work.Go(func() { _, _ = c.ledger.Get(ctx) }) // an error is reported by the first call
	}
	err := c.serve(ctx, lines(ctx, in), w, &work)
	cancel()
	work.Wait()
	return errors.Join(err, w.err, c.Close())
}

// serve answers lines until there are no more. Requests are answered side by side, everything else in its order.
func (c *Client) serve(ctx context.Context, lines <-chan input, w *writer, work *sync.WaitGroup) error {
	open := make(chan struct{}, mostOpen)
	idle := time.NewTimer(idleAfter)
	defer idle.Stop()
	for {
		select {
		case <-idle.C:
			if c.server.o.Idle != nil {
				c.server.o.Idle()
			}
		case in := <-lines:
			idle.Reset(idleAfter)
			m, refused := c.accept(in)
			switch {
			case refused != nil:
				_ = w.send(refused) // it cancels ctx
			case m.line == nil:
			case m.id == nil:
				c.answer(ctx, m)
			case enter(ctx, open):
				work.Go(func() {
					defer func() { <-open }()
					_ = w.send(c.answer(ctx, m)) // it cancels ctx
				})
			}
			if in.err == nil {
				continue
			}
			if !errors.Is(in.err, io.EOF) {
				return in.err
			}
			ctx, cancel := context.WithTimeout(ctx, drainWait)
			defer cancel()
			for range mostOpen { // until all are answered
				enter(ctx, open)
			}
			return nil
		case <-ctx.Done():
			return nil
		}
	}
}

// enter waits for room in a channel that bounds how many are at work. It reports false when ctx ends first.
func enter(ctx context.Context, room chan<- struct{}) bool {
	select {
	case room <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

// input is a line of the client without its end, or of one that is too long what has searched it for the id.
type input struct {
	line []byte
	long *jsonspan.Seeker
	err  error // of reading on
}

// lines reads lines until ctx or in ends. Reading cannot be interrupted: it may go on until there is one more line.
func lines(ctx context.Context, in io.Reader) <-chan input {
	out := make(chan input)
	go func() {
		r := bufio.NewReaderSize(in, readBuffer)
		for next := (input{}); next.err == nil; {
			next = line(r)
			select {
			case out <- next:
			case <-ctx.Done():
				return
			}
		}
	}()
	return out
}

// line reads one line.
func line(r *bufio.Reader) (in input) {
	for {
		part, err := r.ReadSlice('\n')
		switch {
		case in.long != nil:
			_, _ = in.long.Write(part)
		case len(in.line)+len(part) > limits.MCPMessage+1: // with the line end
			in.long = newSeeker(in.line, part)
			in.line = nil
		default:
			in.line = append(in.line, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			in.line, in.err = bytes.TrimSuffix(bytes.TrimSuffix(in.line, []byte("\n")), []byte("\r")), err
			return in
		}
	}
}

// writer writes lines to the client, each with one call.
type writer struct {
	mu     sync.Mutex
	out    io.Writer // guarded by mu
	err    error     // guarded by mu, of the last line
	broken func()    // called when nothing more can be written
}

func (w *writer) send(line []byte) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil {
		if _, w.err = w.out.Write(append(line, '\n')); w.err != nil {
			w.broken()
		}
	}
	return w.err
}
