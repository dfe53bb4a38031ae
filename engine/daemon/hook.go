package daemon

import (
	"bufio"
	"context"
	"io"
	"net"
	"time"

	"ctxledger.dev/engine/daemon/link"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/ledger"
	"ctxledger.dev/workspace"
)

// HookAnswerer returns the answer to an event. api is the ledger of the event's tree, with the memories of the user. ctx
// lasts as long as the hook waits.
type HookAnswerer func(ctx context.Context, api ledger.API, e link.HookEvent) (HookAnswer, error)

// HookAnswer is the answer to an event.
type HookAnswer struct {
	Out []byte // what the hook prints, nil for nothing
	// After does what nobody waits for; nil: nothing. told says that the hook has written what it was to print. It is
	// called after an error, too, before the ledger is closed.
	After func(ctx context.Context, told bool) error
}

// serveHook answers one event of an agent's hooks.
func (d *daemon) serveHook(raw net.Conn) {
	conn := link.NewPatient(raw)
	defer conn.Close() // the answer was sent
	defer d.presence.begin(false)()
	defer context.AfterFunc(d.hard, func() { _ = raw.Close() })()
	in := bufio.NewReaderSize(conn, link.ReadAhead)
	var e link.HookEvent
	err := link.ReadJSON(in, limits.Frame, &e)
	if err == nil {
		e.Input, err = io.ReadAll(io.LimitReader(link.NewStreamReader(in), link.HookInput+1))
	}
	if err != nil {
		return // the client has disconnected or sent garbage: closing is the answer
	}
	tree := d.treeOf(e)
	defer tree.user.Close() // only read from
	var a HookAnswer
	err = d.guarded(func() error {
		a, err = d.answerHook(tree, e)
		return err
	})
	told := d.sendAnswer(conn, in, a.Out, err)
	if a.After == nil {
		return
	}
	ctx, cancel := context.WithTimeout(d.hard, limits.Maintenance) // it may read the whole log of a session
	defer cancel()
	if err := d.guarded(func() error { return a.After(ctx, told) }); err != nil {
		d.log.Warn("hook", "event", e.Name, "error", err.Error())
	}
}

// guarded runs fn, and makes the daemon leave if the ledger was moved.
func (d *daemon) guarded(fn func() error) error {
	err := guarded(d.config.Env, d.log, fn)
	d.leaveIfMoved(err)
	return err
}

// sendAnswer sends the answer to a hook, and reports whether the hook has printed it: that alone counts as told, not
// that it was sent. An answer that prints nothing is told when it is made.
func (d *daemon) sendAnswer(conn net.Conn, in io.Reader, out []byte, failed error) (told bool) {
	if failed != nil {
		d.send(conn, link.Response{Error: d.wire(failed)})
		return false
	}
	w := bufio.NewWriter(conn)
	err := link.WriteJSON(w, link.Response{})
	if err == nil {
		err = link.SendBytes(w, out)
	}
	if err == nil {
		err = w.Flush()
	}
	if len(out) == 0 {
		return true
	}
	if err == nil {
		_, err = link.ReadFrame(in, 0)
	}
	return err == nil
}

// treeOf returns the ledger of an event's tree, with the memories of the user.
func (d *daemon) treeOf(e link.HookEvent) *ledgers {
	return newLedgers(present{d.api, d}, e.Root, func(ctx context.Context) (ledger.API, error) {
		ws, err := workspace.Find(d.config.Env, workspace.Options{Flag: e.Root})
		if err != nil {
			return nil, err
		}
		return connect(ctx, Options{State: ws.UserState, Env: d.config.Env, Version: d.config.Version})
	})
}

// answerHook returns the answer to an event.
func (d *daemon) answerHook(tree ledger.API, e link.HookEvent) (HookAnswer, error) {
	const op = "daemon.hook"
	switch {
	case d.config.Hook == nil || d.config.Workspace == "" || e.Root == "":
		return HookAnswer{}, fault.New(fault.Invalid, op, "this daemon answers no hooks")
	case len(e.Input) > link.HookInput:
		return HookAnswer{}, fault.New(fault.TooLarge, op, "an event of more than %d bytes", link.HookInput)
	}
	ctx, cancel := context.WithTimeout(d.hard, min(time.Duration(e.Deadline)*time.Millisecond, limits.Call))
	defer cancel()
	return d.config.Hook(ctx, tree, e)
}
