package bolt

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/kv"
)

// TestWaitingUpdatesShareOneCommit: what waits while the writer is busy is one transaction.
func TestWaitingUpdatesShareOneCommit(t *testing.T) {
	s := mustOpen(t, t.TempDir(), kv.Options{})
	defer s.Close()
	batch := waiting(t, 100, func(i int) error { return nil })
	before := txid(t, s)
	s.commit(batch)
	if n := txid(t, s) - before; n != 1 {
		t.Errorf("%d commits", n)
	}
}

// TestFailuresAndReadsAloneDoNotCommit: a batch of failures alone writes nothing, and neither does
// one that only reads.
func TestFailuresAndReadsAloneDoNotCommit(t *testing.T) {
	s := mustOpen(t, t.TempDir(), kv.Options{})
	defer s.Close()
	before := txid(t, s)
	batch := waiting(t, 5, func(i int) error { return errors.New("late") })
	s.commit(batch)
	for _, c := range batch {
		if c.err == nil || c.err.Error() != "late" {
			t.Error(c.err)
		}
	}
	read := &call{fn: func(tx kv.Tx) error { _, err := tx.Get("entries", []byte("key")); return err }}
	s.commit([]*call{read})
	if n := txid(t, s) - before; n != 0 || read.err != nil {
		t.Errorf("%d commits, %v", n, read.err)
	}
}

// waiting returns n calls that each put a record and then end with what end says.
func waiting(t *testing.T, n int, end func(i int) error) []*call {
	t.Helper()
	calls := make([]*call, n)
	for i := range calls {
		calls[i] = &call{fn: func(tx kv.Tx) error {
			return errors.Join(tx.Put("entries", fmt.Append(nil, i), nil), end(i))
		}}
		if end(i) != nil {
			calls[i].fn = func(tx kv.Tx) error {
				if err := tx.Put("entries", fmt.Append(nil, i), nil); err != nil {
					return err
				}
				return end(i)
			}
		}
	}
	return calls
}

// txid returns the number of the last committed transaction.
func txid(t *testing.T, s *Store) int {
	t.Helper()
	btx, err := s.current().db.Begin(false)
	must(t, err)
	defer btx.Rollback()
	return btx.ID()
}

// TestCleanFailureDoesNotRunTheOthersAgain: only a failure that left traces costs a rerun.
func TestCleanFailureDoesNotRunTheOthersAgain(t *testing.T) {
	s := mustOpen(t, t.TempDir(), kv.Options{})
	defer s.Close()
	for _, c := range []struct {
		name  string
		dirty bool
		runs  int
	}{{"clean", false, 1}, {"dirty", true, 2}} {
		runs := 0
		good := &call{fn: func(tx kv.Tx) error { runs++; return tx.Put("entries", []byte("key"), nil) }}
		bad := &call{fn: func(tx kv.Tx) error {
			if c.dirty {
				if err := tx.Delete("entries", []byte("key")); err != nil {
					return err
				}
			}
			return errors.New("no")
		}}
		s.commit([]*call{good, bad})
		if runs != c.runs || good.err != nil || bad.err == nil {
			t.Errorf("%s: %d runs, %v, %v", c.name, runs, good.err, bad.err)
		}
	}
}

// TestRunTwiceRunsEveryFunctionBeforehand: and keeps only the second run.
func TestRunTwiceRunsEveryFunctionBeforehand(t *testing.T) {
	s := mustOpen(t, t.TempDir(), kv.Options{RunTwice: true})
	defer s.Close()
	runs := 0
	must(t, s.Update(context.Background(), func(tx kv.Tx) error {
		runs++
		return tx.Put("entries", fmt.Append(nil, "run", runs), nil)
	}))
	var keys []string
	must(t, s.View(context.Background(), func(tx kv.Tx) error {
		for rec, err := range tx.Scan("entries", kv.Range{}) {
			if err != nil {
				return err
			}
			keys = append(keys, string(rec.Key))
		}
		return nil
	}))
	if runs != 2 || len(keys) != 1 || keys[0] != "run2" {
		t.Errorf("%d runs, keys %q", runs, keys)
	}
}

// TestPanicKeepsItsStackForTheLog: the message stays short.
func TestPanicKeepsItsStackForTheLog(t *testing.T) {
	s := mustOpen(t, t.TempDir(), kv.Options{})
	defer s.Close()
	err := s.Update(context.Background(), func(kv.Tx) error { panic("on purpose") })
	p, ok := errors.AsType[interface {
		error
		Stack() []byte
	}](err)
	if !ok || !strings.Contains(string(p.Stack()), "TestPanicKeepsItsStack") || strings.Contains(err.Error(), "\n") {
		t.Errorf("%v", err)
	}
}

// TestNothingIsWrittenAfterABrokenCommit: reads continue, updates say why they do not, and a new
// start is what clears it.
func TestNothingIsWrittenAfterABrokenCommit(t *testing.T) {
	dir := t.TempDir()
	s := mustOpen(t, dir, kv.Options{})
	err := s.finish(func() error { panic("page 7: unexpected") })
	if !fault.Is(err, fault.Corrupt) || !s.brokenBy(err) {
		t.Fatalf("%v", err)
	}
	put := func(tx kv.Tx) error { return tx.Put("entries", []byte("key"), nil) }
	if err := s.Update(context.Background(), put); !fault.Is(err, fault.Corrupt) || fault.HintOf(err) == "" {
		t.Errorf("%v", err)
	}
	must(t, s.View(context.Background(), func(tx kv.Tx) error {
		_, err := tx.Get("entries", []byte("key"))
		return err
	}))
	must(t, s.Close())
	s = mustOpen(t, dir, kv.Options{})
	must(t, s.Update(context.Background(), put))
	must(t, s.Close())
}

// brokenBy reports an error as the writer would.
func (s *Store) brokenBy(err error) bool {
	s.fail(err)
	return s.failure() != nil
}

// A call that does not end does not block the next owner: Close abandons it, and what it tries to write
// later is refused.
func TestACallThatDoesNotEndIsLeftBehind(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	s, err := Open(dir, kv.Options{})
	if err != nil {
		t.Fatal(err)
	}
	inside, release, ended := make(chan struct{}), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		_ = s.View(context.Background(), func(kv.Tx) error { close(inside); <-release; return nil })
	}()
	<-inside
	if err := s.Close(); !errors.Is(err, errReleasedEarly) {
		t.Errorf("closed with %v", err)
	}
	next, err := Open(dir, kv.Options{})
	if err != nil {
		t.Fatalf("the next owner: %v", err)
	}
	if err := next.Close(); err != nil {
		t.Error(err)
	}
	close(release)
	<-ended
	<-s.wrote // the store is shut when its last call has ended
	if err := s.failure(); !errors.Is(err, errReleasedEarly) {
		t.Errorf("it would write: %v", err)
	}
}
