package daemon

import (
	"context"
	"errors"
	"fmt"
	"time"

	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/kv/bolt"
)

const (
	// redial is how long a client waits before it looks for the owner again; up to as much is
	// added at random, so that clients do not move in step.
	redial = 2 * time.Millisecond
	// respawn is how long a client waits after a daemon that found the ledger taken: its owner is
	// about to publish itself, or about to leave.
	respawn = 100 * time.Millisecond
	// yield is how long a client waits for a process that keeps the ledger to itself: it may be a
	// short command.
	yield = time.Second
)

// seeker looks for the owner of a ledger, and starts one where there is none.
type seeker struct {
	o        Options
	starts   starts
	children []int // processes started by this client that may have to be collected
}

// locks is what one search knows of the ledger's lock from the daemons that could not have it.
type locks struct {
	token string    // of the process that keeps the ledger to itself; "": none has been seen
	since time.Time // when it was seen first
	last  bool      // whether the newest daemon found the lock taken
}

// note records that a daemon found the lock taken. The error ends the search: a living process keeps
// the ledger to itself, has done so for a while, and says so.
func (k *locks) note(state string, now time.Time) error {
	k.last = true
	o, err := readOwner(state)
	if err != nil || !o.holds() {
		k.token = ""
		return nil // an owner that is about to publish itself, or about to leave
	}
	if o.Token != k.token {
		k.token, k.since = o.Token, now
	}
	if now.Sub(k.since) < yield {
		return nil
	}
	return o.exclusive("daemon.open", state)
}

// reach returns a connection to the owner, a new one if need be, within limits.Connect.
func (s *seeker) reach(ctx context.Context) (*link, error) {
	ctx, cancel := context.WithTimeout(ctx, limits.Connect)
	defer cancel()
	s.collect()
	var (
		child *starting
		taken locks
		mine  = turn{patience: scattered(s.o.Env, turnWait)}
	)
	defer func() { s.part(child); mine.end() }()
	next := later(s.o.Env.Now(), s.starts.next) // when a daemon may be started
	for {
		l, why := s.try(ctx)
		if l != nil {
			if child != nil && child.process.Pid != l.pid {
				if !child.dismiss() { // somebody else was faster; it must not wait to be next
					child = nil
				}
			}
			s.starts = starts{}
			return l, nil
		}
		if fault.Is(why, fault.Invalid) || fault.Is(why, fault.Limited) {
			return nil, why // the owner does not speak with us
		}
		if ctx.Err() != nil {
			return nil, s.unreached(ctx, why, taken.last)
		}
		due := child == nil && !s.o.Env.Now().Before(next)
		if due && !s.o.NoSpawn && !mine.taken && mine.take(s.o.State, s.o.Env.Now()) {
			continue
		}
		if due && (mine.taken || s.o.NoSpawn) {
			var err error
			if child, err = s.start(); err != nil {
				return nil, err
			}
		}
		select {
		case said := <-child.reported():
			mine.lapse()
			err := s.heed(child, said, &taken)
			child, next = nil, later(s.o.Env.Now().Add(respawn), s.starts.next)
			if err != nil {
				return nil, err
			}
		case <-time.After(s.pause()):
		case <-ctx.Done():
			return nil, s.unreached(ctx, why, taken.last)
		}
	}
}

// part lets a started daemon go on by itself. nil: there is none.
func (s *seeker) part(child *starting) {
	if child != nil {
		s.children = append(s.children, child.abandon())
	}
}

// unreached is the error of a search that found nobody in time. taken says that somebody has the lock.
func (s *seeker) unreached(ctx context.Context, why error, taken bool) error {
	if s.starts.deaths > 0 {
		return crashLoop(s.o.State, s.starts.deaths, "while starting", s.starts.cause)
	}
	hint := fault.HintOf(why)
	if taken && hint == "" {
		hint = hintUnknown
	}
	return &fault.Error{
		Code: fault.Unavailable, Op: "daemon.open", Err: ctx.Err(), Hint: hint,
		Message: fmt.Sprintf("no owner of the ledger in %s could be reached (%s)", s.o.State, why),
	}
}

// try dials the published owner. A missing or damaged owner.json is an owner that is not there,
// and so is one that is not the published one: only invalid and limited are final.
func (s *seeker) try(ctx context.Context) (*link, error) {
	o, err := readOwner(s.o.State)
	if err != nil {
		return nil, err
	}
	conn, w, err := dial(ctx, o, wantCalls, s.o.Version)
	if err != nil {
		return nil, err
	}
	if w.Protocol < protocol {
		_ = conn.Close() // nothing was said on it
		if err := askToLeave(ctx, o); err != nil {
			return nil, err
		}
		return nil, fault.New(fault.Unavailable, "daemon.open", "an older owner was asked to leave")
	}
	return newLink(conn, o, w.PID), nil
}

// start starts a daemon, unless that is not wanted.
func (s *seeker) start() (*starting, error) {
	if s.o.NoSpawn {
		if o, err := readOwner(s.o.State); err == nil && o.holds() {
			return nil, o.exclusive("daemon.open", s.o.State)
		}
		return nil, fault.New(fault.Unavailable, "daemon.open", "no daemon runs for the ledger in %s", s.o.State)
	}
	return spawn(s.o)
}

// heed takes what a started daemon has reported, and returns the error that ends the search.
func (s *seeker) heed(child *starting, said error, taken *locks) error {
	taken.last = false
	if said == nil {
		s.part(child)
		return nil
	}
	if dead, ok := errors.AsType[*crashed](said); ok {
		if cause, killed := dead.death(child.ended()); !killed {
			s.starts.died(s.o.Env.Now(), quotable(s.o.Env, cause))
		}
		return s.starts.check(s.o.State)
	}
	child.discard()
	if bolt.IsLocked(said) {
		return taken.note(s.o.State, s.o.Env.Now())
	}
	return said
}

// later returns the later of two times.
func later(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}

// pause returns how long to wait before looking again.
func (s *seeker) pause() time.Duration { return scattered(s.o.Env, redial) }

// scattered returns a random duration between d and twice that.
func scattered(e env.Env, d time.Duration) time.Duration {
	var p [1]byte
	e.Random(p[:])
	return d + d*time.Duration(p[0])/256
}

// collect takes the exit status of the daemons that this client started and that have ended.
func (s *seeker) collect() {
	left := s.children[:0]
	for _, pid := range s.children {
		if !reap(pid) {
			left = append(left, pid)
		}
	}
	s.children = left
}
