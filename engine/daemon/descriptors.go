package daemon

import "ctxledger.dev/internal/fault"

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
		return fault.New(fault.Limited, op, "the daemon already serves %d connections", n).
			WithHint("close agent sessions you do not need: each holds a connection")
	}
	return fault.New(fault.Limited, op,
		"the daemon already serves %d connections, which is what its %d file descriptors allow", n, descriptors).
		WithHint("close agent sessions you do not need, or raise the limit with ulimit -n " +
			"and run: ctxledger daemon stop")
}
