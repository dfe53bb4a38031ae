package bolt

import (
	"errors"
	"io/fs"
	"path/filepath"

	"ctxledger.dev/internal/fault"
)

// opLocked marks the one open error that a caller must tell from all others.
const opLocked = "kv.open.locked"

// hintState is the way out when the place of the state directory is the problem.
const hintState = "set CTXLEDGER_STATE to a directory of your own on a local disk"

// hintFull is the way out of a disk, or a share of one, that has no room left.
const hintFull = "free space on the disk of the state directory"

// hintDamaged is the way out of a damaged ledger.
const hintDamaged = "`ctxledger check` lists what is damaged, `ctxledger repair` keeps what is whole; or restore a backup"

// IsLocked reports whether err says that another owner has the ledger open.
func IsLocked(err error) bool {
	e, ok := errors.AsType[*fault.Error](err)
	return ok && e.Op == opLocked
}

// IsFull reports whether err says that the disk, or the user's share of it, has no room left.
func IsFull(err error) bool { return isFull(err) }

func locked() error {
	return fault.New(fault.Unavailable, opLocked, "the ledger is in use by another process").
		WithHint("close that process or connect to it")
}

// damaged is the error for a ledger file that must not be opened.
func damaged(format string, args ...any) error {
	return fault.New(fault.Corrupt, "kv.open", ledgerName+" "+format, args...).WithHint(hintDamaged)
}

// osError gives an error of the operating system its code.
func osError(op string, err error) error {
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*fault.Error](err); ok {
		return e
	}
	e := &fault.Error{Code: fault.Unavailable, Op: op, Err: tidy(err)}
	if errors.Is(err, fs.ErrPermission) || isReadOnly(err) {
		e.Code = fault.Denied
		return e.WithHint(hintState)
	}
	if isFull(err) {
		return e.WithHint(hintFull)
	}
	return e
}

// tidy spells the path in an error of the operating system as people do: a directory is opened as DIR/., and its files
// are DIR/./FILE since then.
func tidy(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok && error(p) == err {
		return &fs.PathError{Op: p.Op, Path: filepath.Clean(p.Path), Err: p.Err}
	}
	return err
}
