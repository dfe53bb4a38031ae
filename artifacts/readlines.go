package artifacts

import (
	"bytes"
	"fmt"

	"ctxledger.dev/internal/chars"
)

// lineSpan is a stretch of whole lines.
type lineSpan struct {
	span
	first, last int64 // 1-based, inclusive
}

// readLines reads lines "10-40", head, tail, or from the start.
func readLines(c Content, s Selection) (Page, error) {
	l, err := s.lineSpan(c)
	if err != nil {
		return Page{}, err
	}
	if l.first > l.last {
		return Page{Range: "empty"}, nil
	}
	raw, end, err := l.text(c, s.Limit)
	if err != nil {
		return Page{}, err
	}
	p := Page{Text: visible(raw)}
	newlines := int64(bytes.Count(raw, []byte{'\n'}))
	switch {
	case end == l.to:
		p.Range = lineRange(l.first, l.last)
	case raw[len(raw)-1] == '\n':
		p.Range = lineRange(l.first, l.first+newlines-1)
		p.Next = &Selection{Lines: l.restLines(l.first + newlines), Limit: s.Limit}
	default: // a line longer than the page: it continues by bytes, and so does what follows it
		p.Range = fmt.Sprintf("line %d, bytes %d-%d", l.first, l.from, end-1)
		p.Next = &Selection{Bytes: l.rest(end), Limit: s.Limit}
	}
	return p, nil
}

// restLines names the lines of the span from number n on.
func (l lineSpan) restLines(n int64) string {
	if l.open {
		return fmt.Sprintf("%d-", n)
	}
	return fmt.Sprintf("%d-%d", n, l.last)
}

// lineRange says which lines a text holds.
func lineRange(first, last int64) string {
	if first == last {
		return fmt.Sprintf("line %d", first)
	}
	return fmt.Sprintf("lines %d-%d", first, last)
}

// lineSpan finds the lines that s asks for.
func (s Selection) lineSpan(c Content) (lineSpan, error) {
	total := c.Lines()
	l := lineSpan{first: 1, last: total}
	switch {
	case s.Head > 0:
		l.last = min(int64(s.Head), total)
	case s.Tail > 0:
		l.first = max(1, total-int64(s.Tail)+1)
	case s.Lines != "":
		from, to, ok := parseRange(s.Lines)
		switch {
		case !ok && to > 0:
			return l, bad(fmt.Sprintf(`lines="%d-%d"`, to, from), "lines=%q runs backwards", s.Lines)
		case !ok || from == 0:
			return l, bad(`lines="10-40" or lines="10-"`, "lines=%q is not a range of line numbers, which start at 1",
				s.Lines)
		case from > total:
			return l, bad(`lines="`+restExample(total)+`"`, "lines=%q starts past the end: there are %s lines",
				s.Lines, chars.Commas(total))
		}
		l.first, l.last = from, min(to, total)
	}
	l.open = l.last == total
	var err error
	if l.from, err = c.LineOffset(l.first - 1); err != nil {
		return l, err
	}
	l.to, err = c.LineOffset(l.last)
	return l, err
}

// restExample returns a range of lines that exists where there are total lines.
func restExample(total int64) string { return fmt.Sprintf("%d-", max(1, total-199)) }
