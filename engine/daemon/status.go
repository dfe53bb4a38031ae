package daemon

import (
	"context"
	"errors"
	"time"

	"ctxledger.dev/engine"
	"ctxledger.dev/internal/fault"
)

// State is what can be said of a ledger's daemon from outside.
type State struct {
	Running  bool        `json:"running"`
	PID      int         `json:"pid,omitempty"`
	Version  string      `json:"version,omitempty"`
	Protocol int         `json:"protocol,omitempty"`
	Address  string      `json:"address,omitempty"`
	Started  time.Time   `json:"started,omitzero"`
	Info     engine.Info `json:"info,omitzero"` // its own answer, when it speaks our protocol
	// InProcess says that the process PID keeps the ledger to itself: no daemon can run.
	InProcess bool `json:"in_process,omitempty"`
}

// Status says whether a daemon owns the ledger in a state directory, without starting one. No
// daemon is not an error; one that does not answer is, of code unavailable.
func Status(ctx context.Context, state string) (State, error) {
	o, err := readOwner(state)
	if fault.Is(err, fault.NotFound) {
		return State{}, nil
	}
	if err != nil {
		return State{}, err
	}
	if o.holds() {
		return State{PID: o.PID, Version: o.Version, Protocol: o.Protocol, Started: o.Started, InProcess: true}, nil
	}
	conn, w, err := meet(ctx, o, wantCalls)
	if errors.Is(err, errNobody) {
		return State{}, nil // it died without withdrawing
	}
	if err != nil {
		return State{}, err
	}
	s := State{
		Running: true, PID: w.PID, Version: w.Version, Protocol: w.Protocol,
		Address: o.Address, Started: w.Started,
	}
	if w.Protocol < protocol {
		return s, conn.Close()
	}
	l := newLink(conn, o, w.PID)
	defer l.close()
	out, err := l.call(ctx, "Info", content{body: []byte("{}")})
	if err != nil {
		return s, err
	}
	return s, fault.Wrap(fault.Internal, "daemon.status", out.unpack(&s.Info, false))
}
