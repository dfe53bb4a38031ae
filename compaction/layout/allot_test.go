package layout

import (
	"slices"
	"testing"
)

func TestAllot(t *testing.T) {
	for _, tt := range []struct {
		name  string
		sizes []int
		total int
		want  []int
	}{
		{"all fit", []int{10, 200, 30}, 240, []int{10, 200, 30}},
		{"the longest gives way", []int{10, 200, 30}, 140, []int{10, 100, 30}},
		{"two long ones get the same", []int{300, 20, 200}, 220, []int{100, 20, 100}},
		{"the cheapest long one is left out before all are cut to fragments", []int{300, 20, 300, 20}, 120,
			[]int{80, 20, 0, 20}},
		{"the most expensive is cut, however little there is", []int{300}, 20, []int{20}},
		{"short ones: the cheapest are left out", []int{20, 20, 20, 20}, 45, []int{20, 20, 0, 0}},
		{"nothing", nil, 100, nil},
	} {
		if got := Allot(tt.sizes, tt.total); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

// However many texts there are, what is shared is never more than the total, and the time is not that of their square.
func TestAllotOfVeryManyTexts(t *testing.T) {
	sizes := make([]int, 300_000)
	for i := range sizes {
		sizes[i] = 10 + i*7919%400
	}
	const total = 3000
	sum := 0
	for _, share := range Allot(sizes, total) {
		sum += share
	}
	if sum > total || sum < total/2 {
		t.Errorf("%d of %d are shared", sum, total)
	}
}
