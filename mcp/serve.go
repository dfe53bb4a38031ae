package mcp

import (
	"bufio"
	"context"
	"errors"
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
		opening.Go(func() { s.ledger.warm(ctx) })
	}

	reader, writer := io.Pipe()
	w := newWire(out)
	f := &framer{in: bufio.NewReaderSize(in, readBuffer), next: writer, wire: w, log: s.o.Log, asking: &s.asking}
	framed := make(chan error, 1)
	go func() { // ends with in, which nobody can interrupt, or with the first write after Serve
		err := f.run(ctx)
		framed <- errors.Join(err, writer.CloseWithError(err))
	}()

	stdio := server.NewStdioServer(s.mcp)
	for _, option := range []server.StdioOption{
		server.WithErrorLogger(slog.NewLogLogger(s.o.Log.Handler(), slog.LevelWarn)),
		server.WithWorkerPoolSize(workers), server.WithQueueSize(queueLength),
	} {
		option(stdio)
	}
	err := stdio.Listen(ctx, reader, w)
	_ = reader.Close() // never fails; wakes the framer
	switch {
	case ctx.Err() != nil:
		return nil
	case err != nil:
		return err
	}
	return <-framed
}
