package layout

import (
	"cmp"
	"slices"
	"sort"
)

// LeastShare is what a text is worth printing with, in tokens.
const LeastShare = 24

// Allot divides total tokens among texts of these sizes, the dearest first: each gets what it needs up to a level
// that is the same for all, so that the longest give way first. A text with a share below LeastShare gets 0, the
// cheapest texts first.
func Allot(sizes []int, total int) []int {
	tooMany := func(n int) bool {
		level := waterline(sizes[:n], total)
		return n > 1 && level < LeastShare && level < slices.Max(sizes[:n])
	}
	n := sort.Search(len(sizes), func(i int) bool { return tooMany(i + 1) })
	level := waterline(sizes[:n], total)
	shares := make([]int, len(sizes))
	for i, size := range sizes[:n] {
		shares[i] = min(size, level)
	}
	return shares
}

// waterline returns the level up to which all texts together take at most total.
func waterline(sizes []int, total int) int {
	sorted := slices.SortedFunc(slices.Values(sizes), cmp.Compare[int])
	for i, size := range sorted {
		if rest := len(sorted) - i; size*rest > total {
			return total / rest
		}
		total -= size
	}
	return slices.Max(append(sorted, 0))
}
