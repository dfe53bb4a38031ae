package graph

import (
	"slices"
	"sort"
	"strings"
	"sync"
	"unicode/utf8"
)

// source is a text in parts, so that an edit copies one part instead of the whole text. Every part but the last ends with a line
// feed: no line spans two parts. It is immutable.
type source struct {
	parts  []string
	starts []int // where each begins
	size   int
	whole  func() string
}

// sourcePart is about how long a part is, in bytes.
const sourcePart = 16 << 10

// sourceOf returns a text in parts.
func sourceOf(text string) source {
	return source{whole: func() string { return text }}.with(parted(nil, text))
}

// parted appends the parts of a text.
func parted(parts []string, text string) []string {
	for len(text) > 2*sourcePart {
		n := sourcePart + strings.IndexByte(text[sourcePart:], '\n') + 1
		if n == sourcePart || n == len(text) {
			break
		}
		parts, text = append(parts, text[:n]), text[n:]
	}
	return append(parts, text)
}

// with returns a text of these parts.
func (s source) with(parts []string) source {
	s.parts, s.starts, s.size = parts, make([]int, len(parts)), 0
	for i, p := range parts {
		s.starts[i] = s.size
		s.size += len(p)
	}
	return s
}

// edit returns the text with another one in the place of a part of it.
func (s source) edit(at Span, with string) source {
	first, last := s.part(at.From), s.part(at.To)
	text := s.cut(s.starts[first], at.From) + with + s.cut(at.To, s.end(last))
	for last+1 < len(s.parts) && (len(text) < sourcePart/2 || !strings.HasSuffix(text, "\n")) {
		last++
		text += s.parts[last]
	}
	parts := parted(slices.Clip(s.parts[:first]), text)
	out := s.with(append(parts, s.parts[last+1:]...))
	out.whole = sync.OnceValue(func() string { return strings.Join(out.parts, "") })
	return out
}

// part returns the part in which an offset is.
func (s source) part(at int) int {
	return sort.Search(len(s.starts)-1, func(i int) bool { return s.starts[i+1] > at })
}

// end returns where a part ends.
func (s source) end(part int) int { return s.starts[part] + len(s.parts[part]) }

// cut returns a part of the text.
func (s source) cut(from, to int) string {
	i := s.part(from)
	if to <= s.end(i) {
		return s.parts[i][from-s.starts[i] : to-s.starts[i]]
	}
	var b strings.Builder
	b.Grow(to - from)
	for ; to > from; i++ {
		end := min(to, s.end(i))
		b.WriteString(s.parts[i][from-s.starts[i] : end-s.starts[i]])
		from = end
	}
	return b.String()
}

// line returns the line of an offset, without its end, and where the next one begins, or the text ends.
func (s source) line(at int) (line Span, next int) {
	i := s.part(at)
	text := s.parts[i]
	from := strings.LastIndexByte(text[:at-s.starts[i]], '\n') + 1
	text, _, ended := strings.Cut(text[from:], "\n")
	line.From = s.starts[i] + from
	line.To = line.From + len(strings.TrimRight(text, "\r"))
	next = line.From + len(text)
	if ended {
		next++
	}
	return line, next
}

// has reports whether a line has a text, which is in one line.
func (s source) has(text string) bool {
	return slices.ContainsFunc(s.parts, func(p string) bool { return strings.Contains(p, text) })
}

// valid reports whether the text is UTF-8.
func (s source) valid() bool {
	return !slices.ContainsFunc(s.parts, func(p string) bool { return !utf8.ValidString(p) })
}

// linesBefore returns how many lines end before an offset.
func (s source) linesBefore(at int) (n int) {
	i := s.part(at)
	for _, p := range s.parts[:i] {
		n += strings.Count(p, "\n")
	}
	return n + strings.Count(s.parts[i][:at-s.starts[i]], "\n")
}
