package transcript

import (
	"cmp"
	"slices"
)

// splice is one piece of an edit: the bytes of a span are replaced by others. An empty span inserts.
type splice struct {
	Span
	with []byte
}

// apply returns src with the splices done. They must not overlap.
func apply(src []byte, splices []splice) []byte {
	slices.SortStableFunc(splices, func(a, b splice) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
	})
	size := len(src)
	for _, p := range splices {
		size += len(p.with) - (p.To - p.From)
	}
	out, pos := make([]byte, 0, size), 0
	for _, p := range splices {
		out = append(append(out, src[pos:p.From]...), p.with...)
		pos = p.To
	}
	return append(out, src[pos:]...)
}

// without returns the splices that take elements out of an array, each with one comma. spans are all
// elements in order, drop says which of them go.
func without(spans []Span, drop []bool) []splice {
	var out []splice
	kept := false // an element before this one stays
	for i, at := range spans {
		switch {
		case !drop[i]:
			kept = true
			continue
		case kept:
			at.From = spans[i-1].To
		case i+1 < len(spans):
			at.To = spans[i+1].From
		}
		out = append(out, splice{Span: at})
	}
	return out
}
