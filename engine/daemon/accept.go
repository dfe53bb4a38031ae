package daemon

import (
	"context"
	"crypto/subtle"
	"errors"
	"net"
	"time"

	"ctxledger.dev/internal/failpoint"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
)

// breath is how long the daemon waits when a connection could not be accepted: for lack of file
// descriptors, say, of which others will be given back.
const breath = 50 * time.Millisecond

// accept serves connections until the listener is closed.
func (d *daemon) accept(l listener) {
	for said := false; ; {
		conn, err := l.Accept()
		if errors.Is(err, net.ErrClosed) || d.leaving.Err() != nil {
			return
		}
		if err != nil {
			if !said {
				d.log.Warn("accept", "error", err.Error())
			}
			said = true
			select {
			case <-time.After(breath):
			case <-d.leaving.Done():
			}
			continue
		}
		said = false
		d.conns.Go(func() { d.serve(conn) })
	}
}

// serve gives a new connection to what it wants.
func (d *daemon) serve(conn net.Conn) {
	h, refusal := d.greet(conn)
	if refusal != nil {
		_ = conn.Close() // it has been told, if it listens
		return
	}
	if h.Want == wantLeave {
		d.presence.hold(conn)
		d.leave(errAsked)
		return
	}
	defer conn.Close() // whoever is there has what it came for, or is gone
	defer d.presence.exit()
	switch h.Want {
	case wantCalls:
		d.serveCalls(conn)
	case wantPut:
		d.servePut(conn)
	case wantRead:
		d.serveRead(conn)
	}
}

// greet receives a client and answers it. Who is let in is counted, unless it asks to leave.
func (d *daemon) greet(conn net.Conn) (hello, error) {
	defer hangUpAfter(conn, greeting)()
	unwatch := context.AfterFunc(d.leaving, func() { _ = conn.Close() })
	var h hello
	err := readJSON(conn, helloFrame, &h)
	// From here on the connection is not cut off: a client that has been welcomed is taken leave of,
	// or it would believe that this owner died.
	if !unwatch() && err == nil {
		err = d.leaving.Err()
	}
	if err != nil {
		return h, err
	}
	failpoint.Hit("daemon.greet.heard")
	w := welcome{Protocol: protocol, PID: d.self.PID, Version: d.self.Version, Started: d.started}
	w.Error = d.judge(h)
	if w.Error == nil && h.Want != wantLeave && !d.presence.enter() {
		w.Error = full(descriptors())
	}
	if w.Error != nil {
		d.log.Warn("refused", "error", w.Error.Message)
		_ = writeJSON(conn, w) // it is turned away in any case
		return h, w.Error
	}
	if err := writeJSON(conn, w); err != nil {
		if h.Want != wantLeave {
			d.presence.exit()
		}
		return h, err
	}
	failpoint.Hit("daemon.greet.welcomed")
	return h, nil
}

// judge returns why a client is not let in, or nil.
func (d *daemon) judge(h hello) *fault.Error {
	const op = "daemon.greet"
	switch {
	case subtle.ConstantTimeCompare([]byte(h.Token), []byte(d.self.Token)) != 1:
		return fault.New(fault.Denied, op, "the token is not that of this daemon")
	case h.Want == wantLeave:
		return nil // understood in every protocol
	case h.Protocol < oldestProtocol:
		return fault.New(fault.Invalid, op, "the daemon no longer serves protocol %d", h.Protocol).
			WithHint("update this program, or run its newer version: ctxledger daemon stop")
	case h.Want != wantCalls && h.Want != wantPut && h.Want != wantRead:
		return fault.New(fault.Invalid, op, "a connection for %.1000q is not offered", h.Want)
	}
	return nil
}

// send writes a response, and hangs up on a client that does not take it.
func (d *daemon) send(conn net.Conn, r response) {
	defer hangUpAfter(conn, limits.Call)()
	frame, err := message(r, r.attachment)
	if err == nil {
		_, err = conn.Write(frame)
	}
	if fault.Is(err, fault.TooLarge) {
		f := toWire(err, d.config.Env, d.log)
		f.Message = "the answer is too long: " + f.Message
		err = writeJSON(conn, response{ID: r.ID, Error: f.WithHint("ask for less at a time")})
	}
	if err != nil {
		_ = conn.Close() // the reader of conn notices
	}
}
