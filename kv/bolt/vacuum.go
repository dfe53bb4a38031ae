package bolt

import (
	"context"
	"errors"
	"fmt"

	"ctxledger.dev/internal/failpoint"
	"ctxledger.dev/internal/fault"
)

// Vacuum implements kv.Store. The new file takes the place of the old one by a rename, with the
// owner lock held on both: after a crash at any instant ledger.db is one of them, whole, and no
// other process can become the owner in between. Where a mapped file cannot be replaced
// (Windows) the old one is closed before the rename, as soon as the views on it have ended; in
// the moment between, another process could take it, and then the rename fails.
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

// vacuum runs on the writer's goroutine: no update can come between.
func (s *Store) vacuum(ctx context.Context) error {
	if err := s.failure(); err != nil {
		return err
	}
	name, next, err := copyLedger(ctx, s.root, s.current())
	if err != nil {
		return s.noRoom(err)
	}
	failpoint.Hit("kv.vacuum.copied")
	if err := next.file.Sync(); err != nil {
		discard(s.root, name, next)
		return s.noRoom(osError("kv.vacuum", err))
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
	s.install(next) // before anything can fail: the old file has no name any more
	return s.settle()
}

// noRoom gives an error of a disk without room for the copy the size of that room. Others stay as they are.
func (s *Store) noRoom(err error) error {
	info, no := s.current().file.Stat()
	if !isFull(err) || no != nil {
		return err
	}
	return (&fault.Error{
		Code: fault.Unavailable, Op: "kv.vacuum", Err: err,
		Message: fmt.Sprintf("the records could not be rewritten, for which up to %d bytes have to be free on the disk of the state directory", onDisk(info)),
	}).WithHint(hintFull + " and do the same again: what was deleted before stays deleted")
}

// replaceClosed puts next in place once nobody reads the old file.
func (s *Store) replaceClosed(ctx context.Context, name string, next *ledgerFile) error {
	s.swap(s.current().info)
	defer s.swap(nil)
	old, _ := s.install(next) // it holds what the old one does, and no update can run
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

// settle makes the new file's name durable. Until then nothing may be acknowledged that only
// the new file holds.
func (s *Store) settle() error {
	defer failpoint.Hit("kv.vacuum.settled")
	if err := syncRoot(s.root, "."); err != nil {
		return s.stop(err)
	}
	return nil
}

// stop ends all writing after the place of the file became uncertain.
func (s *Store) stop(err error) error {
	e := &fault.Error{Code: fault.Unavailable, Op: "kv.vacuum", Message: "the rewritten ledger is not known to be in place",
		Err: fmt.Errorf("%w: %w", errNotInPlace, err)}
	if isFull(err) {
		e.Hint = hintFull
	}
	s.fail(e)
	return e
}

// errNotInPlace marks a ledger whose name may not be on disk.
var errNotInPlace = errors.New("ledger file is not in place")
