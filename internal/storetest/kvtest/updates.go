package kvtest

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"sync"
	"testing"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/kv"
)

// atomic: a function that fails leaves nothing, and its error comes back unchanged.
func (s suite) atomic(t *testing.T) {
	st := s.fresh(t)
	put(t, st, "a", "1")
	err := st.Update(context.Background(), func(tx kv.Tx) error {
		return errors.Join(tx.Put(bucket, []byte("a"), []byte("2")), tx.Put("new", []byte("b"), nil),
			tx.Delete(bucket, []byte("a")), errWanted)
	})
	if !errors.Is(err, errWanted) {
		t.Errorf("error %v", err)
	}
	want(t, st, "a", "1")
	if err := st.View(context.Background(), func(kv.Tx) error { return errWanted }); err != errWanted {
		t.Errorf("view changed the error to %v", err)
	}
	if err := st.Update(context.Background(), func(kv.Tx) error { return errWanted }); err != errWanted {
		t.Errorf("update changed the error to %v", err)
	}
}

// hold blocks the store's writer inside an update until release is called, so that what is
// submitted meanwhile meets in one batch. wait returns the blocked update's error.
func hold(st kv.Store) (release func(), wait func() error) {
	entered, released, done := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	var once sync.Once
	go func() {
		done <- st.Update(context.Background(), func(kv.Tx) error {
			once.Do(func() { close(entered) })
			<-released
			return nil
		})
	}()
	<-entered
	return func() { close(released) }, func() error { return <-done }
}

// batchMates: among functions that wait together, those that fail, before or after writing, or
// panic, get their own error, and exactly the others are kept.
func (s suite) batchMates(t *testing.T) {
	st := s.fresh(t)
	release, wait := hold(st)
	const n = 60
	errs := make([]error, n)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			errs[i] = st.Update(context.Background(), func(tx kv.Tx) error {
				if i%4 == 1 {
					return fmt.Errorf("early %d: %w", i, errWanted)
				}
				if err := tx.Put(bucket, []byte(strconv.Itoa(i)), []byte("kept")); err != nil {
					return err
				}
				switch i % 4 {
				case 2:
					return fmt.Errorf("late %d: %w", i, errWanted)
				case 3:
					panic(i)
				}
				return nil
			})
		})
	}
	release()
	all.Wait()
	if err := wait(); err != nil {
		t.Fatal(err)
	}
	for i, err := range errs {
		key := strconv.Itoa(i)
		switch i % 4 {
		case 0:
			if err != nil {
				t.Errorf("update %d: %v", i, err)
			}
			want(t, st, key, "kept")
			continue
		case 1, 2:
			if !errors.Is(err, errWanted) {
				t.Errorf("update %d: %v", i, err)
			}
		case 3:
			wantCode(t, err, fault.Internal)
		}
		wantNone(t, st, key)
	}
}

// panics: a panic is an error of the one who panicked.
func (s suite) panics(t *testing.T) {
	st := s.fresh(t)
	put(t, st, "a", "1")
	err := st.Update(context.Background(), func(tx kv.Tx) error {
		if err := tx.Put(bucket, []byte("a"), []byte("2")); err != nil {
			return err
		}
		panic("on purpose")
	})
	wantCode(t, err, fault.Internal)
	want(t, st, "a", "1")
	put(t, st, "a", "3")
	want(t, st, "a", "3")
}

// exits: so is the end of the goroutine, which is what a failing test does.
func (s suite) exits(t *testing.T) {
	st := s.fresh(t)
	err := st.Update(context.Background(), func(tx kv.Tx) error {
		if err := tx.Put(bucket, []byte("a"), []byte("2")); err != nil {
			return err
		}
		runtime.Goexit()
		return nil
	})
	wantCode(t, err, fault.Internal)
	wantNone(t, st, "a")
	put(t, st, "a", "3")
	want(t, st, "a", "3")
}

// dropped: a caller that gives up before its function was started knows that it never runs.
func (s suite) dropped(t *testing.T) {
	st := s.fresh(t)
	ctx, cancel := context.WithCancel(context.Background())
	release, wait := hold(st)
	result := make(chan error)
	go func() {
		result <- st.Update(ctx, func(tx kv.Tx) error { return tx.Put(bucket, []byte("a"), nil) })
	}()
	cancel()
	err := <-result
	wantCode(t, err, fault.Unavailable)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v does not say why", err)
	}
	release()
	if err := wait(); err != nil {
		t.Fatal(err)
	}
	wantNone(t, st, "a")
	ran := false
	wantCode(t, st.Update(ctx, func(kv.Tx) error { ran = true; return nil }), fault.Unavailable)
	wantCode(t, st.View(ctx, func(kv.Tx) error { ran = true; return nil }), fault.Unavailable)
	if ran {
		t.Error("a function ran although its context had ended")
	}
}

