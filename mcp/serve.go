package mcp

import (
	"bufio"
	"context"
	"io"
	"log/slog"
	"sync"

	"github.com/mark3labs/mcp-go/server"
)

const (
	readBuffer  = 64 << 10 // bytes read from the client at once
	workers     = 8        // tool calls answered at the same time
	queueLength = 100      // tool calls waiting beyond that; then reading waits
)

// Serve answers a client on in and out until in ends or ctx does. Requests under way at the end of
// in are answered first, for at most ten seconds. It also begins to open the ledger, so that the
// first call finds it open. A process may call it once at a time: see the package comment.
//
// Errors: those of reading and writing. The end of in or ctx is none.
func (s *Server) Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	var opening sync.WaitGroup
	defer opening.Wait()
	defer cancel()     // first: nobody needs the ledger any more
	if !s.o.AskRoots { // whom to ask is known with the first call
		opening.Go(func() { _, _ = s.ledger.Get(ctx) }) // what goes wrong is the answer of the first call
	}

	w := newWire(out, newAnswerCache(s.o.Env.ID(32)), s.masks)
	s.answers.Store(w.answers)
	defer s.answers.Store(nil)
	f := &framer{ctx: ctx, in: bufio.NewReaderSize(in, readBuffer), wire: w, log: s.o.Log, asking: &s.asking}
	stdio := server.NewStdioServer(s.mcp)
	for _, option := range []server.StdioOption{
		server.WithErrorLogger(slog.NewLogLogger(s.o.Log.Handler(), slog.LevelWarn)),
		server.WithWorkerPoolSize(workers), server.WithQueueSize(queueLength),
	} {
		option(stdio)
	}
	if err := stdio.Listen(ctx, f, w); ctx.Err() == nil {
		return err // else the library may still be reading from in, which nobody can interrupt
	}
	return nil
}
