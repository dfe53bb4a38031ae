package daemon

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"os/signal"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"ctxledger.dev/engine"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/failpoint"
	"ctxledger.dev/internal/limits"
)

// Task is work that a daemon does beside answering, until its context ends: following session
// files, for example. A task that fails is logged and does not hurt the daemon.
type Task func(ctx context.Context, api engine.API) error

// Config says what a daemon owns.
type Config struct {
	State      string        // state directory, absolute
	Workspace  string        // root of the workspace; "" for the user ledger
	Env        env.Env       // clock, randomness and temporary directory
	Version    string        // of the program, for clients and the log
	Idle       time.Duration // how long it stays without clients; 0: limits.Idle
	Background []Task        // what it does beside answering

	Settings engine.Settings // what the workspace configures

	ready   func()                           // called when clients can come; nil: nothing
	process bool                             // whether the process is this daemon's alone: see Main
	open    func(Config) (engine.API, error) // nil: engine.Open
	listen  func(Config) (listener, error)   // nil: what the platform has
}

// daemon is an owner at work.
type daemon struct {
	config  Config
	api     engine.API
	log     *slog.Logger
	self    owner
	started time.Time

	leave    context.CancelCauseFunc // makes the daemon leave
	leaving  context.Context         // over when it is to leave: long polls end
	hard     context.Context         // over when it cannot wait any longer: every call ends
	tasks    atomic.Int64            // background tasks that have not ended
	conns    sync.WaitGroup          // connections being served
	presence presence
}

// The reasons of its own why a daemon leaves, for its log.
var (
	errIdle  = errors.New("nobody has been here for a while")
	errGone  = errors.New("the state directory is gone")
	errAsked = errors.New("a client asked for it")
)

// ownMessage is what the log says when an owner begins: what follows, up to the next one, is its doing.
const ownMessage = "own"

// Run owns a ledger and serves it until ctx ends, nobody has been connected for c.Idle, a client
// asks it to leave, or the state directory is gone. Then it finishes what it has begun, stops its
// background tasks, and releases the ledger.
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

// openLedger opens the ledger of c, and with it takes the lock that makes the owner.
func openLedger(ctx context.Context, c Config) (engine.API, error) {
	if c.open != nil {
		return c.open(c)
	}
	return engine.Open(ctx, engine.Options{
		State: c.State, Workspace: c.Workspace, Env: c.Env, LockWait: lockWait, Settings: c.Settings,
	})
}

// own serves an open ledger and closes it.
func own(ctx context.Context, c Config, api engine.API, log *slog.Logger) error {
	l, err := openListener(c)
	if err != nil {
		return errors.Join(err, api.Close())
	}
	failpoint.Hit("daemon.listen.bound")
	d := &daemon{config: c, api: api, log: log, started: c.Env.Now().UTC()}
	d.self = owner{
		Protocol: protocol, Version: c.Version, PID: os.Getpid(), Address: l.address,
		Token: c.Env.ID(32), Started: d.started, Workspace: c.Workspace,
	}
	ctx, d.leave = context.WithCancelCause(ctx)
	defer d.leave(nil)
	d.leaving = ctx
	hard, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	d.hard = hard
	d.presence.init(c, d.idle) // from here on it may leave
	defer d.presence.stop()
	if err := d.self.publish(c.State); err != nil {
		return errors.Join(err, l.Close(), l.remove(), api.Close())
	}
	log.Info(ownMessage, "pid", d.self.PID, "version", c.Version, "workspace", c.Workspace, "address", l.address)
	if c.ready != nil {
		c.ready()
	}
	return d.work(l, stop)
}

// openListener opens what clients of c dial.
func openListener(c Config) (listener, error) {
	if c.listen != nil {
		return c.listen(c)
	}
	return listen(c.Env, c.State)
}

// work runs until the daemon is to leave, and leaves.
func (d *daemon) work(l listener, stop context.CancelFunc) error {
	d.tasks.Store(int64(len(d.config.Background))) // before anybody can ask
	var others sync.WaitGroup
	others.Go(func() { d.accept(l) })
	others.Go(d.watch)
	others.Go(d.retain)
	others.Go(d.reserve)
	for _, task := range d.config.Background {
		others.Go(func() { d.background(task) })
	}
	<-d.leaving.Done()
	d.log.Info("leave", "why", context.Cause(d.leaving).Error())

	failpoint.Hit("daemon.leave.begun")
	err := d.withdraw(l)
	failpoint.Hit("daemon.leave.withdrawn")
	impatient := time.AfterFunc(limits.Call, stop)
	d.conns.Wait()
	impatient.Stop()
	stop()
	others.Wait()
	failpoint.Hit("daemon.leave.drained")
	err = errors.Join(err, d.api.Close())
	failpoint.Hit("daemon.leave.closed")
	d.presence.release()
	if err != nil {
		d.log.Error("leave", "error", err.Error())
	}
	return err
}

// withdraw keeps new clients away. What it removes is the owner's only while the state directory
// is the one that it published itself in.
func (d *daemon) withdraw(l listener) error {
	err := l.Close()
	if errors.Is(context.Cause(d.leaving), errGone) {
		return err
	}
	return errors.Join(err, l.remove(), d.self.withdraw(d.config.State))
}

// background runs one task.
func (d *daemon) background(task Task) {
	defer d.tasks.Add(-1)
	err := guarded(d.config.Env, d.log, func() error { return task(d.leaving, d.api) })
	if err != nil && !(d.leaving.Err() != nil && errors.Is(err, context.Canceled)) {
		d.log.Error("background task", "error", err.Error())
	}
}

// idle makes the daemon leave because nobody is there.
func (d *daemon) idle() { d.leave(errIdle) }
