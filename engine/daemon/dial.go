package daemon

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/kv/bolt"
)

// greeting bounds how long each side waits for the other's first frame.
const greeting = 5 * time.Second

// ownerPoll is how often a client that waits for an owner checks that it still exists: owner.json may be
// the leftover of a crash, or have changed.
const ownerPoll = 250 * time.Millisecond

// errNobody says that no process listens at a published address.
var errNobody = errors.New("no process is listening there")

// hangUpAfter closes conn after d, unless stop is called before.
func hangUpAfter(conn net.Conn, d time.Duration) (stop func() bool) {
	return time.AfterFunc(d, func() { _ = conn.Close() }).Stop // the other side of conn sees the error
}

// whileOwner returns a context that is cancelled with errNobody when o is no longer the owner.
func whileOwner(ctx context.Context, o owner) (_ context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	var work sync.WaitGroup
	work.Go(func() {
		tick := time.NewTicker(ownerPoll)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
			case <-ctx.Done():
				return
			}
			if o.gone() {
				cancel(errNobody)
			}
		}
	})
	return ctx, func() { cancel(nil); work.Wait() }
}

// dial connects to a published owner and sends hello. Errors: denied and invalid are the owner's answer;
// unavailable says that there was none; errNobody, that there is no such process.
func dial(ctx context.Context, o owner, want, version string) (net.Conn, welcome, error) {
	const op = "daemon.dial"
	if o.InProcess {
		return nil, welcome{}, fault.Wrap(fault.Unavailable, op, errNobody)
	}
	network, target, err := splitAddress(o.Address)
	if err != nil {
		return nil, welcome{}, err
	}
	ctx, stop := whileOwner(ctx, o)
	defer stop()
	var d net.Dialer
	conn, err := d.DialContext(ctx, network, target)
	if e, ok := errors.AsType[net.Error](err); ok && e.Timeout() {
		return nil, welcome{}, silent(ctx, o) // it does not even accept connections
	}
	if f := outOfFiles(err); f != nil {
		return nil, welcome{}, f
	}
	if err != nil {
		return nil, welcome{}, fault.Wrap(fault.Unavailable, op, fmt.Errorf("%w: %w", errNobody, err))
	}
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	inTime := hangUpAfter(conn, greeting)
	w, err := introduce(conn, hello{Protocol: protocol, Token: o.Token, Version: version, Want: want})
	late := !inTime() || ctx.Err() != nil
	if err == nil {
		return conn, w, nil
	}
	_ = conn.Close() // err says why it is not used
	foreign := fault.Is(err, fault.Unavailable) || fault.Is(err, fault.Denied)
	switch {
	case errors.Is(context.Cause(ctx), errNobody) || foreign && o.gone():
		err = fault.Wrap(fault.Unavailable, op, errNobody) // another process listens there
	case late:
		err = silent(ctx, o)
	}
	return nil, welcome{}, err
}

// silent is the error of an owner that exists and does not answer.
func silent(ctx context.Context, o owner) error {
	return &fault.Error{
		Code: fault.Unavailable, Op: "daemon.dial", Message: fmt.Sprintf("the daemon with pid %d does not answer", o.PID),
		Hint: fmt.Sprintf(hintStuck, o.PID), Err: ctx.Err(),
	}
}

// meet is dial for callers that ask whether there is an owner at all. A connection that ends before the
// welcome means that the owner is leaving, and a denied token that it was replaced, so meet tries again
// until the answer is certain or greeting has passed. Errors: not_found when no owner has published
// itself, and those of dial.
func meet(ctx context.Context, state, want string) (net.Conn, owner, welcome, error) {
	const op = "daemon.dial"
	over := time.NewTimer(greeting)
	defer over.Stop()
	for {
		o, err := readOwner(state)
		if err != nil || o.InProcess {
			return nil, o, welcome{}, err
		}
		conn, w, err := dial(ctx, o, want, "")
		if err == nil || !fault.Is(err, fault.Unavailable) && !fault.Is(err, fault.Denied) {
			return conn, o, w, err
		}
		if errors.Is(err, errNobody) {
			if !bolt.Held(state) {
				return nil, o, w, err
			}
			err = unfound(op, state) // the owner is about to publish itself, again perhaps
		}
		select {
		case <-time.After(redial):
		case <-over.C:
			return nil, o, welcome{}, err
		case <-ctx.Done():
			return nil, o, welcome{}, late(ctx)
		}
	}
}

// introduce sends hello and returns the owner's welcome.
func introduce(conn net.Conn, h hello) (welcome, error) {
	const op = "daemon.dial"
	if err := writeJSON(conn, h); err != nil {
		return welcome{}, fault.Wrap(fault.Unavailable, op, err)
	}
	var w welcome
	if err := readJSON(conn, limits.Frame, &w); err != nil {
		return welcome{}, fault.Wrap(fault.Unavailable, op, err)
	}
	if w.Error != nil {
		return welcome{}, w.Error
	}
	return w, nil
}
