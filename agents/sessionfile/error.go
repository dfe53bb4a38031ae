package sessionfile

import (
	"errors"
	"io/fs"

	"ctxledger.dev/internal/fault"
)

// FileError gives an error of opening or reading a session file its code: not_found, denied, or else
// unavailable. nil and invalid (it is not a regular file) stay as they are.
func FileError(path string, err error) error {
	code := fault.Unavailable
	switch {
	case err == nil || fault.Is(err, fault.Invalid):
		return err
	case errors.Is(err, fs.ErrNotExist):
		code = fault.NotFound
	case errors.Is(err, fs.ErrPermission):
		code = fault.Denied
	}
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		err = e.Err // the message names the path
	}
	return &fault.Error{Code: code, Op: "sessionfile.read", Message: "read " + path, Err: err}
}
