package watch

import (
	"errors"
	"io/fs"
	"os"
	"runtime"
	"syscall"

	"github.com/fsnotify/fsnotify"

	"ctxledger.dev/internal/fault"
)

// The limits that keep files from being watched, as a message names them.
const (
	instances   = "this user has reached the limit on inotify instances: raise fs.inotify.max_user_instances"
	watches     = "this user has reached the limit on inotify watches: raise fs.inotify.max_user_watches"
	descriptors = "this process has reached its limit on open files: `ulimit -n` raises it"
	files       = "this machine has reached its limit on open files: raise fs.file-max"
)

// limitOf returns the limit behind an error of the system, "" for another error.
func limitOf(op string, err error) string {
	switch {
	case errors.Is(err, syscall.ENOSPC):
		return watches
	case errors.Is(err, syscall.ENFILE):
		return files
	case errors.Is(err, syscall.EMFILE) && op == "watch.new" && runtime.GOOS == "linux" && opens():
		return instances
	case errors.Is(err, syscall.EMFILE):
		return descriptors
	}
	return ""
}

// opens reports whether the process can open a file: Linux has one error for two limits.
func opens() bool {
	f, err := os.Open(os.DevNull)
	if err != nil {
		return false
	}
	_ = f.Close() // nothing was written
	return true
}

// coded gives a foreign error its code.
func coded(op, dir string, err error) error {
	var own *fault.Error
	code := fault.Internal
	switch {
	case err == nil:
		return nil
	case errors.As(err, &own):
		return err
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, fsnotify.ErrNonExistentWatch):
		code = fault.NotFound
	case errors.Is(err, fs.ErrPermission):
		code = fault.Denied
	case errors.Is(err, fsnotify.ErrClosed):
		code = fault.Unavailable
	}
	if limit := limitOf(op, err); limit != "" {
		return &fault.Error{Code: fault.Limited, Op: op, Err: err, Message: limit}
	}
	if dir == "" {
		return fault.Wrap(code, op, err)
	}
	return &fault.Error{Code: code, Op: op, Message: "watch " + dir, Err: err}
}
