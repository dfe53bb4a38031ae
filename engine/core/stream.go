package core

import (
	"context"
	"errors"
	"io"

	"ctxledger.dev/compaction"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
)

// stream is the originals of a range of a log as they are read, a page at a time. Closing it ends the
// goroutine that reads them.
type stream struct {
	*io.PipeReader
	stop  context.CancelFunc
	ended chan struct{} // closed when nothing reads the ledger any more
}

// stream opens the originals of a range, from an offset on. Errors: invalid for an offset beyond them.
func (l *Ledger) stream(ctx context.Context, of compaction.Record, offset int64) (io.ReadCloser, error) {
	ctx, stop := context.WithCancel(ctx)
	r, w := io.Pipe()
	s := &stream{PipeReader: r, stop: stop, ended: make(chan struct{})}
	go func() {
		defer close(s.ended)
		_, err := ledger.WriteOriginals(ctx, l, w, of.Session, of.From, of.To)
		_ = w.CloseWithError(err) // the reader's end of the pipe says it
	}()
	n, err := int64(0), error(nil)
	if offset > 0 {
		n, err = io.CopyN(io.Discard, s, offset)
	}
	if offset < 0 || errors.Is(err, io.EOF) {
		err = fault.New(fault.Invalid, "engine.read", "offset %d is outside of the %d bytes", offset, n)
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// Close implements io.Closer.
func (s *stream) Close() error {
	s.stop()
	err := s.PipeReader.Close()
	<-s.ended
	return err
}
