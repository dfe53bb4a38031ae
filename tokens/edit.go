package tokens

import (
	"slices"
	"unicode/utf8"
)

// Replace returns the index of the text with the bytes from from to before to replaced by with,
// which it copies. Positions beyond the ends of the text count as its ends; nothing is removed
// where to does not lie behind from. Characters may be cut: what is left of them is invalid then.
func (x *Index) Replace(from, to int, with []byte) *Index {
	from = max(0, min(from, x.size))
	to = max(from, min(to, x.size))
	if x.size == 0 {
		return x.encoding.Index(slices.Clone(with))
	}
	first, last := x.touched(from, to, len(with))
	a, b := x.join(first, x.byByte(from)), x.join(x.byByte(to), last)
	with = slices.Concat(a.text[:from-a.at], with, b.text[to-b.at:])
	leaves := x.encoding.edit(a.leaf, b.leaf, from-a.at, to-b.at, with)
	return &Index{x.encoding, x.replace(first.at, last.end(), leaves)}
}

// touched returns the first and the last leaf that an edit changes. The safe points at both ends
// of them stay what they are, since the characters next to them stay. Where little would be left
// of the leaves, a neighbour goes with them.
func (x *Index) touched(from, to, inserted int) (first, last placed) {
	first, last = x.byByte(from), x.byByte(to)
	for first.at > 0 && from-first.at < utf8.UTFMax {
		first = x.byByte(first.at - 1)
	}
	for last.end() < x.size && last.end()-to < utf8.UTFMax {
		last = x.byByte(last.end())
	}
	left := last.end() - first.at - (to - from) + inserted
	if left >= minLeaf {
		return first, last
	}
	if last.end() < x.size {
		if next := x.byByte(last.end()); left+len(next.text) <= maxLeaf {
			return first, next
		}
	}
	if first.at > 0 {
		if before := x.byByte(first.at - 1); left+len(before.text) <= maxLeaf {
			return before, last
		}
	}
	return first, last
}

// join returns the leaves from a to b as one, in the place of the first.
func (x *Index) join(a, b placed) placed {
	if a.at == b.at {
		return a
	}
	all := &leaf{tokens: b.before + b.tokens - a.before, ends: newBitset(b.end() - a.at)}
	for l := a; ; l = x.byByte(l.end()) {
		if l.ends == nil || all.ends == nil {
			all.ends = nil
		} else {
			all.ends.copy(l.at-a.at, l.ends, 0, len(l.text))
			all.long = append(all.long, cutSpans(l.long, 0, len(l.text), l.at-a.at)...)
		}
		all.text = append(all.text, l.text...)
		if l.at == b.at {
			return placed{a.at, a.before, all}
		}
	}
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
