package workspace

import (
	"cmp"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/fault"
)

// StateVariable is the environment variable with the parent of all state directories: one for each
// workspace and one for the user ledger. It must be absolute.
const StateVariable = "CTXLEDGER_STATE"

// stateBase returns the parent of all state directories.
func stateBase(e env.Env) (string, error) {
	const op = "workspace.state"
	if dir := e.Lookup(StateVariable); dir != "" {
		if !filepath.IsAbs(dir) {
			return "", fault.New(fault.Invalid, op, "%s is %q, which is not an absolute path", StateVariable, dir)
		}
		return filepath.Clean(dir), nil
	}
	dir := userState(runtime.GOOS, e)
	if !filepath.IsAbs(dir) {
		return "", fault.New(fault.Unavailable, op, "no home directory for the ledger").
			WithHint("set HOME, or set %s to a writable directory", StateVariable)
	}
	return filepath.Join(dir, "ctxledger"), nil
}

// HostedState returns the directory in which a server keeps the workspaces that it hosts, and the tokens that open them.
// Errors: those of a state directory that is not known.
func HostedState(e env.Env) (string, error) {
	base, err := stateBase(e)
	return filepath.Join(base, "hosted"), err
}

// Figures returns the path of the file in which audits cache the figures of session files, next to a state directory.
func Figures(state string) string { return filepath.Join(filepath.Dir(state), "audit", "figures") }

// longestBelow bounds the names below the parent of all state directories, in bytes: that of a state directory, and that
// of a file in it, the longest being of blobs and of files that are not in place yet.
const longestBelow, longestFile = 100, 128

// roomBelow refuses a parent of state directories whose files would have longer paths than the system allows. Some would
// fit, and the ledger would be made and then fail.
func roomBelow(base string) error {
	longest := filepath.Join(base, strings.Repeat("n", longestBelow), strings.Repeat("n", longestFile))
	if _, err := os.Lstat(longest); !errors.Is(err, syscall.ENAMETOOLONG) {
		return nil
	}
	return fault.New(fault.Invalid, "workspace.state",
		"the path of the ledger's directory has %d bytes, too many for this system: %.80s…", len(base), base).
		WithHint("set %s to a directory with a shorter path", StateVariable)
}

// userState returns the platform's directory for the persistent state of programs; "" if it is unknown.
func userState(goos string, e env.Env) string {
	home := func(elements ...string) string {
		if e.Home == "" {
			return ""
		}
		return filepath.Join(append([]string{e.Home}, elements...)...)
	}
	switch goos {
	case "windows":
		return cmp.Or(e.Lookup("LOCALAPPDATA"), home("AppData", "Local"))
	case "darwin":
		return home("Library", "Application Support")
	default:
		// The specification of this variable says that relative values must be ignored.
		if dir := e.Lookup("XDG_STATE_HOME"); filepath.IsAbs(dir) {
			return dir
		}
		return home(".local", "state")
	}
}
