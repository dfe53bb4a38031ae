package workspace

import (
	"cmp"
	"path/filepath"
	"runtime"

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
		return "", fault.New(fault.Unavailable, op, "there is no home directory to keep the ledger in").
			WithHint("set HOME, or set %s to a directory that you can write", StateVariable)
	}
	return filepath.Join(dir, "ctxledger"), nil
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
