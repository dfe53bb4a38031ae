package link

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/kv/held"
)

// ownerPoll is how often a client that waits for an owner checks that it still exists: owner.json may be
// the leftover of a crash, or have changed.
const ownerPoll = 250 * time.Millisecond

// ErrNobody says that no process listens at a published address.
var ErrNobody = errors.New("no process is listening there")

// whileOwner returns a context that is cancelled with ErrNobody when o is no longer the owner.
func whileOwner(ctx context.Context, o Owner) (_ context.Context, stop func()) {
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
				cancel(ErrNobody)
			}
		}
	})
	return ctx, func() { cancel(nil); work.Wait() }
}

// Dial connects to a published owner and sends hello. Errors: denied and invalid are the owner's answer;
// unavailable says that there was none; ErrNobody, that there is no such process.
func Dial(ctx context.Context, o Owner, want, version string) (net.Conn, Welcome, error) {
	const op = "daemon.dial"
	ctx, stop := whileOwner(ctx, o)
	defer stop()
	conn, err := o.connect(ctx)
	if err != nil {
		return nil, Welcome{}, err
	}
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	inTime := HangUpAfter(conn, Greeting)
	w, err := Introduce(conn, Hello{Protocol: Protocol, Token: o.Token, Version: version, Want: want})
	late := !inTime() || ctx.Err() != nil
	if err == nil {
		return conn, w, nil
	}
	_ = conn.Close() // err says why it is not used
	foreign := fault.Is(err, fault.Unavailable) || fault.Is(err, fault.Denied)
	switch {
	case errors.Is(context.Cause(ctx), ErrNobody) || foreign && o.gone():
		err = fault.Wrap(fault.Unavailable, op, ErrNobody) // another process listens there
	case late:
		err = silent(ctx, o)
	}
	return nil, Welcome{}, err
}

// connect connects to a published owner. Errors: unavailable for one that does not accept connections; ErrNobody, that
// there is no such process.
func (o Owner) connect(ctx context.Context) (net.Conn, error) {
	const op = "daemon.dial"
	if o.InProcess {
		return nil, fault.Wrap(fault.Unavailable, op, ErrNobody)
	}
	network, target, err := SplitAddress(o.Address)
	if err != nil {
		return nil, err
	}
	var d net.Dialer
	conn, err := d.DialContext(ctx, network, target)
	if e, ok := errors.AsType[net.Error](err); ok && e.Timeout() {
		return nil, silent(ctx, o) // it does not even accept connections
	}
	if f := OutOfFiles(err); f != nil {
		return nil, f
	}
	if err != nil {
		return nil, fault.Wrap(fault.Unavailable, op, fmt.Errorf("%w: %w", ErrNobody, err))
	}
	return conn, nil
}

// silent is the error of an owner that exists and does not answer.
func silent(ctx context.Context, o Owner) error {
	return &fault.Error{
		Code: fault.Unavailable, Op: "daemon.dial", Err: ctx.Err(), Hint: fmt.Sprintf(hintStuck, o.PID),
		Message: fmt.Sprintf("the daemon with pid %d does not answer", o.PID),
	}
}

// Meet is Dial for callers that ask whether there is an owner at all. A connection that ends before the
// welcome means that the owner is leaving, and a denied token that it was replaced, so Meet tries again
// until the answer is certain or Greeting has passed. Errors: not_found when no owner has published
// itself, and those of Dial.
func Meet(ctx context.Context, state, want string) (net.Conn, Owner, Welcome, error) {
	const op = "daemon.dial"
	over := time.NewTimer(Greeting)
	defer over.Stop()
	for {
		o, err := ReadOwner(state)
		if err != nil || o.InProcess {
			return nil, o, Welcome{}, err
		}
		conn, w, err := Dial(ctx, o, want, "")
		if err == nil || !fault.Is(err, fault.Unavailable) && !fault.Is(err, fault.Denied) {
			return conn, o, w, err
		}
		if errors.Is(err, ErrNobody) {
			if !held.Held(state) {
				return nil, o, w, err
			}
			err = Unfound(op, state) // the owner is about to publish itself, again perhaps
		}
		select {
		case <-time.After(redial):
		case <-over.C:
			return nil, o, Welcome{}, err
		case <-ctx.Done():
			return nil, o, Welcome{}, late(ctx)
		}
	}
}
