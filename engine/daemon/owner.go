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

const (
	ownerName = "owner.json"  // the file in a state directory that names its owner
	spareName = "owner.spare" // the file that becomes the next owner.json
	blank     = "{}\n"        // the content of a spare file
	ownerSize = 16 << 10      // bounds owner.json, in bytes
)

// owner is the content of owner.json.
type owner struct {
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

// same reports whether two owners have the same identity and address.
func (o owner) same(p owner) bool {
	return o.Token == p.Token && o.Address == p.Address && o.PID == p.PID &&
		o.Protocol == p.Protocol && o.InProcess == p.InProcess
}

// gone reports whether o, as it was read, is no longer the owner: another one has published itself, or no
// process has the ledger open.
func (o owner) gone() bool {
	now, err := readOwner(o.state)
	if fault.Is(err, fault.Limited) {
		return false // cannot be determined now
	}
	return err != nil || !now.same(o) || !bolt.Held(o.state)
}

// holds reports whether o is a running process that owns the ledger exclusively.
func (o owner) holds() bool { return o.InProcess && process.Alive(o.PID) }

// exclusive is the error when another process owns the ledger exclusively.
func (o owner) exclusive(op, state string) error {
	return fault.New(fault.Unavailable, op,
		"the process with pid %d has exclusive use of the ledger in %s (--in-process)", o.PID, state).
		WithHint("end that process, or start it without --in-process: then all share a daemon")
}

// publish replaces owner.json atomically. Only the holder of the ledger's lock may call it.
//
// It works on a full disk too, where reading and deleting must stay possible: it reuses the blocks of the
// file that the last owner left, as owner.json or under spareName. If the rename fails, it overwrites
// owner.json in place: a client that reads half of it sees a missing owner, and tries again.
func (o owner) publish(state string) error {
	const op = "daemon.publish"
	content, err := json.MarshalIndent(o, "", "  ")
	if err != nil {
		return fault.Wrap(fault.Internal, op, err)
	}
	path, spare := filepath.Join(state, ownerName), filepath.Join(state, spareName)
	if err := clearWay(path); err != nil {
		return err
	}
	err = overwrite(spare, os.O_CREATE, append(content, '\n'))
	failpoint.Hit("daemon.publish.written")
	if err == nil {
		err = os.Rename(spare, path)
	}
	failpoint.Hit("daemon.publish.renamed")
	if err == nil {
		return nil
	}
	_ = os.Remove(spare) // it may be incomplete
	if overwrite(path, 0, append(content, '\n')) == nil {
		return nil
	}
	f := &fault.Error{Code: fault.Unavailable, Op: op, Err: err}
	if bolt.IsFull(err) {
		return f.WithHint("free a few KB on the disk of the state directory")
	}
	return f
}

// overwrite writes a private file of the state directory in place, so that it needs no new blocks. It
// removes anything that is not a regular file; flag may be os.O_CREATE.
func overwrite(path string, flag int, content []byte) error {
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		if err := os.Remove(path); err != nil {
			return err
		}
	}
	f, err := os.OpenFile(path, os.O_WRONLY|flag, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteAt(content, 0)
	if err == nil {
		err = errors.Join(f.Chmod(0o600), f.Truncate(int64(len(content))))
	}
	return errors.Join(err, f.Close())
}

// clearWay removes an empty directory at path, which would prevent publishing.
func clearWay(path string) error {
	if info, err := os.Lstat(path); err == nil && info.IsDir() {
		if err := os.Remove(path); err != nil {
			return fault.New(fault.Invalid, "daemon.publish", "%s is a directory", path).
				WithHint("remove it: only the ledger's owner writes there")
		}
	}
	return nil
}

// withdraw removes owner.json if it is still o's: the directory may have been replaced. It keeps the file,
// blank, as the spare of the next owner.
func (o owner) withdraw(state string) error {
	if now, err := readOwner(state); err != nil || now.Token != o.Token {
		return nil
	}
	path, spare := filepath.Join(state, ownerName), filepath.Join(state, spareName)
	err := os.Rename(path, spare)
	if err == nil {
		err = overwrite(spare, 0, []byte(blank))
	}
	return fault.Wrap(fault.Unavailable, "daemon.withdraw", err)
}

// readOwner reads owner.json. Errors: not_found when there is none; corrupt when its content is invalid:
// the next owner replaces it.
func readOwner(state string) (owner, error) {
	const op = "daemon.owner"
	path := filepath.Join(state, ownerName)
	f, _, err := safefs.OpenListed(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return owner{}, fault.New(fault.NotFound, op, "no daemon has published itself in %s", state)
	case fault.Is(err, fault.Invalid):
		return owner{}, fault.New(fault.Corrupt, op, "%s is not a regular file", path)
	case err != nil:
		if f := outOfFiles(err); f != nil {
			return owner{}, f
		}
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

// splitAddress returns an address for net.Dial. It refuses other machines.
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
	return "", "", fault.New(fault.Corrupt, "daemon.owner", "%s has the invalid address %q", ownerName, address)
}
