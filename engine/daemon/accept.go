package daemon

import (
	"context"
	"crypto/subtle"
	"errors"
	"net"
	"slices"
	"time"

	"ctxledger.dev/engine/daemon/link"
	"ctxledger.dev/internal/failpoint"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
)

// acceptRetry is how long the daemon waits after a failed accept, for example when it is out of file descriptors.
const acceptRetry = 50 * time.Millisecond

// accept serves connections until the listener is closed.
func (d *daemon) accept(l listener) {
	for logged := false; ; {
		conn, err := l.Accept()
		if errors.Is(err, net.ErrClosed) || d.leaving.Err() != nil {
			return
		}
		if err != nil {
			if !logged {
				d.log.Warn("accept", "error", err.Error())
			}
			logged = true
			select {
			case <-time.After(acceptRetry):
			case <-d.leaving.Done():
			}
			continue
		}
		logged = false
		d.conns.Go(func() { d.serve(conn) })
	}
}

// serve handles a new connection according to its purpose.
func (d *daemon) serve(conn net.Conn) {
	h, refusal := d.greet(conn)
	if refusal != nil {
		_ = conn.Close() // greet has sent the refusal
		return
	}
	if h.Want == link.WantLeave {
		d.presence.hold(conn)
		d.leave(errAsked)
		return
	}
	defer conn.Close() // the client has its answer, or has disconnected
	defer d.presence.exit()
	switch h.Want {
	case link.WantCalls:
		d.serveCalls(conn)
	case link.WantPut:
		d.servePut(conn)
	case link.WantRead:
		d.serveRead(conn)
	case link.WantHook:
		d.serveHook(conn)
	}
}

// greet answers a client's hello. An accepted client is counted, unless it asks the daemon to leave.
func (d *daemon) greet(conn net.Conn) (link.Hello, error) {
	defer link.HangUpAfter(conn, link.Greeting)()
	unwatch := context.AfterFunc(d.leaving, func() { _ = conn.Close() })
	var h link.Hello
	err := link.ReadJSON(conn, link.HelloFrame, &h)
	// From here on, shutdown does not close the connection: a welcomed client gets a goodbye, or it would
	// believe that this owner died.
	if !unwatch() && err == nil {
		err = d.leaving.Err()
	}
	if err != nil {
		return h, err
	}
	failpoint.Hit("daemon.greet.heard")
	w := link.Welcome{Protocol: link.Protocol, PID: d.self.PID, Version: d.self.Version, Started: d.started}
	w.Error = d.judge(h)
	if w.Error == nil && h.Want != link.WantLeave && !d.presence.enter() {
		w.Error = full(link.Descriptors())
	}
	if w.Error != nil {
		d.log.Warn("refused", "error", w.Error.Message)
		_ = link.WriteJSON(conn, w) // the connection is closed in any case
		return h, w.Error
	}
	if err := link.WriteJSON(conn, w); err != nil && h.Want != link.WantHook { // its event counts if it is gone, too
		if h.Want != link.WantLeave {
			d.presence.exit()
		}
		return h, err
	}
	failpoint.Hit("daemon.greet.welcomed")
	return h, nil
}

// judge returns why a client is rejected, or nil.
func (d *daemon) judge(h link.Hello) *fault.Error {
	const op = "daemon.greet"
	switch {
	case subtle.ConstantTimeCompare([]byte(h.Token), []byte(d.self.Token)) != 1:
		return fault.New(fault.Denied, op, "the token does not match this daemon's")
	case h.Want == link.WantLeave:
		return nil // understood in every protocol
	case h.Protocol < link.OldestProtocol:
		return fault.New(fault.Invalid, op, "the daemon no longer serves protocol %d", h.Protocol).
			WithHint("update this program, or run its newer version: ctxledger daemon stop")
	case !slices.Contains([]string{link.WantCalls, link.WantPut, link.WantRead, link.WantHook}, h.Want):
		return fault.New(fault.Invalid, op, "unknown connection purpose %.1000q", h.Want)
	}
	return nil
}

// send writes a response, and closes the connection to a client that does not read it.
func (d *daemon) send(conn net.Conn, r link.Response) {
	defer link.HangUpAfter(conn, limits.Call)()
	frame, err := link.Message(r, r.Attachment)
	if err == nil {
		_, err = conn.Write(frame)
	}
	if fault.Is(err, fault.TooLarge) {
		f := d.wire(err)
		f.Message = "the answer is too long: " + f.Message
		err = link.WriteJSON(conn, link.Response{ID: r.ID, Error: f.WithHint("ask for less at a time")})
	}
	if err != nil {
		_ = conn.Close() // the reader of conn notices
	}
}
