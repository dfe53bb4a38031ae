package proxy

import (
	"bytes"
	"compress/gzip"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"ctxledger.dev/internal/fault"
)

const (
	// maxBody bounds a body that is recorded: providers take requests of 32 MB.
	maxBody = 32 << 20
	// maxHeld bounds the bodies that are held at once, of exchanges that are under way or wait to be recorded.
	maxHeld = 96 << 20
	// firstBuffer is what a body gets at first, whatever its length is said to be.
	firstBuffer = 64 << 10
)

// capture copies a body that passes, up to maxBody. The library may go on reading a request after its answer has ended.
type capture struct {
	io.ReadCloser
	held *atomic.Int64 // of all bodies of the proxy
	now  func() time.Time

	mu    sync.Mutex
	body  []byte    // guarded by mu
	over  bool      // guarded by mu; it is longer than is recorded, and body is nil
	taken bool      // guarded by mu; what comes now is not kept
	total int64     // guarded by mu
	first time.Time // guarded by mu; when its first byte came
	ended bool      // guarded by mu; it was read to its end
}

// Read implements io.Reader.
func (c *capture) Read(p []byte) (int, error) {
	n, err := c.ReadCloser.Read(p)
	c.mu.Lock()
	defer c.mu.Unlock()
	if n > 0 && !c.taken {
		if c.first.IsZero() {
			c.first = c.now()
		}
		c.total += int64(n)
		c.keep(p[:n])
	}
	c.ended = c.ended || err == io.EOF
	return n, err
}

// keep copies a piece of the body. The caller has the lock.
func (c *capture) keep(p []byte) {
	if c.over {
		return
	}
	if c.held.Add(int64(len(p))); len(c.body)+len(p) > maxBody || c.held.Load() > maxHeld {
		c.held.Add(-int64(len(p) + len(c.body)))
		c.body, c.over = nil, true
		return
	}
	if c.body == nil {
		c.body = make([]byte, 0, firstBuffer)
	}
	c.body = append(c.body, p...)
}

// take ends the copying: what the fields have is final.
func (c *capture) take() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.taken = true
}

// release forgets the body, which was taken.
func (c *capture) release() {
	c.held.Add(-int64(len(c.body)))
	c.body = nil
}

// plain returns the body without the encoding that its headers name. Errors: too_large for what is not kept or would be
// longer than maxBody; invalid for other encodings, and for what cannot be decoded. It was taken.
func (c *capture) plain(encoding string) ([]byte, error) {
	const op = "proxy.body"
	switch {
	case c.over:
		return nil, fault.New(fault.TooLarge, op, "a body of %d bytes or more, or more bodies at once than are held", c.total)
	case encoding == "" || encoding == "identity":
		return c.body, nil
	case encoding != "gzip":
		return nil, fault.New(fault.Invalid, op, "a body in the encoding %.20q", encoding)
	}
	z, err := gzip.NewReader(bytes.NewReader(c.body))
	if err != nil {
		return nil, fault.Wrap(fault.Invalid, op, err)
	}
	out, err := io.ReadAll(io.LimitReader(z, maxBody+1))
	if len(out) > maxBody {
		return nil, fault.New(fault.TooLarge, op, "a compressed body of more than %d bytes", maxBody)
	}
	if err == io.ErrUnexpectedEOF { // of a stream that was cut off
		err = nil
	}
	return out, fault.Wrap(fault.Invalid, op, err)
}
