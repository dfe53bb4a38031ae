package hooking

import (
	"os"
	"path/filepath"
	"time"

	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/safefs"
)

// Of a ledger that cannot be opened the daemon ends at once, and an agent makes many calls: the time from one start to the
// next doubles up to a limit.
const (
	firstPause   = time.Second
	longestPause = time.Minute
)

// starts is the file that knows when hooks have started daemons: its time is that of the last start, its size how many
// there were in a row.
type starts struct {
	path string
	env  env.Env
}

// startsIn returns the file of a state directory.
func startsIn(state string, e env.Env) starts {
	return starts{filepath.Join(state, "log", "hook.starts"), e}
}

// due reports whether a daemon may be started, and counts the start.
func (s starts) due() bool {
	now := s.env.Now()
	info, err := os.Lstat(s.path)
	if err == nil && info.Mode().IsRegular() && now.Sub(info.ModTime()).Abs() < pause(info.Size()) {
		return false
	}
	if os.MkdirAll(filepath.Dir(s.path), 0o700) != nil {
		return true // a daemon says why
	}
	f, info, err := safefs.OpenAppend(s.path)
	if err != nil {
		return true
	}
	if now.Sub(info.ModTime()).Abs() > 2*longestPause {
		_ = f.Truncate(0) // the last start was long ago: these are not in a row
	}
	_, _ = f.Write([]byte{'.'}) // on a full disk the time counts alone
	_ = f.Close()
	_ = os.Chtimes(s.path, now, now)
	return true
}

// pause returns how long to wait after n starts in a row.
func pause(n int64) time.Duration {
	return min(firstPause<<min(max(n-1, 0), 10), longestPause)
}
