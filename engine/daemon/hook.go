package daemon

import (
	"bufio"
	"context"
	"io"
	"net"
	"time"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/ledger"
	"ctxledger.dev/workspace"
)

// HookInput bounds the input of a hook, in bytes.
const HookInput = 8 << 20

// HookEvent is an event of a coding agent's hooks, as the process that the agent started hands it to the daemon. It has
// what only that process knows.
type HookEvent struct {
	Agent     string            `json:"agent"`
	Name      string            `json:"event"`
	Root      string            `json:"root"`                // of the workspace, one of the trees of the ledger
	Variables map[string]string `json:"variables,omitempty"` // of its environment, "" for those that are not set
	Offset    int               `json:"offset,omitempty"`    // of its time zone, in seconds east of UTC
	Deadline  int64             `json:"deadline_ms"`         // how long it waits for the answer
	Input     []byte            `json:"-"`                   // what the agent wrote to its standard input
}

// HookAnswerer returns what a hook prints, nil for nothing. api is the ledger of the event's tree, with the memories of
// the user.
type HookAnswerer func(ctx context.Context, api ledger.API, e HookEvent) ([]byte, error)

// serveHook answers one event of an agent's hooks.
func (d *daemon) serveHook(raw net.Conn) {
	conn := newPatient(raw)
	defer conn.Close() // the answer was sent
	d.presence.touch()
	defer context.AfterFunc(d.hard, func() { _ = raw.Close() })()
	in := bufio.NewReaderSize(conn, readAhead)
	var e HookEvent
	err := readJSON(in, limits.Frame, &e)
	if err == nil {
		e.Input, err = io.ReadAll(io.LimitReader(&streamReader{r: in}, HookInput+1))
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
		d.send(conn, response{Error: d.wire(err)})
		return
	}
	w := bufio.NewWriter(conn)
	if writeJSON(w, response{}) == nil && sendBytes(w, out) == nil {
		_ = w.Flush() // a client that has disconnected wants no answer
	}
}

// answerHook returns the answer to an event.
func (d *daemon) answerHook(e HookEvent) ([]byte, error) {
	const op = "daemon.hook"
	switch {
	case d.config.Hook == nil || d.config.Workspace == "" || e.Root == "":
		return nil, fault.New(fault.Invalid, op, "this daemon answers no hooks")
	case len(e.Input) > HookInput:
		return nil, fault.New(fault.TooLarge, op, "an event of more than %d bytes", HookInput)
	}
	ctx, cancel := context.WithTimeout(d.hard, min(time.Duration(e.Deadline)*time.Millisecond, limits.Call))
	defer cancel()
	tree := newLedgers(present{d.api, d}, e.Root, func(ctx context.Context) (ledger.API, error) {
		ws, err := workspace.Find(d.config.Env, workspace.Options{Flag: e.Root})
		if err != nil {
			return nil, err
		}
		return connect(ctx, Options{State: ws.UserState, Env: d.config.Env, Version: d.config.Version, NoSpawn: true})
	})
	out, err := d.config.Hook(ctx, tree, e)
	_ = tree.user.Close() // only read from
	return out, err
}
