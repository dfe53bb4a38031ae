package daemon

import (
	"errors"
	"syscall"

	"ctxledger.dev/internal/fault"
)

const (
	// maxClients is how many connections a daemon serves at once; a workspace has a handful.
	maxClients = 256
	// ownFiles is how many file descriptors a daemon reserves for the ledger, the log, open blobs and watches.
	ownFiles = 32
	// leastClients is the minimum number of connections, whatever the limit of descriptors.
	leastClients = 8
)

// capacity returns how many connections a process with a limit of file descriptors serves; 0: no limit.
func capacity(descriptors int) int {
	if descriptors == 0 {
		return maxClients
	}
	return min(maxClients, max(leastClients, descriptors-ownFiles))
}

// full is the error of a daemon that has reached its limit of connections.
func full(descriptors int) *fault.Error {
	const op = "daemon.greet"
	n := capacity(descriptors)
	if n == maxClients {
		return fault.New(fault.Limited, op, "the daemon serves %d connections already", n).
			WithHint("end sessions of agents that are not needed: each holds a connection")
	}
	return fault.New(fault.Limited, op,
		"the daemon serves %d connections already, which is what its %d file descriptors allow", n, descriptors).
		WithHint("end sessions of agents that are not needed, or raise the limit with ulimit -n " +
			"and run: ctxledger daemon stop")
}

// outOfFiles returns the error of a process without free file descriptors if err says that, else nil.
func outOfFiles(err error) *fault.Error {
	if !errors.Is(err, syscall.EMFILE) && !errors.Is(err, syscall.ENFILE) {
		return nil
	}
	return fault.New(fault.Limited, "daemon.files",
		"%s: this process or the system has no file descriptors left (limit of the process: %d)", err, descriptors()).
		WithHint("try again when fewer files are open, or raise the limit with ulimit -n and start again")
}
