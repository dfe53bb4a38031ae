package daemon

import (
	"bufio"
	"context"
	"io"
	"net"
	"time"

	"ctxledger.dev/engine/daemon/wire"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/ledger"
	"ctxledger.dev/workspace"
)

// HookAnswerer returns what a hook prints, nil for nothing. api is the ledger of the event's tree, with the memories of
// the user.
type HookAnswerer func(ctx context.Context, api ledger.API, e wire.HookEvent) ([]byte, error)

// serveHook answers one event of an agent's hooks.
func (d *daemon) serveHook(raw net.Conn) {
	conn := wire.NewPatient(raw)
	defer conn.Close() // the answer was sent
	d.presence.touch()
	defer context.AfterFunc(d.hard, func() { _ = raw.Close() })()
	in := bufio.NewReaderSize(conn, wire.ReadAhead)
	var e wire.HookEvent
	err := wire.ReadJSON(in, limits.Frame, &e)
	if err == nil {
		e.Input, err = io.ReadAll(io.LimitReader(wire.NewStreamReader(in), wire.HookInput+1))
	}
	if err != nil {
		return // the client has disconnected or sent garbage: closing is the answer
	}
	var out []byte
	err = guarded(d.config.Env, d.log, func() error {
		out, err = d.answerHook(e)
		return err
	})
	d.leaveIfMoved(err)
	if err != nil {
		d.send(conn, wire.Response{Error: d.wire(err)})
		return
	}
	w := bufio.NewWriter(conn)
	if wire.WriteJSON(w, wire.Response{}) == nil && wire.SendBytes(w, out) == nil {
		_ = w.Flush() // a client that has disconnected wants no answer
	}
}

// answerHook returns the answer to an event.
func (d *daemon) answerHook(e wire.HookEvent) ([]byte, error) {
	const op = "daemon.hook"
	switch {
	case d.config.Hook == nil || d.config.Workspace == "" || e.Root == "":
		return nil, fault.New(fault.Invalid, op, "this daemon answers no hooks")
	case len(e.Input) > wire.HookInput:
		return nil, fault.New(fault.TooLarge, op, "an event of more than %d bytes", wire.HookInput)
	}
	ctx, cancel := context.WithTimeout(d.hard, min(time.Duration(e.Deadline)*time.Millisecond, limits.Call))
	defer cancel()
	tree := newLedgers(present{d.api, d}, e.Root, func(ctx context.Context) (ledger.API, error) {
		ws, err := workspace.Find(d.config.Env, workspace.Options{Flag: e.Root})
		if err != nil {
			return nil, err
		}
		return connect(ctx, Options{State: ws.UserState, Env: d.config.Env, Version: d.config.Version})
	})
	defer tree.user.Close() // only read from
	return d.config.Hook(ctx, tree, e)
}
