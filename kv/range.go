package kv

import (
	"bytes"
	"slices"
)

// Bounds returns the keys that r selects as one interval [low, high). A nil low starts at the
// first key, a nil high ends after the last one; the interval is empty when high is not nil
// and low >= high. The results may share r's memory.
func (r Range) Bounds() (low, high []byte) {
	low, high = r.Prefix, prefixEnd(r.Prefix)
	if bytes.Compare(r.From, low) > 0 {
		low = r.From
	}
	if r.To != nil && (high == nil || bytes.Compare(r.To, high) < 0) {
		high = r.To
	}
	return low, high
}

// prefixEnd returns the smallest key above every key that starts with prefix, or nil when
// there is none: for the empty prefix and for one of 0xff bytes only.
func prefixEnd(prefix []byte) []byte {
	for i := len(prefix) - 1; i >= 0; i-- {
		if prefix[i] < 0xff {
			end := slices.Clone(prefix[:i+1])
			end[i]++
			return end
		}
	}
	return nil
}
