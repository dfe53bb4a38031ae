package cli

import (
	"os"
	"path/filepath"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/pattern"
	"ctxledger.dev/internal/safefs"
)

// handedOver matches the names under which shells pass the output of other commands, as in
// `ctxledger count <(git diff)`: they are meant to be pipes.
var handedOver = pattern.Lazy(`^(/dev/stdin|/dev/fd/\d+|/proc/self/fd/\d+)$`)

// openFile opens a file that was named on the command line; path is absolute. It refuses pipes and devices, which
// may block or never end, unless a shell made them for this command.
// Errors: not_found, denied; invalid for what is not a file.
func openFile(name, path string) (*os.File, error) {
	const op = "cli.open"
	path = filepath.Clean(path)
	info, err := os.Stat(path)
	if err != nil {
		return nil, fileError(name, err)
	}
	if info.IsDir() {
		return nil, fault.New(fault.Invalid, op, "%s is a directory, not a file", name)
	}
	var f *os.File
	if handedOver().MatchString(path) {
		f, err = os.Open(path)
	} else {
		f, _, err = safefs.OpenFile(path)
	}
	switch {
	case fault.Is(err, fault.Invalid):
		return nil, fault.New(fault.Invalid, op, "%s is a pipe or a device, not a file", name).
			WithHint("- reads standard input")
	case err != nil:
		return nil, fileError(name, err)
	}
	return f, nil
}
