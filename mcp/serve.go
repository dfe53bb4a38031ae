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
	workers     = 8        // concurrent tool calls
	queueLength = 100      // queued tool calls; when full, reading waits
)

// Serve answers a client on in and out until in ends or ctx is cancelled. At the end of in it first answers the
// requests in flight, for at most ten seconds. It opens the ledger in the background, so that the first call finds
// it open. A process may have one Serve running: see the package comment.
//
// Errors: those of reading and writing. The end of in and the cancellation of ctx are not errors.
func (s *Server) Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	var opening sync.WaitGroup
	defer opening.Wait()
	defer cancel()     // runs first, so that opening ends
	if !s.o.AskRoots { // else roots are asked for with the first call
		opening.Go(func() { _, _ = s.ledger.Get(ctx) }) // an error is reported by the first call
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
		return err // else the library may still be blocked reading from in
	}
	return nil
}
