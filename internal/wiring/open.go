package wiring

import (
	"cmp"
	"context"
	"errors"

	"ctxledger.dev/engine/daemon"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/internal/version"
	"ctxledger.dev/ledger"
	"ctxledger.dev/workspace"
)

// Open returns the ledger of a workspace, through its daemon or, with inProcess, owned by this process,
// which then also runs the background tasks. Errors: those of daemon.OpenWorkspace.
func Open(ctx context.Context, e env.Env, ws workspace.Workspace, inProcess bool) (ledger.API, error) {
	o := daemon.Options{Env: e, Version: version.Version, InProcess: inProcess}
	if inProcess {
		o.Settings = Role(e).Settings
	}
	api, err := daemon.OpenWorkspace(ctx, ws, o)
	if err != nil || !inProcess {
		return api, err
	}
	life, stop := context.WithCancel(context.Background())
	root := cmp.Or(ws.Main, ws.Root)
	log := Log(e)
	tasks := daemon.StartTasks(life, &owned{api, root}, e, log, Role(e).Background(root, log))
	return &owner{API: api, stop: stop, tasks: tasks}, nil
}

// Read returns a recorded ledger of a workspace and starts nothing: through the daemon that runs, else owned by this
// process, without background tasks, until it is closed. Errors: those of daemon.OpenWorkspace.
func Read(ctx context.Context, e env.Env, ws workspace.Workspace) (ledger.API, error) {
	return daemon.OpenWorkspace(ctx, ws, daemon.Options{Env: e, Version: version.Version, Settings: Role(e).Settings,
		InProcess: true, NoSpawn: true})
}

// owner is a ledger owned by this process, with its background tasks.
type owner struct {
	ledger.API
	stop  context.CancelFunc
	tasks *daemon.Tasks
}

// owned marks, for tasks, a ledger that opens the user ledger itself.
type owned struct {
	ledger.API
	root string
}

// Info returns the root to which the ledger's paths are relative.
func (o *owned) Info(ctx context.Context, r ledger.InfoRequest) (ledger.Info, error) {
	info, err := o.API.Info(ctx, r)
	info.Workspace = o.root
	return info, err
}

// Info adds the states of the tasks.
func (o *owner) Info(ctx context.Context, r ledger.InfoRequest) (ledger.Info, error) {
	info, err := o.API.Info(ctx, r)
	o.tasks.Inform(r, &info)
	return info, err
}

// Close ends the tasks and releases the ledger. It does not wait for a task that is stuck in a system call.
// The error includes those of the tasks.
func (o *owner) Close() error {
	o.stop()
	var stuck error
	if left := o.tasks.Wait(limits.TaskEnd); left != nil {
		stuck = daemon.LeftBehind(left)
	}
	return errors.Join(stuck, o.tasks.Err(), o.API.Close())
}
