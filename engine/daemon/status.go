package daemon

import (
	"context"
	"errors"
	"time"

	"ctxledger.dev/engine/daemon/link"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/ledger"
)

// State is the state of a ledger's daemon, seen from outside.
type State struct {
	Running  bool        `json:"running"`
	PID      int         `json:"pid,omitempty"`
	Version  string      `json:"version,omitempty"`
	Protocol int         `json:"protocol,omitempty"`
	Address  string      `json:"address,omitempty"`
	Started  time.Time   `json:"started,omitzero"`
	Info     ledger.Info `json:"info,omitzero"` // its own answer, when it has our protocol
	// InProcess says that the process PID owns the ledger exclusively: no daemon can run.
	InProcess bool `json:"in_process,omitempty"`
}

// Status reports whether a daemon owns the ledger in a state directory, without starting one. No daemon
// is not an error. Errors: unavailable for a daemon that does not answer.
func Status(ctx context.Context, state string) (State, error) {
	ctx, cancel := context.WithTimeout(ctx, limits.Connect)
	defer cancel()
	conn, o, w, err := link.Meet(ctx, state, link.WantCalls)
	switch {
	case fault.Is(err, fault.NotFound) || errors.Is(err, link.ErrNobody):
		return State{}, nil // there is none, or it crashed and left owner.json
	case err != nil:
		return State{}, err
	case o.Holds():
		return State{PID: o.PID, Version: o.Version, Protocol: o.Protocol, Started: o.Started, InProcess: true}, nil
	case o.InProcess:
		return State{}, nil // it crashed as well
	}
	s := State{
		Running: true, PID: w.PID, Version: w.Version, Protocol: w.Protocol,
		Address: o.Address, Started: w.Started,
	}
	if w.Protocol < link.Protocol {
		return s, conn.Close()
	}
	l := link.NewConn(conn, o, w.PID)
	defer l.Close()
	out, err := l.Call(ctx, "Info", link.Content{Body: []byte("{}")})
	if err != nil {
		return s, err
	}
	return s, fault.Wrap(fault.Internal, "daemon.status", unpack(out, &s.Info, false))
}
