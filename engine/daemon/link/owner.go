package link

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"net"
	"path/filepath"
	"strings"
	"time"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/process"
	"ctxledger.dev/internal/safefs"
	"ctxledger.dev/kv/held"
)

const (
	OwnerName = "owner.json" // the file in a state directory that names its owner
	ownerSize = 16 << 10     // bounds owner.json, in bytes
)

// Owner is the content of owner.json.
type Owner struct {
	Protocol  int       `json:"protocol"`
	Version   string    `json:"version,omitempty"`
	PID       int       `json:"pid"`
	Address   string    `json:"address"` // "unix:PATH" or "tcp:127.0.0.1:PORT"
	Token     string    `json:"token"`   // authenticates clients; also identifies the owner
	Started   time.Time `json:"started"`
	Workspace string    `json:"workspace"`
	// InProcess says that the owner serves no other process: it has no address.
	InProcess bool `json:"in_process,omitempty"`

	state string // the directory that it was read from; "" for the owner itself
}

// Same reports whether two owners have the same identity and address.
func (o Owner) Same(p Owner) bool {
	return o.Token == p.Token && o.Address == p.Address && o.PID == p.PID &&
		o.Protocol == p.Protocol && o.InProcess == p.InProcess
}

// gone reports whether o, as it was read, is no longer the owner: another one has published itself, or no
// process has the ledger open.
func (o Owner) gone() bool {
	now, err := ReadOwner(o.state)
	if fault.Is(err, fault.Limited) {
		return false // cannot be determined now
	}
	return err != nil || !now.Same(o) || !held.Held(o.state)
}

// Holds reports whether o is a running process that owns the ledger exclusively.
func (o Owner) Holds() bool { return o.InProcess && process.Alive(o.PID) }

// Exclusive is the error when another process owns the ledger exclusively.
func (o Owner) Exclusive(op, state string) error {
	return fault.New(fault.Unavailable, op,
		"the process with pid %d has exclusive use of the ledger in %s (--in-process)", o.PID, state).
		WithHint("stop that process, or start it without --in-process: then all of them share a daemon")
}

// ReadOwner reads owner.json. Errors: not_found when there is none; corrupt when its content is invalid:
// the next owner replaces it.
func ReadOwner(state string) (Owner, error) {
	const op = "daemon.owner"
	path := filepath.Join(state, OwnerName)
	f, _, err := safefs.OpenListed(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Owner{}, fault.New(fault.NotFound, op, "no daemon has published itself in %s", state)
	case fault.Is(err, fault.Invalid):
		return Owner{}, fault.New(fault.Corrupt, op, "%s is not a regular file", path)
	case err != nil:
		if f := OutOfFiles(err); f != nil {
			return Owner{}, f
		}
		return Owner{}, fault.Wrap(fault.Denied, op, err)
	}
	defer f.Close() // read only: nothing can be lost
	content, err := io.ReadAll(io.LimitReader(f, ownerSize))
	if err != nil {
		return Owner{}, fault.Wrap(fault.Unavailable, op, err)
	}
	o := Owner{state: state}
	if err := json.Unmarshal(content, &o); err != nil {
		return Owner{}, fault.New(fault.Corrupt, op, "%s is not readable: %s", OwnerName, err)
	}
	if !o.InProcess {
		_, _, err = SplitAddress(o.Address)
	}
	return o, err
}

// Running returns the process that has the ledger in a state directory open, 0 if it is not known, and whether there is one.
// It asks no owner, and waits for none.
func Running(state string) (pid int, running bool) {
	if !held.Held(state) {
		return 0, false
	}
	o, _ := ReadOwner(state) // of one that is only starting there is none
	return o.PID, true
}

// SplitAddress returns an address for net.Dial. It refuses other machines.
func SplitAddress(address string) (network, target string, err error) {
	network, target, _ = strings.Cut(address, ":")
	switch {
	case network == "unix" && filepath.IsAbs(target):
		return network, target, nil
	case network == "tcp":
		if host, _, err := net.SplitHostPort(target); err == nil && host == Loopback {
			return network, target, nil
		}
	}
	return "", "", fault.New(fault.Corrupt, "daemon.owner", "%s has the invalid address %q", OwnerName, address)
}

// Loopback is the host that a daemon listens on where there are no Unix sockets.
const Loopback = "127.0.0.1"

// hintUnknown is the hint when the owner has not published itself.
const hintUnknown = "try again: it may be starting or exiting; if not, find it with lsof or fuser on " +
	"ledger.db, and stop that process"

// Unfound is the error for a ledger whose owner has not published itself.
func Unfound(op, state string) error {
	return fault.New(fault.Unavailable, op, "the ledger in %s is owned by another process", state).WithHint(hintUnknown)
}
