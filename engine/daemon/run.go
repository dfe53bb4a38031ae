package daemon

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"time"

	"ctxledger.dev/engine"
	"ctxledger.dev/engine/daemon/link"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/failpoint"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/ledger"
	"ctxledger.dev/workspace"
)

// Config says what a daemon owns.
type Config struct {
	State     string        // state directory, absolute
	Workspace string        // root of the workspace; "" for the user ledger
	Env       env.Env       // clock, randomness and temporary directory
	Version   string        // of the program, for clients and the log
	Idle      time.Duration // idle timeout; 0: limits.Idle

	Background func(log *slog.Logger) []Task     // its background tasks, which log there; nil: none
	Settings   func(tree string) engine.Settings // the settings of a tree of the workspace; nil: none
	Hook       HookAnswerer                      // nil: hooks of agents get no answer

	ready   func()                           // called when clients can connect; nil: nothing
	process bool                             // whether the process serves only this daemon: see Main
	open    func(Config) (ledger.API, error) // nil: engine.Open
	listen  func(Config) (listener, error)   // nil: the listener of the platform
}

// daemon is a running owner.
type daemon struct {
	config  Config
	api     ledger.API
	log     *slog.Logger
	self    link.Owner
	started time.Time

	leave    context.CancelCauseFunc // makes the daemon leave
	leaving  context.Context         // done when it starts to leave: long polls end
	hard     context.Context         // done when it cannot wait any longer: every call ends
	tasks    *Tasks                  // its background tasks
	conns    sync.WaitGroup          // connections being served
	presence presence
}

// The reasons why a daemon leaves, for its log.
var (
	errIdle  = errors.New("idle timeout")
	errGone  = errors.New("the state directory is gone")
	errAsked = errors.New("a client requested it")
	errOther = errors.New("a different repository is now at the root of the workspace")
)

// Run owns a ledger and serves it until ctx ends, nobody has needed it for c.Idle (see unneeded), a client
// asks it to leave, or the state directory is gone. Then it finishes in-flight calls, stops its background
// tasks, and releases the ledger. Clients that are connected then find the next owner with their next call.
//
// Errors: those of engine.Open, in particular unavailable when another process owns the ledger;
// denied or unavailable when it cannot listen or log.
func Run(ctx context.Context, c Config) error {
	if c.Idle == 0 {
		c.Idle = limits.Idle
	}
	api, err := openLedger(ctx, c)
	if err != nil {
		return err
	}
	if c.process {
		var stop context.CancelFunc
		ctx, stop = signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
		defer stop()
	}
	file, err := openLog(c.State, c.process)
	if err != nil {
		return errors.Join(err, api.Close())
	}
	err = own(ctx, c, api, logger(file, c.Env))
	return errors.Join(err, file.Close())
}

// openLedger opens the ledger of c, whose lock makes this process the owner.
func openLedger(ctx context.Context, c Config) (ledger.API, error) {
	if c.open != nil {
		return c.open(c)
	}
	if err := checkPlace(c.Env, c.State, c.Workspace); err != nil {
		return nil, err
	}
	return engine.Open(ctx, engineOptions(c.Env, c.State, c.Workspace, c.Settings))
}

// engineOptions returns the options for the ledger in state, of a workspace with all its trees.
func engineOptions(e env.Env, state, root string, settings func(string) engine.Settings) engine.Options {
	o := engine.Options{State: state, Workspace: root, Env: e, LockWait: lockWait, SettingsOf: settings}
	if root != "" {
		o.Trees = func() []string { return workspace.Trees(e, root) }
		o.Former = workspace.ReadPlace(state).Former
	}
	return o
}

// own serves an open ledger and closes it.
func own(ctx context.Context, c Config, api ledger.API, log *slog.Logger) error {
	l, err := openListener(c)
	if err != nil {
		return errors.Join(err, api.Close())
	}
	failpoint.Hit("daemon.listen.bound")
	d := &daemon{config: c, api: api, log: log, started: c.Env.Now().UTC()}
	d.self = link.Owner{
		Protocol: link.Protocol, Version: c.Version, PID: os.Getpid(), Address: l.address,
		Token: c.Env.ID(32), Started: d.started, Workspace: c.Workspace,
	}
	ctx, d.leave = context.WithCancelCause(ctx)
	defer d.leave(nil)
	d.leaving = ctx
	hard, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	d.hard = hard
	d.presence.init(c.Env)
	if err := publish(d.self, c.State); err != nil {
		return errors.Join(err, l.Close(), l.remove(), api.Close())
	}
	log.Info(link.OwnMessage, "pid", d.self.PID, "version", c.Version, "workspace", c.Workspace, "address", l.address)
	if c.ready != nil {
		c.ready()
	}
	return d.work(l, stop)
}

