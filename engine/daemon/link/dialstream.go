package link

import (
	"context"
	"net"
	"time"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
)

// dialStream opens a connection for one blob, and returns the link to the same owner.
func (c *Client) dialStream(ctx context.Context, want string) (net.Conn, *Conn, error) {
	for {
		l, err := c.connected(ctx)
		if err != nil {
			return nil, nil, err
		}
		conn, _, err := Dial(ctx, l.owner, want, c.o.Version)
		if err == nil {
			return NewPatient(conn), l, nil
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
