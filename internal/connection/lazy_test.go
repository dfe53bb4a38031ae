package connection

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"ctxledger.dev/internal/fault"
)

// conn counts how often it is opened and closed.
type conn struct{ opened, closed int }

func (c *conn) Close() error { c.closed++; return nil }

// lazy returns a connection that is opened like c; the first opening fails.
func lazy(c *conn) *Lazy[*conn] {
	return NewLazy(func(context.Context) (*conn, error) {
		if c.opened++; c.opened == 1 {
			return nil, errors.New("not now")
		}
		return c, nil
	})
}

func TestTheLastLeaseCloses(t *testing.T) {
	c := &conn{}
	l := lazy(c)
	if _, _, err := l.Lease(t.Context()); err == nil || err.Error() != "not now" {
		t.Fatalf("an error of opening: %v", err)
	}
	for round := range 2 {
		_, first, err := l.Lease(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		_, second, err := l.Lease(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for range 2 { // giving back twice is giving back once
			if err := first(); err != nil || c.closed != round {
				t.Fatalf("closed %d times, %v", c.closed, err)
			}
		}
		if err := second(); err != nil || c.closed != round+1 || c.opened != round+2 {
			t.Fatalf("opened %d times, closed %d times, %v", c.opened, c.closed, err)
		}
	}
}

func TestGetKeepsItOpenUntilClose(t *testing.T) {
	c := &conn{opened: 1}
	l := lazy(c)
	_, giveBack, err := l.Lease(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if got, err := l.Get(t.Context()); got != c || err != nil {
			t.Fatal(err)
		}
	}
	if err := giveBack(); err != nil || c.opened != 2 || c.closed != 0 {
		t.Fatalf("opened %d times, closed %d times, %v", c.opened, c.closed, err)
	}
	_, late, err := l.Lease(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := errors.Join(l.Close(), late()); err != nil || c.closed != 1 {
			t.Fatalf("closed %d times, %v", c.closed, err)
		}
	}
	if _, err := l.Get(t.Context()); !fault.Is(err, fault.Unavailable) {
		t.Errorf("it is opened after Close: %v", err)
	}
}

func TestCloseOfOneThatWasNeverOpened(t *testing.T) {
	if err := lazy(&conn{}).Close(); err != nil {
		t.Error(err)
	}
}

// TestWaitersGetTheSameAnswer has a connection that takes its time to say that it cannot be opened.
func TestWaitersGetTheSameAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dials, hold := 0, make(chan struct{})
		l := NewLazy(func(ctx context.Context) (*conn, error) {
			dials++
			select {
			case <-hold:
				return nil, fault.New(fault.Corrupt, "test", "it is damaged")
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		})
		given, giveUp := context.WithCancel(t.Context())
		go func() {
			if _, err := l.Get(given); err == nil {
				t.Error("it is open")
			}
		}()
		synctest.Wait()
		for range 5 {
			go func() {
				if _, err := l.Get(t.Context()); !fault.Is(err, fault.Corrupt) {
					t.Error(err)
				}
			}()
		}
		synctest.Wait()
		impatient, leave := context.WithCancel(t.Context())
		leave()
		if _, err := l.Get(impatient); !errors.Is(err, context.Canceled) || !fault.Is(err, fault.Unavailable) {
			t.Errorf("one that does not wait: %v", err)
		}
		giveUp() // what that one gets is no answer for the others
		synctest.Wait()
		close(hold)
		synctest.Wait()
		if dials != 2 {
			t.Errorf("it was opened %d times", dials)
		}
	})
}
