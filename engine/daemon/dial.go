package daemon

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
)

// greeting bounds how long either side waits for the other's first frame.
const greeting = 5 * time.Second

// errNobody says that nobody listens at a published address.
var errNobody = errors.New("nobody listens there")

// hangUpAfter closes conn when d has passed, unless stop is called before.
func hangUpAfter(conn net.Conn, d time.Duration) (stop func() bool) {
	return time.AfterFunc(d, func() { _ = conn.Close() }).Stop // closing is all that is wanted
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
	var d net.Dialer
	conn, err := d.DialContext(ctx, network, target)
	if err != nil {
		return nil, welcome{}, fault.Wrap(fault.Unavailable, op, fmt.Errorf("%w: %w", errNobody, err))
	}
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	inTime := hangUpAfter(conn, greeting)
	w, err := introduce(conn, hello{Protocol: protocol, Token: o.Token, Version: version, Want: want})
	if silent := !inTime() || ctx.Err() != nil; err != nil && silent {
		err = &fault.Error{
			Code: fault.Unavailable, Op: op, Message: fmt.Sprintf("the daemon with pid %d does not answer", o.PID), Err: ctx.Err(),
			Hint: fmt.Sprintf(hintStuck, o.PID),
		}
	}
	if err != nil {
		_ = conn.Close() // err says why it is not used
		return nil, welcome{}, err
	}
	return conn, w, nil
}

// meet is dial for who wants to know whether there is an owner at all: a connection that ends before
// the welcome is an owner about to go, so it looks again until the answer is certain or greeting is
// over.
func meet(ctx context.Context, o owner, want string) (net.Conn, welcome, error) {
	over := time.NewTimer(greeting)
	defer over.Stop()
	for {
		conn, w, err := dial(ctx, o, want, "")
		if err == nil || errors.Is(err, errNobody) || !fault.Is(err, fault.Unavailable) {
			return conn, w, err
		}
		select {
		case <-time.After(redial):
		case <-over.C:
			return nil, welcome{}, err
		case <-ctx.Done():
			return nil, welcome{}, late(ctx)
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
