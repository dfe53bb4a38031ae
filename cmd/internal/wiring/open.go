package wiring

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"ctxledger.dev/engine"
	"ctxledger.dev/engine/daemon"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/workspace"
)

// Open returns the ledger of a workspace, through its daemon or, with inProcess, owned by this
// process, which then does the daemon's background tasks too. Errors: those of daemon.OpenWorkspace.
func Open(ctx context.Context, e env.Env, ws workspace.Workspace, inProcess bool) (engine.API, error) {
	o := daemon.Options{Env: e, Version: Version, InProcess: inProcess}
	if inProcess {
		o.Settings = Role(e).Settings
	}
	api, err := daemon.OpenWorkspace(ctx, ws, o)
	if err != nil || !inProcess {
		return api, err
	}
	life, stop := context.WithCancel(context.Background())
	alone := &owner{API: api, root: cmp.Or(ws.Main, ws.Root), stop: stop}
	for _, task := range Role(e).Background(alone.root) {
		alone.running.Add(1)
		alone.tasks.Go(func() { alone.run(life, task) })
	}
	return alone, nil
}

// owner is a ledger owned by this process, with its background tasks.
type owner struct {
	engine.API
	root    string // that the ledger's paths are relative to
	stop    context.CancelFunc
	tasks   sync.WaitGroup
	running atomic.Int64

	mu     sync.Mutex
	failed error // guarded by mu; what tasks ended with
}

// owned marks, for tasks, a ledger that reaches the user ledger itself.
type owned struct {
	engine.API
	root string
}

// Info names the root that the ledger's paths are relative to.
func (o *owned) Info(ctx context.Context, r engine.InfoRequest) (engine.Info, error) {
	info, err := o.API.Info(ctx, r)
	info.Workspace = o.root
	return info, err
}

// run does one task. Its failure, a panic too, is kept for Close and hurts nobody else.
func (o *owner) run(ctx context.Context, task daemon.Task) {
	defer o.running.Add(-1)
	defer func() {
		if p := recover(); p != nil {
			o.fail(fault.New(fault.Internal, "wiring.task", "a background task panicked: %v", p))
		}
	}()
	if err := task(ctx, &owned{o.API, o.root}); err != nil {
		o.fail(err)
	}
}

func (o *owner) fail(err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.failed = errors.Join(o.failed, err)
}

// Info adds to what the ledger says whether session files are followed.
func (o *owner) Info(ctx context.Context, r engine.InfoRequest) (engine.Info, error) {
	info, err := o.API.Info(ctx, r)
	info.Following = o.running.Load() > 0
	return info, err
}

// Close ends the tasks and releases the ledger. The error says also what a task failed with.
func (o *owner) Close() error {
	o.stop()
	o.tasks.Wait()
	return errors.Join(o.failed, o.API.Close())
}
