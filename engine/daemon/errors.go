package daemon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"

	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/fault"
)

// toWire returns err as it is sent. Of a fault it keeps everything but the cause, which becomes
// part of the message; anything else becomes internal, with an incident id that the log explains.
func toWire(err error, e env.Env, log *slog.Logger) *fault.Error {
	if f, ok := flatten(err); ok {
		return f
	}
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return fault.New(fault.Unavailable, "daemon.call", "the ledger did not answer within the deadline")
	}
	return incident(e, log, "error", err.Error())
}

// flatten returns the fault in err without a cause: its text is in the message.
func flatten(err error) (*fault.Error, bool) {
	if f := outOfFiles(err); f != nil {
		return f, true
	}
	f, ok := errors.AsType[*fault.Error](err)
	if !ok {
		return nil, false
	}
	return &fault.Error{Code: f.Code, Op: f.Op, Message: err.Error(), Hint: fault.HintOf(err)}, true
}

// incident logs what happened and returns the error that names it.
func incident(e env.Env, log *slog.Logger, kind, detail string) *fault.Error {
	id := e.ID(4)
	log.Error(kind, "incident", id, "detail", detail)
	return fault.New(fault.Internal, "daemon.call", "internal error, incident %s", id).
		WithHint("the daemon's log has the details: log/daemon.log in the state directory")
}

// guarded runs fn and turns a panic into an incident. Every request and every background task
// runs inside it.
func guarded(e env.Env, log *slog.Logger, fn func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = incident(e, log, "panic", fmt.Sprintf("%v\n%s", p, debug.Stack()))
		}
	}()
	return fn()
}
