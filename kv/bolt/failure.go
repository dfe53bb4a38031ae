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
	return storageError(end())
}

// storageError gives an error of bbolt its code and, where there is one, the way out.
func storageError(err error) error {
	if err == nil {
		return nil
	}
	e := &fault.Error{Code: fault.Unavailable, Op: "kv.update", Message: "nothing was stored", Err: tidy(err)}
	if isFull(err) {
		return e.WithHint(hintFull)
	}
	return e
}

// fail remembers a failure after which nothing may be written any more: after a lost write the
// cache shows what the disk does not hold, and a later commit would build on it.
func (s *Store) fail(err error) {
	if !lostWrite(err) && !errors.Is(err, errStuck) && !errors.Is(err, errNotInPlace) && !errors.Is(err, errReleasedEarly) && !IsMoved(err) {
		return
	}
	s.failMu.Lock()
	defer s.failMu.Unlock()
	if s.failed == nil {
		s.failed = err
	}
}

// failure returns why nothing is written any more, or nil.
func (s *Store) failure() error {
	s.failMu.Lock()
	defer s.failMu.Unlock()
	if s.failed == nil {
		return nil
	}
	if IsMoved(s.failed) {
		return s.failed
	}
	e := &fault.Error{Code: fault.CodeOf(s.failed), Op: "kv.update", Message: "the ledger stopped writing after an earlier failure",
		Hint: "close every ctxledger process of this workspace, check the disk, and start again", Err: s.failed}
	if isFull(s.failed) {
		e.Hint = hintFull + ", close every ctxledger process of this workspace, and start again"
	}
	return e
}

// stuck reports whether bbolt's locks cannot be relied on.
func (s *Store) stuck() bool { return errors.Is(s.failure(), errStuck) }
