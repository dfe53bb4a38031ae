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
	// chunk is how much of a body is held in one piece, and spare how many pieces are kept for the next bodies: memory that
	// is new costs an agent that waits more than copying.
	chunk = 64 << 10
	spare = 64
)

// store has the memory for the bodies of a proxy.
type store struct {
	held atomic.Int64 // bytes of bodies
	free chan []byte
	now  func() time.Time
}

func newStore(now func() time.Time) *store { return &store{free: make(chan []byte, spare), now: now} }

// take returns an empty piece.
func (s *store) take() []byte {
	select {
	case p := <-s.free:
		return p[:0]
	default:
		return make([]byte, 0, chunk)
	}
}

// give takes pieces back.
func (s *store) give(pieces [][]byte) {
	for _, p := range pieces {
		select {
		case s.free <- p:
		default:
			return
		}
	}
}

// capture copies a body that passes, up to maxBody. The library may go on reading a request after its answer has ended.
type capture struct {
	io.ReadCloser
	store *store

	mu    sync.Mutex
	body  [][]byte  // guarded by mu; in pieces
	size  int       // guarded by mu; of body
	over  bool      // guarded by mu; it is longer than is recorded, and body is nil
	taken bool      // guarded by mu; what comes now is not kept
	total int64     // guarded by mu
	first time.Time // guarded by mu; when its first byte came
	ended bool      // guarded by mu; it was read to its end
}

// Read implements io.Reader.
//
// It ends once: the server closes the body of a request when the answer begins, and the client of the provider may only then
// look whether it has ended. An error would have it break off the answer.
func (c *capture) Read(p []byte) (int, error) {
	c.mu.Lock()
	ended := c.ended
	c.mu.Unlock()
	if ended {
		return 0, io.EOF
	}
	n, err := c.ReadCloser.Read(p)
	c.mu.Lock()
	defer c.mu.Unlock()
	if n > 0 && !c.taken {
		if c.first.IsZero() {
			c.first = c.store.now()
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
	c.size += len(p)
	if c.store.held.Add(int64(len(p))) > maxHeld || c.size > maxBody {
		c.release()
		c.over = true
		return
	}
	for len(p) > 0 {
		last := len(c.body) - 1
		if last < 0 || len(c.body[last]) == chunk {
			c.body, last = append(c.body, c.store.take()), last+1
		}
		n := min(len(p), chunk-len(c.body[last]))
		c.body[last], p = append(c.body[last], p[:n]...), p[n:]
	}
}

// take ends the copying: what the fields have is final.
func (c *capture) take() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.taken = true
}

// release forgets the body, which was taken.
func (c *capture) release() {
	c.store.held.Add(-int64(c.size))
	c.store.give(c.body)
	c.body, c.size = nil, 0
}

// plain returns the body without the encoding that its headers name. Errors: too_large for what is not kept or would be
// longer than maxBody; invalid for other encodings, and for what cannot be decoded. It was taken.
func (c *capture) plain(encoding string) ([]byte, error) {
	if c.over {
		return nil, fault.New(fault.TooLarge, "proxy.body", "a body of %d bytes or more, or more bodies at once than can be held",
			c.total)
	}
	return decoded(bytes.Join(c.body, nil), encoding)
}

// decoded returns a body without its encoding. Errors: those of plain.
func decoded(body []byte, encoding string) ([]byte, error) {
	const op = "proxy.body"
	switch encoding {
	case "", "identity":
		return body, nil
	case "gzip":
	default:
		return nil, fault.New(fault.Invalid, op, "a body in the encoding %.20q", encoding)
	}
	z, err := gzip.NewReader(bytes.NewReader(body))
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
