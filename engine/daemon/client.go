package daemon

import (
	"context"
	"fmt"

	"ctxledger.dev/engine"
	"ctxledger.dev/engine/daemon/link"
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
	NoSpawn   bool     // start no daemon: unavailable when none runs; with InProcess, own the ledger only then
	// Hosted opens, with InProcess and without a Workspace, the ledger of a workspace that is on no disk of this machine: its
	// memories are the project's, and paths in its conversations name nothing here.
	Hosted bool

	Settings func(tree string) engine.Settings // with InProcess: the settings of a tree of the workspace; nil: none
}

// link returns the options for reaching an owner.
func (o Options) link() link.Options {
	return link.Options{State: o.State, Workspace: o.Workspace, Env: o.Env, Binary: o.Binary, Version: o.Version,
		NoSpawn: o.NoSpawn}
}

// client is a ledger that another process owns. It is safe for concurrent use.
type client struct {
	link *link.Client
	env  env.Env
}

// Open connects to the owner of the ledger in o.State, and starts a daemon if there is none. ctx bounds
// the opening; the returned API is valid until it is closed.
//
// Errors: unavailable when no owner could be reached in time, or with InProcess when another
// process owns the ledger; denied, corrupt and others as engine.Open gives them.
func Open(ctx context.Context, o Options) (ledger.API, error) {
	if !o.InProcess || o.NoSpawn {
		if api, err := connect(ctx, o); !o.InProcess || !fault.Is(err, fault.Unavailable) {
			return api, err
		}
	}
	return openInProcess(ctx, o)
}

// Close disconnects: in-flight calls end as unavailable. The daemon keeps running. Close is idempotent.
func (c *client) Close() error { return c.link.Close() }

// connect connects to the owner of a ledger.
func connect(ctx context.Context, o Options) (ledger.API, error) {
	l, err := link.Connect(ctx, o.link())
	if err != nil {
		return nil, err
	}
	return &client{l, o.Env}, nil
}

// roundTrip sends a call and stores its answer in answer.
func (c *client) roundTrip(ctx context.Context, method string, r, answer any) error {
	in, err := pack(r, true)
	if err != nil {
		return fault.Wrap(fault.Invalid, "daemon.request", err)
	}
	out, err := c.link.Call(ctx, method, in)
	if err != nil {
		return err
	}
	return fault.Wrap(fault.Internal, "daemon.response", unpack(out, answer, false))
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
	return fmt.Sprintf("%012x%s", c.env.Now().UnixMilli(), c.env.ID(10))
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
