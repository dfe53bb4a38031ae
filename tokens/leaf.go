package tokens

import (
	"sort"
	"sync/atomic"
)

// leaf is a part of an indexed text between two safe points, so that its tokens are those that
// the whole text has there. It never changes.
type leaf struct {
	text   []byte
	tokens int
	// ends has, for each token, one member among the bytes of the text: before each piece there
	// are as many members as tokens. In long pieces they are the last bytes of the tokens, in
	// others the last bytes of the piece, which are quicker to find. It is nil in the rare text
	// that has more tokens in a piece than bytes (an invalid byte is read as three).
	ends bitset
	long []span // the pieces of which ends knows each token, in order

	shape atomic.Pointer[shape] // nil: nobody asked for it
}

// span is the part of a text from from to before to.
type span struct{ from, to int }

// longPiece is the length in bytes of the longest piece that is counted again for a part of it.
const longPiece = 256

// count returns the number of tokens of the bytes from from to before to, which are borders of
// characters.
func (l *leaf) count(w *worker, from, to int) int {
	switch {
	case from == 0 && to == len(l.text):
		return l.tokens
	case l.ends == nil:
		return w.count(l.text[from:to])
	}
	first := l.safeAfter(from, to)
	if first == to {
		return l.countStretch(w, from, to)
	}
	last := to
	if to < len(l.text) {
		last = l.safeBefore(from, to)
	}
	if from == 0 {
		first = 0
	}
	return l.countStretch(w, from, first) + l.ends.count(first, last) + l.countStretch(w, last, to)
}

// countBefore returns the number of tokens before a safe point or the end of the leaf.
func (l *leaf) countBefore(w *worker, i int) int {
	if l.ends == nil {
		return w.count(l.text[:i])
	}
	return l.ends.count(0, i)
}

// safeAfter returns the first safe point of text[from:] before to, or to.
func (l *leaf) safeAfter(from, to int) int {
	next := sort.Search(len(l.long), func(k int) bool { return l.long[k].to > from })
	for i := from + 1; i < to; i++ {
		if next < len(l.long) && i > l.long[next].from {
			i = l.long[next].to // there is none inside a piece
			next++
			if i >= to {
				break
			}
		}
		if safe(l.text[from:], i-from) {
			return i
		}
	}
	return to
}

// safeBefore returns the last safe point of text[:to] behind from, or from.
func (l *leaf) safeBefore(from, to int) int {
	next := sort.Search(len(l.long), func(k int) bool { return l.long[k].from >= to }) - 1
	for i := to - 1; i > from; i-- {
		if next >= 0 && i < l.long[next].to {
			i = l.long[next].from
			next--
			if i <= from {
				break
			}
		}
		if safe(l.text[:to], i) {
			return i
		}
	}
	return from
}

// countStretch returns the number of tokens from from to before to, with no safe point between.
func (l *leaf) countStretch(w *worker, from, to int) int {
	if known := cutSpans(l.long, from, to, -from); len(known) > 0 {
		part := newBitset(to - from)
		part.copy(0, l.ends, from, to)
		if _, ok := w.mark(l.text[from:to], part, 0, to-from, known); ok {
			return part.count(0, to-from)
		}
	}
	return w.count(l.text[from:to])
}

// cutSpans returns the parts of spans that lie from from to before to, moved by shift. Parts
// too short to be of use are left out.
func cutSpans(spans []span, from, to, shift int) []span {
	var parts []span
	for _, s := range spans {
		if s.from, s.to = max(s.from, from), min(s.to, to); s.to-s.from >= longPiece {
			parts = append(parts, span{s.from + shift, s.to + shift})
		}
	}
	return parts
}
