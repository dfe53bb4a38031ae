package daemon

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"runtime/debug"
	"sync"

	"ctxledger.dev/engine/daemon/link"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/logcap"
	"ctxledger.dev/internal/redact"
	"ctxledger.dev/internal/safefs"
)

// logSize is the size at which a log file is rotated, in bytes. One older file is kept.
const logSize = 1 << 20

// logFile is the daemon's log. It takes writes from any goroutine.
type logFile struct {
	path    string
	crashes bool // whether the runtime writes a crash of this process here too

	mu   sync.Mutex
	file *os.File // guarded by mu
	size int64    // guarded by mu
}

// openLog opens the log of a state directory for appending.
func openLog(state string, crashes bool) (*logFile, error) {
	l := &logFile{path: link.LogPath(state), crashes: crashes}
	if err := os.MkdirAll(filepath.Dir(l.path), 0o700); err != nil {
		return nil, fault.Wrap(fault.Denied, "daemon.log", err)
	}
	return l, fault.Wrap(fault.Denied, "daemon.log", l.open())
}

// open opens the file at l.path. The caller holds l.mu, except in openLog.
func (l *logFile) open() error {
	f, info, err := safefs.OpenAppend(l.path)
	if err != nil {
		return err
	}
	if l.crashes {
		err = debug.SetCrashOutput(f, debug.CrashOptions{})
	}
	if err != nil {
		return errors.Join(err, f.Close())
	}
	l.file, l.size = f, info.Size()
	return nil
}

// Write appends p, and rotates the file before it would grow beyond logSize.
func (l *logFile) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.size > 0 && l.size+int64(len(p)) > logSize {
		if err := l.rotate(); err != nil {
			return 0, err
		}
	}
	n, err := l.file.Write(p)
	l.size += int64(n)
	return n, err
}

// rotate renames the file and begins a new one. The caller holds l.mu.
func (l *logFile) rotate() error {
	if err := l.file.Close(); err != nil {
		return err
	}
	if err := os.Rename(l.path, l.path+".1"); err != nil {
		return err
	}
	return l.open()
}

// Close closes the file.
func (l *logFile) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.file.Close()
}

// logger returns a logger that writes to w: one bounded line for each record, with secrets masked. The key
// of the masks belongs to this process, so that logging works when the ledger does not.
func logger(w *logFile, e env.Env) *slog.Logger {
	masks := redact.New([]byte(e.ID(link.MaskKey)))
	return slog.New(slog.NewTextHandler(masks.Lines(logcap.Records(w)), nil))
}
