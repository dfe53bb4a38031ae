package daemon

import (
	"context"
	"errors"
	"fmt"

	"ctxledger.dev/engine"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/ledger"
)

// Options say which ledger to reach, and how.
type Options struct {
	State     string   // state directory of the ledger, absolute
	Workspace string   // root of the workspace, for a new daemon; "" for the user ledger
	Env       env.Env  // clock, randomness and temporary directory
	Binary    []string // command that starts a daemon; nil: this program
	Version   string   // of this program, for the owner's log
	InProcess bool     // own the ledger in this process, exclusively
	NoSpawn   bool     // start no daemon: unavailable when none runs

	Settings func(tree string) engine.Settings // with InProcess: the settings of a tree of the workspace; nil: none
}

// client is a ledger that another process owns. It is safe for concurrent use.
type client struct {
	o    Options
	stop context.CancelFunc // ends life
	life context.Context    // done when the client is closed

	suspects suspects

	gate   chan struct{} // a lock with timeout; holds one token
	link   *link         // guarded by gate; may be lost, or nil
	seeker seeker        // guarded by gate
}

// Open connects to the owner of the ledger in o.State, and starts a daemon if there is none. ctx bounds
// the opening; the returned API is valid until it is closed.
//
// Errors: unavailable when no owner could be reached in time, or with InProcess when another
// process owns the ledger; denied, corrupt and others as engine.Open gives them.
func Open(ctx context.Context, o Options) (ledger.API, error) {
	if o.InProcess {
		return openInProcess(ctx, o)
	}
	return connect(ctx, o)
}

// connect connects to the owner of a ledger.
func connect(ctx context.Context, o Options) (ledger.API, error) {
	life, stop := context.WithCancel(context.Background())
	c := &client{o: o, stop: stop, life: life, gate: make(chan struct{}, 1), seeker: seeker{o: o}}
	if _, err := c.connected(ctx); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// Close disconnects: in-flight calls end as unavailable. The daemon keeps running. Close is idempotent.
func (c *client) Close() error {
	c.stop() // from here on nothing connects
	c.gate <- struct{}{}
	defer func() { <-c.gate }()
	if c.link != nil {
		c.link.close()
	}
	c.seeker.collect()
	return nil
}

// connected returns a connection that is not known to be lost, a new one if need be.
func (c *client) connected(ctx context.Context) (*link, error) {
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
	if c.link != nil {
		if lost, _ := c.link.lost(); !lost {
			return c.link, nil
		}
		c.link.close()
		c.link = nil
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(c.life, cancel)()
	l, err := c.seeker.reach(ctx)
	c.link = l
	return l, err
}

// errClosed is the error of a call on a closed client.
var errClosed = fault.New(fault.Unavailable, "daemon.call", "the connection to the ledger is closed")

// roundTrip sends a call, repeats it while owners are lost, and stores its answer in answer.
func (c *client) roundTrip(ctx context.Context, method string, r, answer any) error {
	in, err := pack(r, true)
	if err != nil {
		return fault.Wrap(fault.Invalid, "daemon.request", err)
	}
	a := &attempt{c: c, method: method, in: in}
	for {
		l, err := c.connected(ctx)
		if err != nil {
			return err
		}
		if err := a.pause(ctx); err != nil {
			return err
		}
		out, err := l.call(ctx, method, in)
		if errors.Is(err, errLost) {
			if err := a.lost(l, err); err != nil {
				return err
			}
			continue
		}
		if err == nil || ctx.Err() == nil {
			a.answered()
		}
		if err != nil {
			return err
		}
		return fault.Wrap(fault.Internal, "daemon.response", out.unpack(answer, false))
	}
}

// call sends one request and returns its response. A context without a deadline gets limits.Call.
func call[Response any](ctx context.Context, c *client, method string, r any) (Response, error) {
	var answer Response
	if _, ok := ctx.Deadline(); !ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, limits.Call)
		defer cancel()
	}
	if err := c.roundTrip(ctx, method, r, &answer); err != nil {
		var none Response
		return none, err
	}
	return answer, nil
}

// key returns a new key for a mutation. It starts with the time, so that a commit of many mutations writes
// neighbouring keys in few pages.
func (c *client) key() string {
	return fmt.Sprintf("%012x%s", c.o.Env.Now().UnixMilli(), c.o.Env.ID(10))
}

// maintain is call for maintenance: a context without a deadline gets limits.Maintenance.
func maintain[Response any](ctx context.Context, c *client, method string, r any) (Response, error) {
	ctx, cancel := maintenanceTimeout(ctx)
	defer cancel()
	return call[Response](ctx, c, method, r)
}

// maintenanceTimeout gives a context without a deadline limits.Maintenance.
func maintenanceTimeout(ctx context.Context) (context.Context, context.CancelFunc) {
	if _, ok := ctx.Deadline(); ok {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, limits.Maintenance)
}

// mutate is call for a request that changes the ledger. A key makes it idempotent, so that it can be sent
// again. r points to the request, m to the Mutation in it.
func mutate[Response any](ctx context.Context, c *client, method string, r any, m *ledger.Mutation) (Response, error) {
	if m.Key == "" {
		m.Key = c.key()
	}
	return call[Response](ctx, c, method, r)
}