// concurrent: read-modify-write from many goroutines loses nothing.
func (s suite) concurrent(t *testing.T) {
	st := s.fresh(t)
	const goroutines, each = 64, 10
	var all sync.WaitGroup
	for range goroutines {
		all.Go(func() {
			for range each {
				if err := st.Update(context.Background(), increment); err != nil {
					t.Error(err)
				}
				if err := st.View(context.Background(),
					func(tx kv.Tx) error { _, err := tx.Get(bucket, []byte("n")); return err }); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	want(t, st, "n", strconv.Itoa(goroutines*each))
}

// increment adds one to the record n.
func increment(tx kv.Tx) error {
	value, err := tx.Get(bucket, []byte("n"))
	if err != nil {
		return err
	}
	n := 0
	if value != nil {
		if n, err = strconv.Atoi(string(value)); err != nil {
			return err
		}
	}
	return tx.Put(bucket, []byte("n"), []byte(strconv.Itoa(n+1)))
}

// snapshot: a view does not see what is committed while it is open.
func (s suite) snapshot(t *testing.T) {
	st := s.fresh(t)
	put(t, st, "a", "1")
	opened, committed := make(chan struct{}), make(chan error, 1)
	go func() {
		<-opened
		committed <- st.Update(context.Background(), func(tx kv.Tx) error {
			return errors.Join(tx.Put(bucket, []byte("a"), []byte("2")), tx.Put(bucket, []byte("b"), nil))
		})
	}()
	var before, after string
	var records int
	err := st.View(context.Background(), func(tx kv.Tx) error {
		v, err1 := tx.Get(bucket, []byte("a"))
		before = string(v)
		close(opened)
		err2 := <-committed
		v, err3 := tx.Get(bucket, []byte("a"))
		after = string(v)
		for range tx.Scan(bucket, kv.Range{}) {
			records++
		}
		return errors.Join(err1, err2, err3)
	})
	if err != nil || before != "1" || after != "1" || records != 1 {
		t.Errorf("error %v, before %q, after %q, %d records", err, before, after, records)
	}
	want(t, st, "a", "2")
}

// afterEnd: a transaction that was kept is refused, not obeyed.
func (s suite) afterEnd(t *testing.T) {
	st := s.fresh(t)
	put(t, st, "a", "1")
	var old []kv.Tx
	keep := func(tx kv.Tx) error { old = append(old, tx); return nil }
	update(t, st, keep)
	if err := st.View(context.Background(), keep); err != nil {
		t.Fatal(err)
	}
	for _, tx := range old {
		_, err := tx.Get(bucket, []byte("a"))
		wantCode(t, err, fault.Unavailable)
		wantCode(t, tx.Put(bucket, []byte("a"), nil), fault.Unavailable)
		wantCode(t, tx.Delete(bucket, []byte("a")), fault.Unavailable)
		for _, err := range tx.Scan(bucket, kv.Range{}) {
			wantCode(t, err, fault.Unavailable)
		}
	}
	want(t, st, "a", "1")
}

// reopen: what was acknowledged is there after Close, and Close commits what waits.
func (s suite) reopen(t *testing.T) {
	dir := t.TempDir()
	st := s.open(t, dir)
	release, wait := hold(st)
	var all sync.WaitGroup
	acked := make([]bool, 20)
	for i := range acked {
		all.Go(func() {
			err := st.Update(context.Background(), func(tx kv.Tx) error {
				return tx.Put(bucket, []byte(strconv.Itoa(i)), []byte("v"))
			})
			acked[i] = err == nil
		})
	}
	closing := make(chan error)
	go func() { closing <- st.Close() }()
	release()
	all.Wait()
	if err := errors.Join(wait(), <-closing); err != nil {
		t.Fatal(err)
	}
	st = s.open(t, dir)
	defer func() { _ = st.Close() }() // its content has been checked
	for i, ok := range acked {
		if ok {
			want(t, st, strconv.Itoa(i), "v")
		} else {
			wantNone(t, st, strconv.Itoa(i))
		}
	}
}

// closed: every method says so; closing again is nothing.
func (s suite) closed(t *testing.T) {
	ctx := context.Background()
	st := s.open(t, t.TempDir())
	if err := errors.Join(st.Close(), st.Close()); err != nil {
		t.Fatal(err)
	}
	wantCode(t, st.Update(ctx, func(kv.Tx) error { return nil }), fault.Unavailable)
	wantCode(t, st.View(ctx, func(kv.Tx) error { return nil }), fault.Unavailable)
	_, err := st.PutBlob(ctx, nil, 1)
	wantCode(t, err, fault.Unavailable)
	_, err = st.OpenBlob(ctx, "")
	wantCode(t, err, fault.Unavailable)
	wantCode(t, st.DeleteBlob(ctx, ""), fault.Unavailable)
	_, err = st.Size(ctx)
	wantCode(t, err, fault.Unavailable)
	if c, ok := st.(kv.Compacted); ok {
		wantCode(t, c.Vacuum(ctx), fault.Unavailable)
	}
	wantCode(t, st.Backup(ctx, nil, true), fault.Unavailable)
	for _, err := range st.Blobs(ctx) {
		wantCode(t, err, fault.Unavailable)
	}
}
