package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"

	"ctxledger.dev/internal/failpoint"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/kv"
	"ctxledger.dev/ledger"
)

// servePut receives one blob.
func (d *daemon) servePut(raw net.Conn) {
	conn := newPatient(raw)
	defer conn.Close() // the answer is out
	d.presence.touch()
	defer context.AfterFunc(d.hard, func() { _ = raw.Close() })()
	content := &streamReader{r: conn}
	var ref kv.BlobRef
	err := guarded(d.config.Env, d.log, func() (err error) {
		ref, err = d.api.PutBlob(d.hard, &arriving{r: content})
		return err
	})
	failpoint.Hit("daemon.put.stored")
	d.heed(err)
	if err != nil {
		d.send(conn, response{Error: toWire(err, d.config.Env, d.log)})
		// Closing with bytes unread could take the answer away from a client still sending.
		_, _ = io.Copy(io.Discard, content)
		return
	}
	body, err := json.Marshal(ref)
	if err != nil {
		d.send(conn, response{Error: toWire(err, d.config.Env, d.log)})
		return
	}
	d.send(conn, response{Body: body})
}

// arriving is a blob on its way in. That its connection ended is no defect of the daemon.
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
	conn := newPatient(raw)
	defer conn.Close() // everything is out
	d.presence.touch()
	// An owner that leaves hangs up: the client goes on with the next one.
	defer context.AfterFunc(d.leaving, func() { _ = raw.Close() })()
	err := guarded(d.config.Env, d.log, func() error { return d.sendBlob(conn) })
	if err != nil {
		d.send(conn, response{Error: toWire(err, d.config.Env, d.log)})
	}
}

// sendBlob answers a request for a blob. Its error has not been sent yet; nil: all is said, or
// nobody is there to hear it.
func (d *daemon) sendBlob(conn net.Conn) error {
	var r ledger.ReadBlobRequest
	if err := readJSON(conn, limits.Frame, &r); err != nil {
		return nil //style:ok the client has hung up or talks nonsense: hanging up is the answer
	}
	content, err := d.api.ReadBlob(d.leaving, r)
	if err != nil {
		return err
	}
	defer content.Close() // only read from
	if err := writeJSON(conn, response{}); err != nil {
		return nil //style:ok the client has hung up
	}
	err = sendStream(conn, content, func() bool { return false })
	if source, ok := errors.AsType[*sourceError](err); ok {
		// The stream is ended, so that the error is read as one.
		if err := sendChunk(conn, nil); err == nil {
			return source.err
		}
		return nil
	}
	if err == nil {
		d.send(conn, response{})
	}
	return nil
}
