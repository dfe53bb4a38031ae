package daemon

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"ctxledger.dev/internal/failpoint"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/process"
	"ctxledger.dev/internal/safefs"
	"ctxledger.dev/kv/bolt"
)

// ownerName is the file in a state directory by which its owner is found.
const ownerName = "owner.json"

// ownerSize bounds that file, in bytes.
const ownerSize = 16 << 10

// owner is what the owner of a ledger says about itself in owner.json.
type owner struct {
	Protocol  int       `json:"protocol"`
	Version   string    `json:"version,omitempty"`
	PID       int       `json:"pid"`
	Address   string    `json:"address"` // "unix:PATH" or "tcp:127.0.0.1:PORT"
	Token     string    `json:"token"`   // shown by every client; also tells one owner from the next
	Started   time.Time `json:"started"`
	Workspace string    `json:"workspace"`
	// InProcess says that the owner serves nobody else: it has no address. It is there so that the
	// others need not search for it.
	InProcess bool `json:"in_process,omitempty"`

	state string // the directory that it was read from; "" for the owner itself
}

// same reports whether two owners are found and spoken to in the same way.
func (o owner) same(p owner) bool {
	return o.Token == p.Token && o.Address == p.Address && o.PID == p.PID && o.Protocol == p.Protocol && o.InProcess == p.InProcess
}

// gone reports whether o, as it was read, is not the owner: another one has published itself, or no process
// has the ledger open.
func (o owner) gone() bool {
	now, err := readOwner(o.state)
	return err != nil || !now.same(o) || !bolt.Held(o.state)
}

// holds reports whether o is a process that keeps the ledger to itself now, and did not die on it.
func (o owner) holds() bool { return o.InProcess && process.Alive(o.PID) }

// keepsToItself is the error of who meets an owner in another process.
func (o owner) keepsToItself(op, state string) error {
	return fault.New(fault.Unavailable, op, "the process with pid %d keeps the ledger in %s to itself (--in-process)", o.PID, state).
		WithHint("end that process, or start it without --in-process: then all share a daemon")
}

// publish writes owner.json in one step. Only the holder of the ledger's lock may.
func (o owner) publish(state string) error {
	const op = "daemon.publish"
	content, err := json.MarshalIndent(o, "", "  ")
	if err != nil {
		return fault.Wrap(fault.Internal, op, err)
	}
	path := filepath.Join(state, ownerName)
	if err := clearWay(path); err != nil {
		return err
	}
	temp := path + ".new"
	_ = os.Remove(temp) // left by an owner that died here
	err = writePrivate(temp, append(content, '\n'))
	failpoint.Hit("daemon.publish.written")
	if err == nil {
		err = os.Rename(temp, path)
	}
	failpoint.Hit("daemon.publish.renamed")
	if err != nil {
		_ = os.Remove(temp) // what failed before is what counts
	}
	return fault.Wrap(fault.Unavailable, op, err)
}

// clearWay removes what stands in the way of publishing: a directory of that name, if it is empty.
func clearWay(path string) error {
	if info, err := os.Lstat(path); err == nil && info.IsDir() {
		if err := os.Remove(path); err != nil {
			return fault.New(fault.Invalid, "daemon.publish", "%s is a directory", path).
				WithHint("remove it: only the ledger's owner writes there")
		}
	}
	return nil
}

// writePrivate writes a new file that only this user can read.
func writePrivate(path string, content []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	return errors.Join(err, f.Close())
}

// withdraw removes owner.json if it is still o's: the directory may be a new one by now.
func (o owner) withdraw(state string) error {
	if now, err := readOwner(state); err != nil || now.Token != o.Token {
		return nil
	}
	return fault.Wrap(fault.Unavailable, "daemon.withdraw", os.Remove(filepath.Join(state, ownerName)))
}

// readOwner reads owner.json. not_found: there is none. Anything else that is wrong with the file
// is corrupt; the next owner replaces it.
func readOwner(state string) (owner, error) {
	const op = "daemon.owner"
	path := filepath.Join(state, ownerName)
	f, _, err := safefs.OpenListed(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return owner{}, fault.New(fault.NotFound, op, "no daemon has published itself in %s", state)
	case fault.Is(err, fault.Invalid):
		return owner{}, fault.New(fault.Corrupt, op, "%s is no plain file", path)
	case err != nil:
		return owner{}, fault.Wrap(fault.Denied, op, err)
	}
	defer f.Close() // read only: nothing can be lost
	content, err := io.ReadAll(io.LimitReader(f, ownerSize))
	if err != nil {
		return owner{}, fault.Wrap(fault.Unavailable, op, err)
	}
	o := owner{state: state}
	if err := json.Unmarshal(content, &o); err != nil {
		return owner{}, fault.New(fault.Corrupt, op, "%s is not readable: %s", ownerName, err)
	}
	if !o.InProcess {
		_, _, err = splitAddress(o.Address)
	}
	return o, err
}

// splitAddress returns an address for net.Dial. Only this machine is ever dialed.
func splitAddress(address string) (network, target string, err error) {
	network, target, _ = strings.Cut(address, ":")
	switch {
	case network == "unix" && filepath.IsAbs(target):
		return network, target, nil
	case network == "tcp":
		if host, _, err := net.SplitHostPort(target); err == nil && host == loopback {
			return network, target, nil
		}
	}
	return "", "", fault.New(fault.Corrupt, "daemon.owner", "%s has the address %q, which no daemon has", ownerName, address)
}
