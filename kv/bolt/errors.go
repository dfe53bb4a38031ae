package bolt

import (
	"errors"
	"io/fs"
	"path/filepath"
	"syscall"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/safefs"
)

// hintState is the hint when the location of the state directory is the problem.
const hintState = "set CTXLEDGER_STATE to a directory of your own on a local disk"

// hintFull is the hint for a full disk or an exceeded quota.
const hintFull = "free up space on the state directory's disk"

// hintDamaged is the hint for a damaged ledger.
const hintDamaged = "`ctxledger ledger check` lists what is damaged, `ctxledger ledger repair` keeps what is intact; " +
	"or restore a backup"

// damaged is the error for a damaged ledger file.
func damaged(format string, args ...any) error {
	return fault.New(fault.Corrupt, "kv.open", ledgerName+" "+format, args...).WithHint(hintDamaged)
}

// osError turns an error of the operating system, or of bbolt, into a fault.
func osError(op string, err error) error { return saidError(op, "", err) }

// notStored is osError for what could not be written to the ledger.
func notStored(err error) error { return saidError("kv.update", "nothing was stored", err) }

// saidError is osError with what the error means in front of it. All of this store's faults for a full disk, and for
// other failures of the system, are made here.
func saidError(op, message string, err error) error {
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*fault.Error](err); ok {
		return e
	}
	e := &fault.Error{Code: fault.Unavailable, Op: op, Message: message, Err: tidy(err)}
	if errors.Is(err, fs.ErrPermission) || isReadOnly(err) {
		e.Code = fault.Denied
		return e.WithHint(hintState)
	}
	if safefs.Full(err) {
		e.Code = fault.Full
		return e.WithHint(hintFull)
	}
	if errors.Is(err, syscall.ENAMETOOLONG) {
		// The path itself is thousands of characters, of which nobody reads the end.
		return fault.New(fault.Invalid, op, "the path of the state directory is too long for this system").
			WithHint("set CTXLEDGER_STATE to a directory with a shorter path")
	}
	return e
}

// inDir says which state directory an error of opening it is about, whose files are named without it.
func inDir(dir string, err error) error {
	e, ok := errors.AsType[*fault.Error](err)
	if p, is := errors.AsType[*fs.PathError](err); ok && is && e.Err == error(p) && !filepath.IsAbs(p.Path) {
		e.Err = &fs.PathError{Op: p.Op, Path: filepath.Join(dir, p.Path), Err: p.Err}
	}
	return err
}

// tidy cleans the path in an error of the operating system: directories are opened as DIR/., so the paths
// of their files are DIR/./FILE.
func tidy(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok && error(p) == err {
		return &fs.PathError{Op: p.Op, Path: filepath.Clean(p.Path), Err: p.Err}
	}
	return err
}
