package proxy

import (
	"errors"
	"io"
	"strings"
	"testing"
	"time"
)

// closing is the body of a request whose server has answered: it ends with its last bytes, and then it is closed.
type closing struct {
	strings.Reader
	closed bool
}

func (c *closing) Read(p []byte) (int, error) {
	if c.closed {
		return 0, errors.New("read after close")
	}
	n, _ := c.Reader.Read(p)
	if c.closed = c.Len() == 0; c.closed {
		return n, io.EOF
	}
	return n, nil
}

func (c *closing) Close() error { return nil }

// TestABodyEndsOnce: the client of a provider asks a second time whether the body of a request has ended. When the answer
// came first, it got an error, and broke off the answer.
func TestABodyEndsOnce(t *testing.T) {
	s := newStore(time.Now)
	text := strings.Repeat("0123456789", chunk/5)
	body := &closing{}
	body.Reset(text)
	c := &capture{ReadCloser: body, store: s}
	got, err := io.ReadAll(c)
	if string(got) != text || err != nil {
		t.Fatalf("%d bytes, %v", len(got), err)
	}
	if n, err := c.Read(make([]byte, 1)); n != 0 || err != io.EOF {
		t.Errorf("it ends with %d, %v", n, err)
	}
	c.take()
	if kept, err := c.plain(""); string(kept) != text || err != nil || s.held.Load() != int64(len(text)) {
		t.Errorf("%d bytes are kept, %v", len(kept), err)
	}
	if c.release(); s.held.Load() != 0 || len(s.free) != 2 {
		t.Errorf("%d bytes are held, %d pieces are free", s.held.Load(), len(s.free))
	}
}
