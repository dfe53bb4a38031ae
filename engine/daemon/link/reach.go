package link

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
)

const (
	// redial is the first delay before a client looks for the owner again, plus up to as much random jitter. It grows with
	// the time waited: many clients that ask often slow down the owner that they wait for.
	redial = 2 * time.Millisecond
	// respawn is the delay after a daemon that found the ledger locked: the lock's owner is about to
	// publish itself, or to leave.
	respawn = 100 * time.Millisecond
	// yield is how long a client waits for a process that owns the ledger exclusively: it may be a short
	// command.
	yield = time.Second
)

// seeker finds the owner of a ledger, and starts one if there is none.
type seeker struct {
	o        Options
	starts   starts
	children []int // processes started by this client, whose exit status may have to be collected
}

// locks is what one search has learned about the ledger's lock from daemons that could not take it.
type locks struct {
	token string    // of the process that owns the ledger exclusively; "": none has been seen
	since time.Time // when it was seen first
	last  bool      // whether the newest daemon found the ledger locked
}

// note records that a daemon found the ledger locked. The error ends the search: a running process has
// owned the ledger exclusively for longer than yield.
func (k *locks) note(state string, now time.Time) error {
	k.last = true
	o, err := ReadOwner(state)
	if err != nil || !o.Holds() {
		k.token = ""
		return nil // an owner that is about to publish itself, or about to leave
	}
	if o.Token != k.token {
		k.token, k.since = o.Token, now
	}
	if now.Sub(k.since) < yield {
		return nil
	}
	return o.Exclusive("daemon.open", state)
}

// reach returns a connection to the owner, a new one if need be, within limits.Connect.
func (s *seeker) reach(ctx context.Context) (*Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, limits.Connect)
	defer cancel()
	s.collect()
	var (
		child *starting
		taken locks
		mine  = turn{patience: scattered(s.o.Env, turnWait)}
	)
	defer func() { s.part(child); mine.end() }()
	began := s.o.Env.Now()
	next := env.Later(began, s.starts.next) // when a daemon may be started
	for {
		l, why := s.try(ctx)
		if l != nil {
			if child != nil && child.process.Pid != l.pid {
				if !child.dismiss() { // another process was faster; the child must not wait for its turn
					child = nil
				}
			}
			s.starts = starts{}
			return l, nil
		}
		if fault.Is(why, fault.Invalid) || fault.Is(why, fault.Limited) {
			return nil, why // the owner refuses this client
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
			child, next = nil, env.Later(s.o.Env.Now().Add(respawn), s.starts.next)
			if err != nil {
				return nil, err
			}
		case <-time.After(s.pause(began)):
		case <-ctx.Done():
			return nil, s.unreached(ctx, why, taken.last)
		}
	}
}

// part detaches from a started daemon, which keeps running. nil: there is none.
func (s *seeker) part(child *starting) {
	if child != nil {
		s.children = append(s.children, child.abandon())
	}
}

// unreached is the error of a search that found no owner in time. taken says that a process has the lock.
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

// try dials the published owner. A missing, damaged or outdated owner.json means that there is no owner
// yet: only the errors invalid and limited are final.
func (s *seeker) try(ctx context.Context) (*Conn, error) {
	o, err := ReadOwner(s.o.State)
	if err != nil {
		return nil, err
	}
	conn, w, err := Dial(ctx, o, WantCalls, s.o.Version)
	if err != nil {
		return nil, err
	}
	// After an upgrade, an owner of the earlier program would go on for as long as somebody uses it.
	if w.Protocol < Protocol || !s.o.NoSpawn && older(w.Version, s.o.Version) {
		_ = conn.Close() // nothing was sent on it
		if err := askToLeave(ctx, o); err != nil {
			return nil, err
		}
		return nil, olderOwner()
	}
	return NewConn(conn, o, w.PID), nil
}

// older reports whether one version is before another. What is not made of numbers is neither.
func older(a, b string) bool {
	x, y := numbers(a), numbers(b)
	return x != nil && y != nil && slices.Compare(x, y) < 0
}

// numbers returns the numbers of a version; nil: it has other parts.
func numbers(version string) (list []int) {
	for part := range strings.SplitSeq(version, ".") {
		n, err := strconv.Atoi(part)
		if err != nil {
			return nil
		}
		list = append(list, n)
	}
	return list
}

// start starts a daemon, unless that is not wanted.
func (s *seeker) start() (*starting, error) {
	if s.o.NoSpawn {
		if o, err := ReadOwner(s.o.State); err == nil && o.Holds() {
			return nil, o.Exclusive("daemon.open", s.o.State)
		}
		return nil, noDaemon(s.o.State)
	}
	return spawn(s.o)
}

// noDaemon is the error of a search that may start no daemon.
func noDaemon(state string) error {
	return fault.New(fault.Unavailable, "daemon.open", "no daemon runs for the ledger in %s", state)
}

// heed handles the report of a started daemon, and returns the error that ends the search.
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
	if fault.Is(said, fault.Locked) {
		return taken.note(s.o.State, s.o.Env.Now())
	}
	return said
}

// pause returns how long a search that began at an instant waits before it looks again.
func (s *seeker) pause(began time.Time) time.Duration {
	return scattered(s.o.Env, redial+max(0, s.o.Env.Now().Sub(began))/32)
}

// scattered returns a random duration from d to 2d.
func scattered(e env.Env, d time.Duration) time.Duration {
	var p [1]byte
	e.Random(p[:])
	return d + d*time.Duration(p[0])/256
}

// collect reaps the ended daemons that this client started.
func (s *seeker) collect() { s.children = slices.DeleteFunc(s.children, reap) }
