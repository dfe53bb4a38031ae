package link

import (
	"context"
	"errors"
	"io"
	"net"
	"sync"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
)

// PutBlob sends a blob on a connection of its own, and returns the answer. When the owner is lost meanwhile, a blob that
// can seek is sent again; any other is unavailable.
func (c *Client) PutBlob(ctx context.Context, blob io.Reader) (Content, error) {
	const op = "daemon.putblob"
	seeker, _ := blob.(io.Seeker)
	var start int64
	if seeker != nil {
		var err error
		if start, err = seeker.Seek(0, io.SeekCurrent); err != nil {
			seeker = nil // a pipe, for example
		}
	}
	a := &attempt{c: c, method: "PutBlob"}
	defer a.end()
	for {
		conn, l, err := c.dialStream(ctx, WantPut)
		if err != nil {
			return Content{}, err
		}
		if err := a.pause(ctx); err != nil {
			return Content{}, errors.Join(err, conn.Close())
		}
		out, err := putBlob(ctx, conn, blob)
		if !errors.Is(err, errLost) {
			a.answered()
			return out, err
		}
		if seeker == nil {
			return out, fault.New(fault.Unavailable, op, "the connection was lost while a blob was sent").
				WithHint("send it again")
		}
		if err := a.lost(l, err); err != nil {
			return out, err
		}
		if _, err := seeker.Seek(start, io.SeekStart); err != nil {
			return out, fault.Wrap(fault.Unavailable, op, err)
		}
	}
}

// putBlob sends one blob and returns the owner's answer, which may arrive before all is sent.
func putBlob(ctx context.Context, conn net.Conn, blob io.Reader) (Content, error) {
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	var (
		work     sync.WaitGroup
		answer   Response
		received error
		done     = make(chan struct{})
	)
	work.Go(func() {
		defer close(done)
		received = ReadJSON(conn, limits.Frame, &answer)
	})
	sent := SendStream(conn, blob, func() bool {
		select {
		case <-done:
			return true
		default:
			return false
		}
	})
	source, failed := errors.AsType[*SourceError](sent)
	if failed {
		_ = conn.Close() // the owner discards what it has received
	}
	work.Wait()
	_ = conn.Close() // the answer is here
	switch {
	case failed:
		return Content{}, fault.Wrap(fault.Invalid, "daemon.putblob", source.Err)
	case received != nil && ctx.Err() != nil:
		return Content{}, late(ctx)
	case received != nil:
		return Content{}, errLost
	}
	return answer.Result()
}
