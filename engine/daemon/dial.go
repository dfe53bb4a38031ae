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

// greeting bounds how long either side waits for the other's first frame.
const greeting = 5 * time.Second

// glance is how long an owner may be silent until a client looks whether it is there at all, and how
// often it looks again: owner.json may have been left by one that died, or have been changed.
const glance = 250 * time.Millisecond

// errNobody says that nobody listens at a published address.
var errNobody = errors.New("nobody listens there")

// hangUpAfter closes conn when d has passed, unless stop is called before.
func hangUpAfter(conn net.Conn, d time.Duration) (stop func() bool) {
	return time.AfterFunc(d, func() { _ = conn.Close() }).Stop // closing is all that is wanted
}

// whileOwner returns a context that ends with errNobody as soon as o is seen not to be the owner.
func whileOwner(ctx context.Context, o owner) (_ context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	var work sync.WaitGroup
	work.Go(func() {
		tick := time.NewTicker(glance)
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

// dial connects to a published owner and introduces this process. An error of code denied or
// invalid is the owner's answer; unavailable, that there is none; with errNobody, that there is no
// process.
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
		return nil, welcome{}, silent(ctx, o) // it does not even take connections any more
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
		err = fault.Wrap(fault.Unavailable, op, errNobody) // it is somebody else who listens there
	case late:
		err = silent(ctx, o)
	}
	return nil, welcome{}, err
}

// silent is the error of an owner that is there and does not answer.
func silent(ctx context.Context, o owner) error {
	return &fault.Error{
		Code: fault.Unavailable, Op: "daemon.dial", Message: fmt.Sprintf("the daemon with pid %d does not answer", o.PID),
		Hint: fmt.Sprintf(hintStuck, o.PID), Err: ctx.Err(),
	}
}

// meet is dial for who wants to know whether there is an owner at all: a connection that ends before
// the welcome is an owner about to go, and a token that is not taken one that has gone, so it looks
// again until the answer is certain or greeting is over. Errors: not_found when no owner has published
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
			err = unfound(op, state) // it is about to publish itself, or to say anew where it is
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
