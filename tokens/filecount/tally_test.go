package filecount

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"testing"

	"ctxledger.dev/tokens"
)

// words returns options that count texts of as many words as their names say.
func words(opened *atomic.Int64) Options {
	return Options{Counter: tokens.O200kBase.Counter(), Open: func(x *Text) (io.ReadCloser, error) {
		opened.Add(1)
		var n int
		if _, err := fmt.Sscan(x.Name, &n); err != nil {
			return nil, err
		}
		return io.NopCloser(strings.NewReader(strings.Repeat(" word", n))), nil
	}}
}

func TestTextsKeepTheirOrderAndTheirErrors(t *testing.T) {
	var opened atomic.Int64
	c := New(t.Context(), words(&opened))
	broken := errors.New("broken")
	for i := range 500 {
		x := &Text{Name: fmt.Sprint(i % 97)}
		if i == 7 {
			x.Err = broken
		}
		if i == 8 {
			x.Name = "none"
		}
		if err := c.Add(x); err != nil {
			t.Fatal(err)
		}
	}
	texts, err := c.Done(nil)
	if err != nil || len(texts) != 500 {
		t.Fatalf("%d texts, %v", len(texts), err)
	}
	for i, x := range texts {
		switch {
		case i == 7 && x.Err != broken, i == 8 && x.Err == nil, i > 8 && (x.Err != nil || x.Count.N != i%97):
			t.Errorf("text %d: %+v", i, x)
		}
	}
	if opened.Load() != 499 {
		t.Errorf("%d were opened", opened.Load())
	}
}

func TestGivingUpCountsNothingMore(t *testing.T) {
	var opened atomic.Int64
	ctx, cancel := context.WithCancel(t.Context())
	c := New(ctx, words(&opened))
	cancel()
	err := c.Add(&Text{Name: "1"})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("adding after the end: %v", err)
	}
	if _, got := c.Done(err); got != err {
		t.Errorf("done: %v, not %v", got, err)
	}
}
