package daemon

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"

	"ctxledger.dev/engine/daemon/link"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/safefs"
)

// socketName is the socket in the state directory.
const socketName = "owner.sock"

// socketPath is the maximum length of a socket's path, in bytes: macOS allows 103, Linux 107.
const socketPath = 100

// listener accepts connections at the address in owner.json. remove deletes the socket, which Close leaves.
type listener struct {
	net.Listener
	address string
	remove  func() error
}

// listenUnix listens on a socket in the state directory or, if its path is too long, in a private
// directory under the temporary one; on a full disk, at a port. It removes an existing file first: the
// caller holds the ledger's lock, so the file is a leftover.
func listenUnix(e env.Env, state string) (listener, error) {
	const op = "daemon.listen"
	path, err := chooseSocket(e, state)
	if err != nil {
		return listener{}, err
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return listener{}, fault.Wrap(fault.Denied, op, err)
	}
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if safefs.Full(err) {
		return listenLoopback() // which needs no file
	}
	if err != nil {
		return listener{}, fault.Wrap(fault.Unavailable, op, err)
	}
	// Close would remove the socket by name, which may be another owner's by then.
	l.SetUnlinkOnClose(false)
	if err := os.Chmod(path, 0o600); err != nil {
		return listener{}, errors.Join(fault.Wrap(fault.Denied, op, err), l.Close())
	}
	remove := func() error { return fault.Wrap(fault.Unavailable, op, os.Remove(path)) }
	return listener{Listener: l, address: "unix:" + path, remove: remove}, nil
}

// chooseSocket returns the path for the socket of a state directory.
func chooseSocket(e env.Env, state string) (string, error) {
	if path := filepath.Join(state, socketName); len(path) <= socketPath {
		return path, nil
	}
	sum := sha256.Sum256([]byte(state))
	name := hex.EncodeToString(sum[:8]) + ".sock"
	var refused error
	for _, temp := range []string{e.Temp, "/tmp"} {
		dir := filepath.Join(temp, privateName())
		path := filepath.Join(dir, name)
		if !filepath.IsAbs(dir) || len(path) > socketPath {
			continue
		}
		err := makePrivate(dir)
		if err == nil {
			return path, nil
		}
		// A directory of another user's making is told, one that is missing or cannot be written is not: the next may do.
		if fault.HintOf(err) != "" {
			return "", err
		}
		refused = cmp.Or(refused, err)
	}
	if refused != nil {
		return "", fault.New(fault.Denied, "daemon.listen",
			"no directory can be made for the socket, since the path of the state directory is too long for "+
				"it: %v", refused).WithHint(hintShort)
	}
	return "", fault.New(fault.Invalid, "daemon.listen", "no directory has a path short enough for a socket").
		WithHint(hintShort)
}

// hintShort is the way out when there is no place for a socket.
const hintShort = "set TMPDIR to a writable directory with a short path"

// makePrivate makes a directory that only this user can access, or checks an existing one: another user
// may have created it in the directory for temporary files.
func makePrivate(dir string) error {
	const op = "daemon.listen"
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return fault.Wrap(fault.Denied, op, err)
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return fault.Wrap(fault.Denied, op, err)
	}
	if !info.IsDir() || info.Mode().Perm() != 0o700 || !ownedByUs(info) {
		return fault.New(fault.Denied, op, "%s is not a private directory of this user", dir).
			WithHint("remove it, or set TMPDIR to a directory of your own")
	}
	return nil
}

// listenLoopback listens on a free port of this machine. The token keeps other users out.
func listenLoopback() (listener, error) {
	l, err := net.Listen("tcp", net.JoinHostPort(link.Loopback, "0"))
	if err != nil {
		return listener{}, fault.Wrap(fault.Unavailable, "daemon.listen", err)
	}
	return listener{Listener: l, address: "tcp:" + l.Addr().String(), remove: func() error { return nil }}, nil
}
