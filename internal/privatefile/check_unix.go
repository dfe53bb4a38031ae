//go:build unix

package privatefile

import (
	"os"
	"syscall"

	"ctxledger.dev/internal/fault"
)

// Check refuses a file or directory that anyone but the user and root can write, so that its content can
// be trusted. Errors: denied, with a hint.
func Check(path string) error {
	const op = "privatefile.check"
	const sticky, others = os.ModeSticky, 0o022
	info, err := os.Stat(path)
	if err != nil {
		return fault.Wrap(fault.Denied, op, err)
	}
	if s, ok := info.Sys().(*syscall.Stat_t); ok && s.Uid != 0 && int(s.Uid) != os.Getuid() {
		return fault.New(fault.Denied, op, "%s belongs to another user", path).
			WithHint("make it yours: `chown \"$(id -u)\" '%s'`", path)
	}
	if mode := info.Mode(); mode.Perm()&others != 0 && mode&sticky == 0 {
		return fault.New(fault.Denied, op, "other users can write %s (%#o)", path, mode.Perm()).
			WithHint("`chmod go-w '%s'`", path)
	}
	return nil
}
