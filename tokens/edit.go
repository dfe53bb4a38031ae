package tokens

import (
	"slices"
	"unicode/utf8"
)

// Replace returns the index of the text with the bytes from from to before to replaced by with,
// which it copies. Positions beyond the ends of the text stand for its ends; nothing is removed
// where to does not lie behind from. Characters may be cut: what is left of them is invalid then.
func (x *Index) Replace(from, to int, with []byte) *Index {
	from = max(0, min(from, x.size))
	to = max(from, min(to, x.size))
	if x.size == 0 {
		return x.encoding.Index(slices.Clone(with))
	}
	first, last := x.touched(from, to, len(with))
	a, b := x.join(first, x.find(from)), x.join(x.find(to), last)
	with = slices.Concat(a.text[:from-a.at], with, b.text[to-b.at:])
	return &Index{x.encoding, x.replace(first, last, x.encoding.edit(a.leaf, b.leaf, from-a.at, to-b.at, with))}
}

// touched returns the first and the last leaf that an edit changes. The safe points at both ends
// of them stay what they are, since the characters next to them stay. Where little would be left
// of the leaves, a neighbour goes with them.
func (x *Index) touched(from, to, inserted int) (first, last int) {
	first, last = x.find(from), x.find(to)
	for first > 0 && from-x.leaf(first).at < utf8.UTFMax {
		first--
	}
	for last < x.leaves-1 && x.leaf(last).end()-to < utf8.UTFMax {
		last++
	}
	left := x.leaf(last).end() - x.leaf(first).at - (to - from) + inserted
	switch {
	case left >= minLeaf:
	case last < x.leaves-1 && left+len(x.leaf(last+1).text) <= maxLeaf:
		last++
	case first > 0 && left+len(x.leaf(first-1).text) <= maxLeaf:
		first--
	}
	return first, last
}

// join returns the leaves from first to last as one, in the place of the first.
func (x *Index) join(first, last int) placed {
	if first == last {
		return x.leaf(first)
	}
	a, b := x.leaf(first), x.leaf(last)
	all := &leaf{tokens: b.before + b.tokens - a.before, ends: newBitset(b.end() - a.at)}
	for i := first; i <= last; i++ {
		l := x.leaf(i)
		if l.ends == nil || all.ends == nil {
			all.ends = nil
		} else {
			all.ends.copy(l.at-a.at, l.ends, 0, len(l.text))
			all.long = append(all.long, cutSpans(l.long, 0, len(l.text), l.at-a.at)...)
		}
		all.text = append(all.text, l.text...)
	}
	return placed{a.at, a.before, all}
}

// edit returns the leaves of text, which begins as a does before from and ends as b does behind
// to.
func (e *Encoding) edit(a, b *leaf, from, to int, text []byte) []*leaf {
	t := e.tokenizer()
	w := t.worker()
	defer t.release(w)
	if l, ok := w.splice(a, b, from, to, text); ok {
		return l.cut()
	}
	return e.buildPart(text)
}

// splice returns all of them as one, or false where ends could not hold all tokens. What is known
// of a and b stays, up to the safe points nearest to the edit.
func (w *worker) splice(a, b *leaf, from, to int, text []byte) (*leaf, bool) {
	if a.ends == nil || b.ends == nil {
		return nil, false
	}
	shift := len(text) - len(b.text)
	ends := newBitset(len(text))
	ends.copy(0, a.ends, 0, from)
	ends.copy(to+shift, b.ends, to, len(b.text))

	start, end := a.safeBefore(0, from), b.safeAfter(to, len(b.text))
	known := append(cutSpans(a.long, 0, from, 0), cutSpans(b.long, to, len(b.text), shift)...)
	long, ok := w.mark(text, ends, start, end+shift, known)
	if !ok {
		return nil, false
	}
	long = slices.Concat(cutSpans(a.long, 0, start, 0), long, cutSpans(b.long, end, len(b.text), shift))
	return &leaf{text: text, tokens: ends.count(0, len(text)), ends: ends, long: long}, true
}

// cut cuts a leaf that is too long at safe points.
func (l *leaf) cut() []*leaf {
	switch {
	case len(l.text) == 0:
		return nil
	case len(l.text) <= maxLeaf:
		return []*leaf{l}
	}
	var leaves []*leaf
	for from := 0; from < len(l.text); {
		to := l.safeAfter(min(from+leafSize, len(l.text))-1, len(l.text))
		leaves = append(leaves, l.part(from, to))
		from = to
	}
	return leaves
}

// part returns the leaf of a part between two safe points.
func (l *leaf) part(from, to int) *leaf {
	ends := newBitset(to - from)
	ends.copy(0, l.ends, from, to)
	return &leaf{
		text:   l.text[from:to:to],
		tokens: ends.count(0, to-from),
		ends:   ends,
		long:   cutSpans(l.long, from, to, -from),
	}
}
