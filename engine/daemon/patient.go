package daemon

import (
	"context"
	"net"
	"time"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
)

// patient is a connection with an idle timeout of limits.Call, in place of a deadline: a blob may be long.
type patient struct {
	net.Conn
	timer *time.Timer
}

func newPatient(conn net.Conn) *patient {
	return &patient{Conn: conn, timer: time.AfterFunc(limits.Call, func() { _ = conn.Close() })}
}

func (p *patient) Read(b []byte) (int, error) {
	n, err := p.Conn.Read(b)
	p.moved(n)
	return n, err
}

func (p *patient) Write(b []byte) (int, error) {
	n, err := p.Conn.Write(b)
	p.moved(n)
	return n, err
}

// moved restarts the timeout if bytes were transferred.
func (p *patient) moved(n int) {
	if n > 0 {
		p.timer.Reset(limits.Call)
	}
}

func (p *patient) Close() error {
	p.timer.Stop()
	return p.Conn.Close()
}

// dialStream opens a connection for one blob, and returns the link to the same owner.
func (c *client) dialStream(ctx context.Context, want string) (net.Conn, *link, error) {
	for {
		l, err := c.connected(ctx)
		if err != nil {
			return nil, nil, err
		}
		conn, _, err := dial(ctx, l.owner, want, c.o.Version)
		if err == nil {
			return newPatient(conn), l, nil
		}
		if !fault.Is(err, fault.Unavailable) {
			return nil, nil, err
		}
		// The owner is leaving or gone: wait until its connection for calls ends as well.
		select {
		case <-l.gone:
		case <-time.After(limits.Call):
			return nil, nil, err
		case <-ctx.Done():
			return nil, nil, late(ctx)
		case <-c.life.Done():
			return nil, nil, errClosed
		}
	}
}
