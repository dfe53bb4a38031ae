package termtext

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

// printable returns how many bytes of printable ASCII p begins with.
func printable(p []byte) int {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	n := 0
	for ; n+8 <= len(p); n += 8 {
		v := binary.LittleEndian.Uint64(p[n:])
		// The top bit of a byte gets set where it is below a space, DEL, or not ASCII. A borrow can set
		// it wrongly, but only above a byte where it is set rightly: the lowest one counts.
		low, del := v-' '*ones, (v^0x7f*ones)-ones
		if bad := (v | low | del) & tops; bad != 0 {
			return n + bits.TrailingZeros64(bad)/8
		}
	}
	for n < len(p) && p[n] >= ' ' && p[n] < 0x7f {
		n++
	}
	return n
}

// plainLine returns the length of the line that p begins with, without its line feed, if a terminal
// shows it as it is but for tabs; else -1. A carriage return in front of the line feed changes nothing.
// Only ASCII precedes a tab, so that columns are bytes.
func plainLine(p []byte) (length int, tabs bool) {
	ascii := true
	for n := 0; n < len(p); {
		if p[n] >= utf8.RuneSelf {
			r, size := utf8.DecodeRune(p[n:])
			if r == utf8.RuneError && size == 1 || isC1(r) || n == 0 && width(r) == 0 {
				return -1, false
			}
			n += size
			ascii = false
			continue
		}
		n += printable(p[n:])
		switch {
		case n == len(p) || p[n] >= utf8.RuneSelf:
		case p[n] == '\n':
			return n, tabs
		case p[n] == '\r' && n+1 < len(p) && p[n+1] == '\n':
			return n + 1, tabs
		case p[n] == '\t' && ascii:
			tabs = true
			n++
		default:
			return -1, false
		}
	}
	return -1, false
}

// colours returns the length of the sequence of colours that p begins with, which are most of all
// sequences, and change nothing; else 0.
func colours(p []byte) int {
	if len(p) < 3 || p[1] != '[' {
		return 0
	}
	for i, b := range p[2:] {
		switch {
		case b == 'm':
			return 2 + i + 1
		case b != ';' && (b < '0' || b > '9'):
			return 0
		}
	}
	return 0
}
