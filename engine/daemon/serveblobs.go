package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"

	"ctxledger.dev/engine/daemon/link"
	"ctxledger.dev/internal/failpoint"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/ledger"
)

// servePut receives one blob.
func (d *daemon) servePut(raw net.Conn) {
	conn := link.NewPatient(raw)
	defer conn.Close() // the answer was sent
	defer d.presence.begin(false)()
	defer context.AfterFunc(d.hard, func() { _ = raw.Close() })()
	content := link.NewStreamReader(conn)
	var body []byte
	err := guarded(d.config.Env, d.log, func() error {
		ref, err := d.api.PutBlob(d.hard, &arriving{r: content})
		if err == nil {
			body, err = json.Marshal(ref)
		}
		return err
	})
	failpoint.Hit("daemon.put.stored")
	d.leaveIfMoved(err)
	if err != nil {
		d.send(conn, link.Response{Error: d.wire(err)})
		// Closing with unread bytes could destroy the answer before a client that still sends reads it.
		_, _ = io.Copy(io.Discard, content)
		return
	}
	d.send(conn, link.Response{Body: body})
}

// arriving is an incoming blob. An error of its connection is unavailable, not a defect of the daemon.
type arriving struct{ r io.Reader }

func (a *arriving) Read(p []byte) (int, error) {
	n, err := a.r.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = fault.Wrap(fault.Unavailable, "daemon.putblob", err)
	}
	return n, err
}

// serveRead sends one blob.
func (d *daemon) serveRead(raw net.Conn) {
	conn := link.NewPatient(raw)
	defer conn.Close() // everything was sent
	defer d.presence.begin(false)()
	// An owner that leaves closes the connection: the client continues with the next owner.
	defer context.AfterFunc(d.leaving, func() { _ = raw.Close() })()
	err := guarded(d.config.Env, d.log, func() error { return d.sendBlob(conn) })
	if err != nil {
		d.send(conn, link.Response{Error: d.wire(err)})
	}
}

// sendBlob answers a request for a blob. An error that it returns has not been sent yet.
func (d *daemon) sendBlob(conn net.Conn) error {
	var r ledger.ReadBlobRequest
	if err := link.ReadJSON(conn, limits.Frame, &r); err != nil {
		return nil //style:ok the client has disconnected or sent garbage: closing is the answer
	}
	content, err := d.api.ReadBlob(d.leaving, r)
	if err != nil {
		return err
	}
	defer content.Close() // only read from
	if err := link.WriteJSON(conn, link.Response{}); err != nil {
		return nil //style:ok the client has disconnected
	}
	err = link.SendStream(conn, content, func() bool { return false })
	if source, ok := errors.AsType[*link.SourceError](err); ok {
		// End the stream, so that the client reads the error next.
		if err := link.WriteFrame(conn, nil); err == nil {
			return source.Err
		}
		return nil
	}
	if err == nil {
		d.send(conn, link.Response{})
	}
	return nil
}
