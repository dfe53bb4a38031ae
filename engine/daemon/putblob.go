package daemon

import (
	"context"
	"errors"
	"io"
	"net"
	"sync"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/kv"
)

// PutBlob sends a blob on a connection of its own. When the owner is lost meanwhile, a content that can
// seek is sent again; any other is unavailable.
func (c *client) PutBlob(ctx context.Context, content io.Reader) (kv.BlobRef, error) {
	const op = "daemon.putblob"
	seeker, _ := content.(io.Seeker)
	var start int64
	if seeker != nil {
		var err error
		if start, err = seeker.Seek(0, io.SeekCurrent); err != nil {
			seeker = nil // a pipe, for example
		}
	}
	a := &attempt{c: c, method: "PutBlob"}
	for {
		conn, l, err := c.dialStream(ctx, wantPut)
		if err != nil {
			return kv.BlobRef{}, err
		}
		if err := a.pause(ctx); err != nil {
			return kv.BlobRef{}, errors.Join(err, conn.Close())
		}
		ref, err := putBlob(ctx, conn, content)
		if !errors.Is(err, errLost) {
			a.answered()
			return ref, err
		}
		if seeker == nil {
			return ref, fault.New(fault.Unavailable, op, "the connection was lost while a blob was sent").
				WithHint("send it again")
		}
		if err := a.lost(l, err); err != nil {
			return ref, err
		}
		if _, err := seeker.Seek(start, io.SeekStart); err != nil {
			return ref, fault.Wrap(fault.Unavailable, op, err)
		}
	}
}

// putBlob sends one blob and returns the owner's answer, which may arrive before all is sent.
func putBlob(ctx context.Context, conn net.Conn, content io.Reader) (kv.BlobRef, error) {
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	var (
		work     sync.WaitGroup
		answer   response
		received error
		done     = make(chan struct{})
	)
	work.Go(func() {
		defer close(done)
		received = readJSON(conn, limits.Frame, &answer)
	})
	sent := sendStream(conn, content, func() bool {
		select {
		case <-done:
			return true
		default:
			return false
		}
	})
	source, failed := errors.AsType[*sourceError](sent)
	if failed {
		_ = conn.Close() // the owner discards what it has received
	}
	work.Wait()
	_ = conn.Close() // the answer is here
	switch {
	case failed:
		return kv.BlobRef{}, fault.Wrap(fault.Invalid, "daemon.putblob", source.err)
	case received != nil && ctx.Err() != nil:
		return kv.BlobRef{}, late(ctx)
	case received != nil:
		return kv.BlobRef{}, errLost
	}
	var ref kv.BlobRef
	out, err := answer.result()
	if err == nil {
		err = fault.Wrap(fault.Internal, "daemon.response", out.unpack(&ref, false))
	}
	return ref, err
}
