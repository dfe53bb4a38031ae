package link

import (
	"context"
	"errors"
	"io"
	"net"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
)

// ReadBlob receives a blob on a connection of its own. When the owner is lost meanwhile, reading continues with the
// next one. rest returns the request for what follows the bytes that were read. ctx bounds the reading as well.
func (c *Client) ReadBlob(ctx context.Context, rest func(read int64) any) (io.ReadCloser, error) {
	b := &blobReader{ctx: ctx, c: c, rest: rest, attempt: attempt{c: c, method: "ReadBlob"}}
	if err := b.begin(); err != nil {
		return nil, err
	}
	return b, nil
}

// blobReader reads a blob from a connection. It is for one goroutine.
type blobReader struct {
	ctx     context.Context //style:ok a reader has no parameter to take it from
	c       *Client
	rest    func(read int64) any
	read    int64 // bytes
	attempt attempt
	link    *Conn // to the owner that sends it
	conn    net.Conn
	stream  *StreamReader
	unwatch func() bool // detaches conn from ctx
	err     error       // the result of every further Read
}

// begin asks one owner after the other, until one sends the rest of the blob.
func (b *blobReader) begin() error {
	for {
		err := b.open()
		if !errors.Is(err, errLost) {
			return err
		}
		if err := b.attempt.lost(b.link, err); err != nil {
			return err
		}
	}
}

// open dials and asks for the rest of the blob. errLost: the connection ended.
func (b *blobReader) open() error {
	conn, l, err := b.c.dialStream(b.ctx, WantRead)
	if err != nil {
		return err
	}
	if err := b.attempt.pause(b.ctx); err != nil {
		return errors.Join(err, conn.Close())
	}
	b.link, b.conn, b.stream = l, conn, NewStreamReader(conn)
	b.unwatch = context.AfterFunc(b.ctx, func() { _ = conn.Close() })
	var answer Response
	err = WriteJSON(conn, b.rest(b.read))
	if err == nil {
		err = ReadJSON(conn, limits.Frame, &answer)
	}
	if err != nil {
		return b.fail(b.lost())
	}
	if _, err := answer.Result(); err != nil {
		return b.fail(err)
	}
	b.attempt.end() // the rest may take long
	return nil
}

// lost is errLost, or an error that ends the attempts because ctx is done.
func (b *blobReader) lost() error {
	if b.ctx.Err() != nil {
		return late(b.ctx)
	}
	return errLost
}

func (b *blobReader) Read(p []byte) (int, error) {
	for b.err == nil {
		n, err := b.stream.Read(p)
		b.read += int64(n)
		switch {
		case errors.Is(err, io.EOF):
			b.err = b.verdict()
		case err != nil:
			b.err = b.lost()
		}
		if errors.Is(b.err, errLost) {
			b.err = b.again()
		}
		if n > 0 || len(p) == 0 {
			return n, nil
		}
	}
	return 0, b.err
}

// verdict returns the owner's response after the last byte: io.EOF for success.
func (b *blobReader) verdict() error {
	var answer Response
	if err := ReadJSON(b.conn, limits.Frame, &answer); err != nil {
		return b.lost()
	}
	b.attempt.answered()
	if answer.Error != nil {
		return answer.Error
	}
	return io.EOF
}

// again continues on another connection.
func (b *blobReader) again() error {
	b.hangUp()
	if err := b.attempt.lost(b.link, errLost); err != nil {
		return err
	}
	return b.begin()
}

// hangUp closes the current connection.
func (b *blobReader) hangUp() {
	b.attempt.end()
	b.unwatch()
	_ = b.conn.Close() // nothing is sent on it any more
}

// fail closes the connection and returns err.
func (b *blobReader) fail(err error) error {
	b.hangUp()
	return err
}

// Close ends the reading.
func (b *blobReader) Close() error {
	if b.err == nil {
		b.err = fault.New(fault.Invalid, "daemon.readblob", "the blob is closed")
	}
	b.hangUp()
	return nil
}
