package link

import (
	"errors"
	"io/fs"
	"slices"

	"ctxledger.dev/internal/fault"
)

// Command returns the command that runs this program with other arguments.
func Command(binary []string, args ...string) ([]string, error) {
	if len(binary) == 0 {
		path, err := ownProgram()
		if err != nil {
			return nil, Unstarted(nil, err)
		}
		binary = []string{path}
	}
	return slices.Concat(binary, args), nil
}

// Unstarted is the error of a command that cannot be started: of this program if binary is nil.
func Unstarted(binary []string, err error) error {
	if f := OutOfFiles(err); f != nil {
		return f
	}
	f := &fault.Error{
		Code: fault.Unavailable, Op: "daemon.spawn", Message: "this program cannot start itself again", Err: err,
	}
	if len(binary) > 0 {
		f.Message = "the program that becomes the daemon cannot be started"
		return f
	}
	if errors.Is(err, fs.ErrNotExist) {
		return f.WithHint("it was removed or replaced while it was running: stop it and start it again")
	}
	return f
}
