package daemon

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"ctxledger.dev/engine/daemon/link"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/internal/pulse"
	"ctxledger.dev/internal/redact"
	"ctxledger.dev/ledger"
)

// Task is background work of an owner until its context ends, for example following session files. A task
// that fails affects no other.
type Task struct {
	Name  string        // what it does, for status and log
	Step  time.Duration // how long one step may take before the task counts as stuck; 0: limits.TaskStep
	Hosts []string      // the agents whose session files it follows, for ledger.TaskFollow
	// Off says which setting keeps it from following the sessions of a tree, "" for none, for ledger.TaskFollow.
	Off func(tree string) string
	// Polls says why files are polled that should be watched, of all tasks; nil: nothing is known of it.
	Polls func() *ledger.Polling
	// Run does the work. It calls Beat before each step and Rest before it waits.
	Run func(ctx context.Context, api ledger.API, p *pulse.Pulse) error
}

// every runs step at once and then at each interval, until ctx ends or step fails.
func every(ctx context.Context, interval time.Duration, p *pulse.Pulse, step func() error) error {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		p.Beat()
		if err := step(); err != nil {
			return err
		}
		p.Rest()
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// Tasks are the running background tasks of one owner.
type Tasks struct {
	env   env.Env
	all   []*job
	ended chan struct{} // closed when all have
}

// job is one running task.
type job struct {
	Task
	pulse *pulse.Pulse

	mu    sync.Mutex
	ended time.Time // guarded by mu; zero: not yet
	err   error     // guarded by mu; its result
	said  string    // guarded by mu; err, with secrets masked
}

// StartTasks starts tasks, each on a goroutine of its own. Their errors are logged.
func StartTasks(ctx context.Context, api ledger.API, e env.Env, log *slog.Logger, tasks []Task) *Tasks {
	t := &Tasks{env: e, ended: make(chan struct{})}
	masks := redact.New([]byte(e.ID(link.MaskKey))) // clients see the error of a task
	var work sync.WaitGroup
	for _, task := range tasks {
		r := &job{Task: task, pulse: pulse.New(e.Now)}
		t.all = append(t.all, r)
		work.Go(func() {
			err := guarded(e, log, func() error { return task.Run(ctx, api, r.pulse) })
			if ctx.Err() != nil && errors.Is(err, context.Canceled) {
				err = nil
			}
			if err != nil {
				log.Error("background task", "task", task.Name, "error", err.Error())
			}
			r.mu.Lock()
			defer r.mu.Unlock()
			if r.ended, r.err = e.Now(), err; err != nil {
				r.said = masks.String(err.Error())
			}
		})
	}
	go func() { work.Wait(); close(t.ended) }()
	return t
}

// Inform adds the states of the tasks to the answer to a request.
func (t *Tasks) Inform(asked ledger.InfoRequest, info *ledger.Info) {
	for _, r := range t.all {
		s := r.state(t.env.Now())
		info.Tasks = append(info.Tasks, s)
		if r.Polls != nil {
			info.Polling = r.Polls()
		}
		if s.Name == ledger.TaskFollow {
			if r.Off != nil {
				info.FollowOff = r.Off(asked.Tree)
			}
			info.Following = info.FollowOff == "" && (s.State == ledger.TaskWaiting || s.State == ledger.TaskWorking)
			info.Hosts = r.Hosts
		}
	}
}

// state returns the state of one task.
func (r *job) state(now time.Time) ledger.TaskState {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := ledger.TaskState{Name: r.Name}
	if !r.ended.IsZero() {
		s.State, s.Seconds = ledger.TaskEnded, now.Sub(r.ended).Seconds()
		if r.err != nil {
			s.State, s.Error = ledger.TaskFailed, r.said
		}
		return s
	}
	took, rests := r.pulse.Step()
	s.State, s.Seconds = ledger.TaskWorking, took.Seconds()
	switch {
	case rests:
		s.State = ledger.TaskWaiting
	case took >= cmp.Or(r.Step, limits.TaskStep):
		s.State = ledger.TaskStuck
	}
	return s
}

// Wait waits for all tasks, at most d, and returns the names of those that have not ended: nothing can
// interrupt a system call. Their context must be done.
func (t *Tasks) Wait(d time.Duration) (left []string) {
	over := time.NewTimer(d)
	defer over.Stop()
	select {
	case <-t.ended:
		return nil
	case <-over.C:
	}
	for _, r := range t.all {
		r.mu.Lock()
		if r.ended.IsZero() {
			left = append(left, r.Name)
		}
		r.mu.Unlock()
	}
	return left
}

// Err returns the errors of the tasks that have ended.
func (t *Tasks) Err() (err error) {
	for _, r := range t.all {
		r.mu.Lock()
		err = errors.Join(err, r.err)
		r.mu.Unlock()
	}
	return err
}
