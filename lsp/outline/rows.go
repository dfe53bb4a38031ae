package outline

import (
	"bytes"
	"iter"
)

// row is a line of a document.
type row struct {
	from, to int // without the line end
	text     []byte
}

// rows returns the lines of a document. A line ends with "\n", "\r\n" or "\r".
func rows(raw []byte) iter.Seq[row] {
	return func(yield func(row) bool) {
		old := bytes.IndexByte(raw, '\r') >= 0
		for from := 0; from < len(raw); {
			to, next := len(raw), len(raw)
			if i := end(raw[from:], old); i >= 0 {
				to = from + i
				next = to + 1
				if raw[to] == '\r' && next < len(raw) && raw[next] == '\n' {
					next++
				}
			}
			if !yield(row{from, to, raw[from:to]}) {
				return
			}
			from = next
		}
	}
}

// end returns where the first line of raw ends, or -1. old says that there may be a "\r".
func end(raw []byte, old bool) int {
	i := bytes.IndexByte(raw, '\n')
	if !old {
		return i
	}
	line := raw
	if i >= 0 {
		line = raw[:i]
	}
	if j := bytes.IndexByte(line, '\r'); j >= 0 {
		return j
	}
	return i
}

// indent returns the columns before the first character of a line, tabs reaching to the next multiple of
// four, and how many bytes these are.
func indent(line []byte) (columns, size int) {
	for size < len(line) {
		switch line[size] {
		case ' ':
			columns++
		case '\t':
			columns += 4 - columns%4
		default:
			return columns, size
		}
		size++
	}
	return columns, size
}
