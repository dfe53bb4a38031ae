package link

import (
	"errors"
	"syscall"

	"ctxledger.dev/internal/fault"
)

// OutOfFiles returns the error of a process without free file descriptors if err says that, else nil.
func OutOfFiles(err error) *fault.Error {
	if !errors.Is(err, syscall.EMFILE) && !errors.Is(err, syscall.ENFILE) {
		return nil
	}
	return fault.New(fault.Limited, "daemon.files",
		"%s: this process or the system has no file descriptors left (limit of the process: %d)", err, Descriptors()).
		WithHint("try again when fewer files are open, or raise the limit with ulimit -n and start again")
}
