package link

import (
	"context"
	"errors"

	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/fault"
)

// Options say which ledger to reach, and how.
type Options struct {
	State     string   // state directory of the ledger, absolute
	Workspace string   // root of the workspace, for a new daemon; "" for the user ledger
	Env       env.Env  // clock, randomness and temporary directory
	Binary    []string // command that starts a daemon; nil: this program
	Version   string   // of this program, for the owner's log
	NoSpawn   bool     // start no daemon: unavailable when none runs
}

// Client sends calls to the owner of a ledger, and to the next one when that is lost. It is safe for concurrent use.
type Client struct {
	o    Options
	stop context.CancelFunc // ends life
	life context.Context    // done when the client is closed

	suspects suspects

	gate   chan struct{} // a lock with timeout; holds one token
	conn   *Conn         // guarded by gate; may be lost, or nil
	seeker seeker        // guarded by gate
}

// Connect connects to the owner of a ledger, and starts a daemon if there is none. ctx bounds the connecting. Errors:
// unavailable when no owner could be reached in time; what a daemon says that cannot be the owner.
func Connect(ctx context.Context, o Options) (*Client, error) {
	life, stop := context.WithCancel(context.Background())
	c := &Client{o: o, stop: stop, life: life, gate: make(chan struct{}, 1), seeker: seeker{o: o}}
	if _, err := c.connected(ctx); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// Close disconnects: in-flight calls end as unavailable. The daemon keeps running. Close is idempotent.
func (c *Client) Close() error {
	c.stop() // from here on nothing connects
	c.gate <- struct{}{}
	defer func() { <-c.gate }()
	if c.conn != nil {
		c.conn.Close()
	}
	c.seeker.collect()
	return nil
}

// connected returns a connection that is not known to be lost, a new one if need be.
func (c *Client) connected(ctx context.Context) (*Conn, error) {
	select {
	case c.gate <- struct{}{}:
		defer func() { <-c.gate }()
	case <-ctx.Done():
		return nil, late(ctx)
	case <-c.life.Done():
		return nil, errClosed
	}
	if c.life.Err() != nil {
		return nil, errClosed
	}
	if c.conn != nil {
		if lost, _ := c.conn.lost(); !lost {
			return c.conn, nil
		}
		c.conn.Close()
		c.conn = nil
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(c.life, cancel)()
	l, err := c.seeker.reach(ctx)
	c.conn = l
	return l, err
}

// errClosed is the error of a call on a closed client.
var errClosed = fault.New(fault.Unavailable, "daemon.call", "the connection to the ledger is closed")

// Call sends a call, and repeats it while owners are lost. Errors: those of the call; unavailable when ctx ends first.
func (c *Client) Call(ctx context.Context, method string, in Content) (Content, error) {
	a := &attempt{c: c, method: method, in: in}
	defer a.end()
	for {
		l, err := c.connected(ctx)
		if err != nil {
			return Content{}, err
		}
		if err := a.pause(ctx); err != nil {
			return Content{}, err
		}
		if a.turn != nil && l.owner.gone() {
			a.end() // the suspect before crashed it: this one, sent to a dying owner, would be blamed
			continue
		}
		out, err := l.Call(ctx, method, in)
		if errors.Is(err, errLost) {
			if err := a.lost(l, err); err != nil {
				return Content{}, err
			}
			continue
		}
		if err == nil || ctx.Err() == nil {
			a.answered()
		}
		return out, err
	}
}
