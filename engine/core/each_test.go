package core

import (
	"errors"
	"sync/atomic"
	"testing"
)

func TestEachReturnsTheErrorOfTheFirst(t *testing.T) {
	var ran atomic.Int64
	first, second := errors.New("first"), errors.New("second")
	err := each(1000, func(i int) error {
		ran.Add(1)
		switch i {
		case 3:
			return first
		case 4:
			return second
		}
		return nil
	})
	if err != first && err != second || ran.Load() == 1000 {
		t.Errorf("%v after %d of 1000", err, ran.Load())
	}
	if err := each(0, func(int) error { return first }); err != nil {
		t.Errorf("of none: %v", err)
	}
}

// TestEachPanicsWhereItsCallerCanRecover: a defect in one entry must not end the process.
func TestEachPanicsWhereItsCallerCanRecover(t *testing.T) {
	defer func() {
		if recover() != "on purpose" {
			t.Error("the panic did not reach the caller")
		}
	}()
	_ = each(100, func(i int) error {
		if i == 50 {
			panic("on purpose")
		}
		return nil
	})
}
