package ledger

import (
	"cmp"
	"slices"
)

// And returns what two ledgers forgot together.
func (f Forgotten) And(g Forgotten) Forgotten {
	counts := map[string]int{}
	for _, c := range slices.Concat(f.Counts, g.Counts) {
		counts[c.Kind] += c.N
	}
	f.Counts = Counted(counts)
	f.Sessions = append(f.Sessions, g.Sessions...)
	f.Searched += g.Searched
	f.Left, f.Outside = append(f.Left, g.Left...), append(f.Outside, g.Outside...)
	return f
}

// Counted lists counts, the most first.
func Counted(counts map[string]int) []ForgottenKind {
	list := []ForgottenKind{}
	for kind, n := range counts {
		list = append(list, ForgottenKind{Kind: kind, N: n})
	}
	slices.SortFunc(list, func(a, b ForgottenKind) int {
		return cmp.Or(cmp.Compare(b.N, a.N), cmp.Compare(a.Kind, b.Kind))
	})
	return list
}

// Total is how many things were forgotten.
func (f Forgotten) Total() (n int) {
	for _, c := range f.Counts {
		n += c.N
	}
	return n
}
