package core

// Lengths of lists in responses.
const (
	DefaultList = 100   // elements when the request names no limit
	maxList     = 1_000 // elements at most
)

// ListLimit returns the number of elements to list for a requested limit: at most maxList, and DefaultList for 0.
func ListLimit(limit int) int {
	if limit <= 0 {
		return DefaultList
	}
	return min(limit, maxList)
}

// Fitting returns the longest beginning of list whose elements together take at most limit bytes, and at least
// one element. size returns the bytes of an element.
func Fitting[T any](list []T, limit int, size func(T) int) []T {
	for i, e := range list {
		if limit -= size(e); limit < 0 && i > 0 {
			return list[:i]
		}
	}
	return list
}

// OrEmpty returns a list that JSON writes as [].
func OrEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
