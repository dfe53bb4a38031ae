package bolt

import (
	"context"
	"errors"
	"fmt"

	"ctxledger.dev/internal/failpoint"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/safefs"
)

// Vacuum implements kv.Compacted. A rename replaces the old file by the new one, with the owner lock held on
// both: after a crash at any instant ledger.db is one of them, intact, and no other process can become the
// owner meanwhile. On Windows, where a mapped file cannot be replaced, the old one is closed before the
// rename, once the views on it have ended. If another process opens it in between, the rename fails.
func (s *Store) Vacuum(ctx context.Context) error {
	if err := s.begin(ctx); err != nil {
		return err
	}
	defer s.calls.Done()
	done := make(chan error, 1)
	select {
	case s.jobs <- func() { done <- s.vacuum(ctx) }:
		return <-done
	case <-ctx.Done():
		return notDone("kv.vacuum", "the vacuum was not started", ctx.Err())
	}
}

// vacuum runs on the writer's goroutine, so that no update runs meanwhile.
func (s *Store) vacuum(ctx context.Context) error {
	if err := s.failure(); err != nil {
		return err
	}
	name, next, err := copyLedger(ctx, s.root, s.current())
	if err != nil {
		return s.diskFull(err)
	}
	failpoint.Hit("kv.vacuum.copied")
	if err := next.file.Sync(); err != nil {
		discard(s.root, name, next)
		return s.diskFull(osError("kv.vacuum", err))
	}
	failpoint.Hit("kv.vacuum.synced")
	if !replacesOpen {
		return s.replaceClosed(ctx, name, next)
	}
	s.swap(next.info)
	defer s.swap(nil)
	if err := s.root.Rename(name, ledgerName); err != nil {
		discard(s.root, name, next)
		return osError("kv.vacuum", err)
	}
	failpoint.Hit("kv.vacuum.renamed")
	s.install(next) // before anything can fail: the old file no longer has a name
	return s.settle()
}

// diskFull adds the required disk space to the error of a full disk, and returns others unchanged.
func (s *Store) diskFull(err error) error {
	info, statErr := s.current().file.Stat()
	if !fault.Is(err, fault.Full) || statErr != nil {
		return err
	}
	return (&fault.Error{
		Code: fault.Full, Op: "kv.vacuum", Err: err,
		Message: fmt.Sprintf("rewriting the records needs up to %d free bytes on the disk of the state directory",
			safefs.OnDisk(info)),
	}).WithHint(hintFull + " and try again: what was deleted before stays deleted")
}

// replaceClosed puts next in place once all views on the old file have ended.
func (s *Store) replaceClosed(ctx context.Context, name string, next *ledgerFile) error {
	s.swap(s.current().info)
	defer s.swap(nil)
	old, _ := s.install(next) // it has the same records, and no update can run
	select {
	case <-old.retired:
	case <-ctx.Done():
		if _, back := s.install(old); back {
			_ = s.root.Remove(name) // a leftover is removed by the next owner
			return notDone("kv.vacuum", "views on the old file did not end", ctx.Err())
		}
		<-old.retired // its last view has just ended
	}
	if err := s.root.Rename(name, ledgerName); err != nil {
		return s.stop(err)
	}
	return s.settle()
}

// settle makes the new file's name durable. Until then nothing may be acknowledged that is only in the new
// file.
func (s *Store) settle() error {
	defer failpoint.Hit("kv.vacuum.settled")
	if err := syncRoot(s.root, "."); err != nil {
		return s.stop(err)
	}
	return nil
}

// stop ends all writing when it is unknown which file is in place.
func (s *Store) stop(err error) error {
	err = saidError("kv.vacuum", "the rewritten ledger may not be in place", fmt.Errorf("%w: %w", errNotInPlace, err))
	s.fail(err)
	return err
}

// errNotInPlace marks a ledger whose name may not be on disk.
var errNotInPlace = errors.New("ledger file is not in place")
