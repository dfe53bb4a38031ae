package text

import (
	"bytes"
	"sort"

	"ctxledger.dev/tokens"
)

// lines are the byte offsets at which lines start. A line ends with "\n", "\r\n" or "\r". Whether a line starts at a byte
// depends only on that byte and the one before it.
type lines []int32

// linesOf finds the lines of a text.
func linesOf(raw []byte) lines {
	return make(lines, 1, 1+len(raw)/32).scan(raw, 0, len(raw))
}

// scan appends the starts of lines in part, which begins at byte at, up to byte last.
func (l lines) scan(part []byte, at, last int) lines {
	if bytes.IndexByte(part, '\r') < 0 {
		for i := bytes.IndexByte(part, '\n'); i >= 0 && at+i+1 <= last; i = after(part, i) {
			l = append(l, int32(at+i+1))
		}
		return l
	}
	for i, b := range part {
		switch {
		case at+i+1 > last:
			return l
		case b == '\n', b == '\r' && (i+1 == len(part) || part[i+1] != '\n'):
			l = append(l, int32(at+i+1))
		}
	}
	return l
}

// after returns the index of the next "\n" after i, or -1.
func after(part []byte, i int) int {
	n := bytes.IndexByte(part[i+1:], '\n')
	if n < 0 {
		return -1
	}
	return i + 1 + n
}

// at returns the number of the line that holds a byte.
func (l lines) at(offset int) int {
	return sort.Search(len(l), func(i int) bool { return int(l[i]) > offset }) - 1
}

// replace returns the lines of the edited text, in which size bytes replace those in [from,to).
func (l lines) replace(from, to, size int, edited *tokens.Index) lines {
	kept := l[:max(1, sort.Search(len(l), func(i int) bool { return int(l[i]) >= from }))]
	rest := l[sort.Search(len(l), func(i int) bool { return int(l[i]) > to }):]
	next := make(lines, len(kept), len(kept)+len(rest)+8)
	copy(next, kept)
	start := max(0, from-1)
	next = next.scan(edited.AppendText(nil, start, from+size+1), start, from+size)
	shift := int32(size - (to - from))
	for _, at := range rest {
		next = append(next, at+shift)
	}
	return next
}
