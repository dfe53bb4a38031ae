package daemon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"

	"ctxledger.dev/engine/daemon/link"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/fault"
)

// wire returns err as it is sent to a client.
func (d *daemon) wire(err error) *fault.Error { return toWire(err, d.config.Env, d.log) }

// toWire returns err as it is sent. The cause of a fault becomes part of its message. Any other error
// becomes internal, with an incident id under which the log has the details.
func toWire(err error, e env.Env, log *slog.Logger) *fault.Error {
	if f, ok := flatten(err); ok {
		return f
	}
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return fault.New(fault.Unavailable, "daemon.call", "the ledger did not answer within the deadline")
	}
	return incident(e, log, "error", err.Error())
}

// flattened returns err as a fault without a cause, internal if it is none.
func flattened(op string, err error) *fault.Error {
	if f, ok := flatten(err); ok {
		return f
	}
	return fault.New(fault.Internal, op, "%s", err)
}

// flatten returns the fault in err without its cause, whose text is in the message.
func flatten(err error) (*fault.Error, bool) {
	if f := link.OutOfFiles(err); f != nil {
		return f, true
	}
	f, ok := errors.AsType[*fault.Error](err)
	if !ok {
		return nil, false
	}
	return &fault.Error{Code: f.Code, Op: f.Op, Message: err.Error(), Hint: fault.HintOf(err)}, true
}

// incident logs an internal error and returns the fault with its id.
func incident(e env.Env, log *slog.Logger, kind, detail string) *fault.Error {
	id := e.ID(4)
	log.Error(kind, "incident", id, "detail", detail)
	return fault.New(fault.Internal, "daemon.call", "internal error, incident %s", id).
		WithHint("the daemon's log has the details: log/daemon.log in the state directory")
}

// guarded runs fn and turns a panic into an incident. Every request and background task runs in it.
func guarded(e env.Env, log *slog.Logger, fn func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = incident(e, log, "panic", fmt.Sprintf("%v\n%s", p, debug.Stack()))
		}
	}()
	return fn()
}
