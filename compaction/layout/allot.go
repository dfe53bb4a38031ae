package layout

import (
	"cmp"
	"slices"
)

// leastShare is what a part of a text is worth printing with, in tokens.
const leastShare = 48

// Allot divides total tokens among texts of these sizes, the most expensive first: each gets what it needs up to a level
// that is the same for all, so that the longest give way first. Where that level is below leastShare, the cheapest of
// the texts that are longer get 0, and last the cheapest of all.
func Allot(sizes []int, total int) []int {
	shares := make([]int, len(sizes))
	var in []int // indexes of those that get something: not more than would fit if all were as short as the shortest
	if len(sizes) > 0 {
		for i := range min(len(sizes), total/max(1, slices.Min(sizes))+1) {
			in = append(in, i)
		}
	}
	for len(in) > 0 {
		level := waterline(pick(sizes, in), total)
		longer := func(i int) bool { return sizes[i] > level }
		if level >= leastShare || len(in) == 1 || !slices.ContainsFunc(in, longer) {
			for _, i := range in {
				shares[i] = min(sizes[i], level)
			}
			break
		}
		drop := len(in) - 1
		for drop > 0 && sizes[in[drop]] <= max(level, leastShare) {
			drop--
		}
		if drop == 0 { // all are short
			drop = len(in) - 1
		}
		in = slices.Delete(in, drop, drop+1)
	}
	return shares
}

func pick(sizes, indexes []int) []int {
	out := make([]int, len(indexes))
	for i, at := range indexes {
		out[i] = sizes[at]
	}
	return out
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
