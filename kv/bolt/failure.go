package bolt

import (
	"errors"
	"fmt"
	"runtime/debug"

	"ctxledger.dev/internal/fault"
)

// errStuck marks a panic inside bbolt's commit, which leaves its locks in an unknown state.
var errStuck = errors.New("commit ended in a panic")

// finish ends a transaction by commit or rollback.
func (s *Store) finish(end func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if v := recover(); v != nil {
			err = &fault.Error{Code: fault.Corrupt, Op: "kv.update", Message: ledgerName + " is damaged",
				Hint: hintDamaged, Err: fmt.Errorf("%w: %v", errStuck, v)}
		}
	}()
	return notStored(end())
}

// fail records a failure after which nothing may be written: after a lost write, for example, the page
// cache differs from the disk, and a later commit would build on it.
func (s *Store) fail(err error) {
	final := lostWrite(err) || fault.Is(err, fault.Moved) || errors.Is(err, errStuck) ||
		errors.Is(err, errNotInPlace) || errors.Is(err, errReleasedEarly)
	if !final {
		return
	}
	s.failMu.Lock()
	defer s.failMu.Unlock()
	if s.failed == nil {
		s.failed = err
	}
}

// failure returns why the store no longer writes, or nil.
func (s *Store) failure() error {
	s.failMu.Lock()
	defer s.failMu.Unlock()
	if s.failed == nil {
		return nil
	}
	if fault.Is(s.failed, fault.Moved) {
		return s.failed
	}
	e := &fault.Error{
		Code: fault.CodeOf(s.failed), Op: "kv.update", Message: "the ledger stopped writing after an earlier failure",
		Hint: "close every ctxledger process of this workspace, check the disk, and start again", Err: s.failed,
	}
	if fault.Is(s.failed, fault.Full) {
		e.Hint = hintFull + ", close every ctxledger process of this workspace, and start again"
	}
	return e
}

// stuck reports whether a panic has left bbolt's locks in an unknown state.
func (s *Store) stuck() bool { return errors.Is(s.failure(), errStuck) }
