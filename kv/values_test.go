package kv

import (
	"errors"
	"iter"
	"slices"
	"testing"
)

func TestCollectTakesAtMostItsLimitAndReadsNoFurther(t *testing.T) {
	broken := errors.New("broken")
	values := func(yield func(int, error) bool) {
		_ = yield(1, nil) && yield(2, nil) && yield(0, broken)
	}
	for limit, want := range map[int][]int{0: nil, 1: {1}, 2: {1, 2}} {
		if got, err := Collect(iter.Seq2[int, error](values), limit); err != nil || !slices.Equal(got, want) {
			t.Errorf("%d: %v, %v", limit, got, err)
		}
	}
	for _, limit := range []int{3, All} {
		if got, err := Collect(iter.Seq2[int, error](values), limit); !errors.Is(err, broken) || got != nil {
			t.Errorf("%d: %v, %v", limit, got, err)
		}
	}
}
