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
	if len(x.leaves) == 0 {
		return x.encoding.Index(slices.Clone(with))
	}
	first, last := x.touched(from, to, len(with))
	a, b := join(x.leaves[first:x.find(from)+1]), join(x.leaves[x.find(to):last+1])
	edited := &Index{encoding: x.encoding, leaves: make([]placed, first, len(x.leaves)+2)}
	copy(edited.leaves, x.leaves)
	edited.size, edited.tokens = a.at, a.before
	edited.append(x.encoding.replace(a.leaf, b.leaf, from-a.at, to-b.at, with)...)
	bytes, tokens := edited.size-x.end(last), edited.tokens-b.before-b.tokens
	for _, l := range x.leaves[last+1:] {
		edited.leaves = append(edited.leaves, placed{l.at + bytes, l.before + tokens, l.leaf})
	}
	edited.size, edited.tokens = x.size+bytes, x.tokens+tokens
	return edited
}

// touched returns the first and the last leaf that an edit changes. The safe points at both ends
// of them stay what they are, since the characters next to them stay. Where little would be left
// of the leaves, a neighbour goes with them.
func (x *Index) touched(from, to, inserted int) (first, last int) {
	first, last = x.find(from), x.find(to)
	for first > 0 && from-x.leaves[first].at < utf8.UTFMax {
		first--
	}
	for last < len(x.leaves)-1 && x.end(last)-to < utf8.UTFMax {
		last++
	}
	left := x.end(last) - x.leaves[first].at - (to - from) + inserted
	switch {
	case left >= minLeaf:
	case last < len(x.leaves)-1 && left+len(x.leaves[last+1].text) <= maxLeaf:
		last++
	case first > 0 && left+len(x.leaves[first-1].text) <= maxLeaf:
		first--
	}
	return first, last
}

// end returns where leaf i ends in the text.
func (x *Index) end(i int) int { return x.leaves[i].at + len(x.leaves[i].text) }

// join returns neighbouring leaves as one, in the place of the first.
func join(leaves []placed) placed {
	if len(leaves) == 1 {
		return leaves[0]
	}
	first, last := leaves[0], leaves[len(leaves)-1]
	size := last.at + len(last.text) - first.at
	all := &leaf{tokens: last.before + last.tokens - first.before, ends: newBitset(size)}
	for _, l := range leaves {
		if at := l.at - first.at; l.ends == nil || all.ends == nil {
			all.ends = nil
		} else {
			all.ends.copy(at, l.ends, 0, len(l.text))
			all.long = append(all.long, cutSpans(l.long, 0, len(l.text), at)...)
		}
		all.text = append(all.text, l.text...)
	}
	return placed{first.at, first.before, all}
}

// replace returns the leaves that stand for those from a to b after an edit: what goes before
// from in a, with, and what follows to in b.
func (e *Encoding) replace(a, b *leaf, from, to int, with []byte) []*leaf {
	text := slices.Concat(a.text[:from], with, b.text[to:])
	t := e.tokenizer()
	w := t.worker()
	defer t.release(w)
	if l, ok := w.splice(a, b, from, to, text); ok {
		return l.cut()
	}
	return e.buildPart(text)
}

// splice returns the leaf of text, which begins as a does before from and ends as b does behind
// to. What is known of both stays, up to the safe points nearest to the edit. It reports whether
// ends could hold all tokens.
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