// openListener opens the listener of c.
func openListener(c Config) (listener, error) {
	if c.listen != nil {
		return c.listen(c)
	}
	return listen(c.Env, c.State)
}

// work serves until the daemon must leave, and shuts down.
func (d *daemon) work(l listener, stop context.CancelFunc) error {
	// The tasks start before the first client can ask for their states.
	tasks := d.own()
	if d.config.Background != nil {
		tasks = append(tasks, d.config.Background(d.log)...)
	}
	d.tasks = StartTasks(d.leaving, d.api, d.config.Env, d.log, tasks)
	accepting := make(chan struct{})
	go func() { defer close(accepting); d.accept(l) }()
	<-d.leaving.Done()
	d.log.Info("leave", "why", context.Cause(d.leaving).Error())
	departed := make(chan error, 1)
	go func() { departed <- d.depart(l, accepting, stop) }()
	err := d.await(departed, stop)
	if err != nil {
		d.log.Error("leave", "error", err.Error())
	}
	return err
}

// OwnTasks returns the tasks of every daemon, for inventories.
func OwnTasks() []Task { return (&daemon{}).own() }

// own returns the tasks of every daemon.
func (d *daemon) own() []Task {
	return []Task{
		{Name: "watching the state directory", Run: d.watch},
		KeepPrivate(),
		{Name: "applying the retention policy", Step: retainStep, Run: d.retain},
		{Name: "reserving space for deletions", Run: d.reserve},
		{Name: "indexing words", Run: d.index},
		{Name: "recording whose ledger this is", Step: limits.Call, Run: d.keepPlace},
	}
}

// depart finishes in-flight calls and releases the ledger.
func (d *daemon) depart(l listener, accepting <-chan struct{}, stop context.CancelFunc) error {
	failpoint.Hit("daemon.leave.begun")
	ended := make(chan []string, 1)
	go func() { ended <- d.tasks.Wait(limits.TaskEnd) }()
	withdrawn := make(chan error, 1)
	go func() { withdrawn <- d.withdraw(l) }()
	var err error
	select {
	case err = <-withdrawn:
	case <-time.After(limits.TaskEnd): // clients that read the leftover owner.json find no listener
		err = fault.New(fault.Unavailable, "daemon.withdraw", "%s could not be removed in time", link.OwnerName)
	}
	failpoint.Hit("daemon.leave.withdrawn")
	impatient := time.AfterFunc(limits.Call, stop)
	<-accepting
	d.conns.Wait()
	impatient.Stop()
	stop()
	if left := <-ended; left != nil {
		err = errors.Join(err, LeftBehind(left))
	}
	failpoint.Hit("daemon.leave.drained")
	err = errors.Join(err, d.api.Close())
	failpoint.Hit("daemon.leave.closed")
	d.presence.release()
	return err
}

// await waits for depart, with a timeout: if it does not return, perhaps because a disk hangs, the end of
// the process releases the ledger. Acknowledged data is on disk.
func (d *daemon) await(departed <-chan error, stop context.CancelFunc) error {
	stuck := time.AfterFunc(limits.TaskEnd, func() {
		if len(d.tasks.Wait(0)) > 0 {
			stop() // calls may wait for that task
		}
	})
	defer stuck.Stop()
	late := time.NewTimer(limits.Leave)
	defer late.Stop()
	for began := d.config.Env.Now(); ; late.Reset(limits.Leave) {
		select {
		case err := <-departed:
			return err
		case <-late.C:
		}
		left := d.tasks.Wait(0)
		if len(left) > 0 || d.config.Env.Now().Sub(began) > limits.Call+limits.Leave {
			return LeftBehind(left)
		}
	}
}

// LeftBehind is the error of an owner that leaves although tasks have not ended.
func LeftBehind(tasks []string) error {
	return fault.New(fault.Unavailable, "daemon.leave",
		"background tasks did not finish and were abandoned: %s", strings.Join(tasks, ", "))
}

// withdraw closes the listener and removes its files, unless the state directory was replaced: then they
// are another owner's.
func (d *daemon) withdraw(l listener) error {
	err := l.Close()
	if errors.Is(context.Cause(d.leaving), errGone) {
		return err
	}
	return errors.Join(err, l.remove(), withdraw(d.self, d.config.State))
}
