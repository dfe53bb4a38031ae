package agents

import (
	"context"
	"errors"
	"io"

	"ctxledger.dev/agents/sessionfile"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
)

// errMoved says that the import is no longer at the offset that this process knows.
var errMoved = errors.New("another process has advanced the import")

// inFlight is how many batches may be under way at once: while the ledger writes one it reads the
// next, and the file is read for the one after that.
const inFlight = 2

// sender appends batches in order, without waiting for the answer to one before it sends the next.
// The zero value with its first fields set is ready; end must be called.
type sender struct {
	im   *importer
	rep  *Report
	size int64 // of the file, for the progress

	under []sent // under way, oldest first
}

// sent is a batch under way.
type sent struct {
	batch
	check  string
	behind bool       // whether another one was under way when this was sent
	answer chan error // receives one value, after session is set
	resp   *ledger.AppendEntriesResponse
}

// send sends a batch, after waiting for the oldest one if too many are under way. Its error is that
// of an earlier batch, or of reading the file.
func (s *sender) send(ctx context.Context, file io.ReaderAt, b batch, done bool) error {
	if len(s.under) == inFlight {
		if err := s.settle(ctx); err != nil {
			return err
		}
	}
	sum, err := check(file, b.to)
	if err != nil {
		return sessionfile.FileError(s.im.path, err)
	}
	r := ledger.AppendEntriesRequest{
		Import: s.im.state.Import, Session: s.im.about.Session, StartedBy: s.im.about.Identity.Parent,
		Offset: b.from, Next: b.to, Line: b.line, Check: sum,
		Entries: b.entries, Done: done,
	}
	out := sent{batch: b, check: sum, behind: len(s.under) > 0, answer: make(chan error, 1),
		resp: new(ledger.AppendEntriesResponse)}
	api := s.im.ledger
	go func() { // end waits for it
		var err error
		*out.resp, err = api.AppendEntries(ctx, r)
		out.answer <- err
	}()
	s.under = append(s.under, out)
	return nil
}

// settle waits for the oldest batch under way and notes that it is in the ledger. errMoved: its place
// has been taken.
func (s *sender) settle(ctx context.Context) error {
	b := s.under[0]
	s.under = s.under[1:]
	err := <-b.answer
	if fault.Is(err, fault.Conflict) && (b.behind || s.moved(ctx, b.from)) {
		return errMoved // or it has waited in vain for the batch before it: the next look shows which
	}
	if err != nil {
		return err
	}
	im := s.im
	im.state.Session = b.resp.Session
	im.state.Offset, im.state.Line, im.state.Check = b.to, b.line, b.check
	b.addTo(s.rep, b.resp.Known)
	im.progress(b.to, max(s.size, b.to))
	return nil
}

// moved reports whether the import is no longer at an offset.
func (s *sender) moved(ctx context.Context, offset int64) bool {
	now, err := s.im.ledger.ImportState(ctx, ledger.ImportStateRequest{Import: s.im.state.Import})
	return err == nil && now.Offset != offset
}

// end waits for everything under way and returns the first error: why, or that of a batch.
func (s *sender) end(ctx context.Context, why error) error {
	for len(s.under) > 0 {
		err := s.settle(ctx)
		if why == nil {
			why = err // a batch behind one that failed fails over that
		}
	}
	return why
}
