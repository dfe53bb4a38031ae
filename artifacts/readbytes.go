package artifacts

import (
	"fmt"
	"math"
	"strconv"
	"unicode/utf8"

	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/pattern"
)

// readBytes reads bytes "0-4095". A character belongs to the range that holds its first byte, so
// that neighbouring ranges join without loss wherever they meet.
func readBytes(c Content, s Selection) (Page, error) {
	b, err := s.byteSpan(c)
	if err != nil {
		return Page{}, err
	}
	if b.from, err = nextChar(c, b.from); err != nil {
		return Page{}, err
	}
	if b.to, err = nextChar(c, b.to); err != nil {
		return Page{}, err
	}
	if b.from >= b.to {
		return Page{Range: "inside one character, which starts before these bytes"}, nil
	}
	raw, end, err := b.text(c, s.Limit)
	if err != nil {
		return Page{}, err
	}
	p := Page{Text: visible(raw), Range: fmt.Sprintf("bytes %d-%d", b.from, end-1)}
	if end < b.to {
		p.Next = &Selection{Bytes: b.rest(end), Limit: s.Limit}
	}
	return p, nil
}

// byteSpan finds the bytes that s asks for.
func (s Selection) byteSpan(c Content) (span, error) {
	from, to, ok := parseRange(s.Bytes)
	switch {
	case !ok:
		return span{}, bad(`bytes="0-4095" or bytes="4096-"`, "bytes=%q is not a range of byte offsets, which "+
			"start at 0", s.Bytes)
	case from >= c.Size():
		return span{}, bad(fmt.Sprintf(`bytes="%d-"`, max(0, c.Size()-4096)), "bytes=%q starts past the end: "+
			"there are %s bytes", s.Bytes, chars.Commas(c.Size()))
	}
	if to >= c.Size()-1 {
		return span{from, c.Size(), true}, nil
	}
	return span{from, to + 1, false}, nil
}

// nextChar returns at, or where the character ends that it is inside of.
func nextChar(c Content, at int64) (int64, error) {
	from := max(0, at-utf8.UTFMax+1)
	to := min(c.Size(), at+utf8.UTFMax-1)
	p, err := readAt(c, from, to)
	if err != nil {
		return 0, err
	}
	for i := range int(at - from) {
		if _, n := utf8.DecodeRune(p[i:]); n > 1 && from+int64(i+n) > at {
			return from + int64(i+n), nil
		}
	}
	return at, nil
}

// rangeForm is "10-40", "10-" or "10".
var rangeForm = pattern.Lazy(`^\s*(\d+)\s*(?:(-)\s*(\d+)?)?\s*$`)

// parseRange reads a range of non-negative numbers, inclusive; an open one ends at MaxInt64.
func parseRange(s string) (from, to int64, ok bool) {
	m := rangeForm().FindStringSubmatch(s)
	if m == nil {
		return 0, 0, false
	}
	from, err := strconv.ParseInt(m[1], 10, 64)
	if err != nil {
		return 0, 0, false
	}
	switch {
	case m[2] == "":
		to = from
	case m[3] == "":
		to = math.MaxInt64
	default:
		if to, err = strconv.ParseInt(m[3], 10, 64); err != nil {
			return 0, 0, false
		}
	}
	return from, to, to >= from
}
