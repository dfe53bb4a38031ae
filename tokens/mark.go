package tokens

import "unicode/utf8"

// mark counts text[from:to] piece by piece and makes ends, which is as leaf.ends, right there.
// It returns the long pieces that it found, and whether ends could hold all tokens: a piece may
// have more tokens than bytes, and a text that is normalized first has other bytes.
//
// known are parts of long pieces of earlier texts in which ends is right already, though they
// may be in other pieces now. Both ends of the part, text[:from] and text[to:] being away,
// must not matter to the pieces in it.
func (w *worker) mark(text []byte, ends bitset, from, to int, known []span) (long []span, ok bool) {
	for start := from; start < to; {
		for _, end := range w.cut(w.tokenizer, text[:to], start) {
			if end-start > longPiece && utf8.Valid(text[start:end]) {
				w.mend(text, ends, span{start, end}, known)
				long = append(long, span{start, end})
			} else {
				n := w.countPiece(text, start, end)
				if n > end-start {
					return nil, false
				}
				ends.fillLast(start, end, n)
			}
			start = end
		}
	}
	return long, true
}

// countPiece returns the number of tokens of the piece text[start:end].
func (w *worker) countPiece(text []byte, start, end int) int {
	if end-start <= maxShortKey && start+16 <= len(text) {
		key := shortKey((*[16]byte)(text[start:]), end-start)
		if slot := &w.short[key.index()]; slot.holds(key) {
			return int(slot.high >> countShift)
		}
	}
	return w.countApart(text[start:end])
}

// mend makes ends right in a long piece. What is known of it stays as it is; the gaps before,
// between and after are encoded again, with as much of what is known as it takes until the new
// tokens join the known ones. Then the whole is the encoding of the piece (joint.go). Where they
// do not join soon, as in many runs of one letter, the piece is encoded outright.
func (w *worker) mend(text []byte, ends bitset, piece span, known []span) {
	start := gapEnd{at: piece.from, limit: piece.from}
	for _, s := range cutSpans(known, piece.from, piece.to, 0) {
		first, last := ends.after(s.from, s.to)+1, ends.before(s.from, s.to)+1
		if first == 0 || last-first < longPiece {
			continue
		}
		middle := first + (last-first)/2
		if !w.bridge(text, ends, start, gapEnd{first, middle}) {
			w.encode(text, ends, piece)
			return
		}
		start = gapEnd{last, middle}
	}
	if !w.bridge(text, ends, start, gapEnd{piece.to, piece.to}) {
		w.encode(text, ends, piece)
	}
}

// encode merges a part of a piece, makes ends right there, and returns the tokens.
func (w *worker) encode(text []byte, ends bitset, part span) {
	w.put(ends, part, w.mergeBytes(text[part.from:part.to]))
}

// put makes ends right for the tokens of a part of a piece.
func (w *worker) put(ends bitset, part span, ids []uint32) {
	splits := w.vocabulary.splits()
	ends.fill(part.from, part.to, false)
	at := part.from
	for _, id := range ids {
		at += int(splits[id].length)
		ends.add(at - 1)
	}
}

// gapEnd is where a gap ends on one side: at a border of known tokens, which may be moved into
// them up to limit, or at the end of the piece, where both are equal.
type gapEnd struct{ at, limit int }

// How far into known tokens a gap is extended, in bytes: at first, and before giving up. Nearly
// all encodings fall into step within a few tokens; what does not soon, repeats itself and never
// will.
const (
	firstReach = 32
	lastReach  = 32 << 8
)

// bridge encodes the gap between left and right, and reports whether it joins what is known on
// both sides.
func (w *worker) bridge(text []byte, ends bitset, left, right gapEnd) bool {
	reachLeft, reachRight := firstReach, firstReach
	for max(reachLeft, reachRight) <= lastReach {
		part := span{left.at, right.at}
		before, after := uint32(noID), uint32(noID) // the known tokens next to the part
		if left.at != left.limit {
			part.from = 1 + ends.before(left.limit, left.at-reachLeft)
			if before = w.tokenBefore(text, ends, left.limit, part.from); before == noID {
				return false
			}
		}
		if right.at != right.limit {
			part.to = 1 + ends.after(right.at+reachRight, right.limit)
			if after = w.tokenAfter(text, ends, part.to, right.limit); after == noID {
				return false
			}
		}
		ids := w.mergeBytes(text[part.from:part.to])
		joinsLeft := before == noID || w.vocabulary.joins(before, ids[0])
		joinsRight := after == noID || w.vocabulary.joins(ids[len(ids)-1], after)
		if joinsLeft && joinsRight {
			w.put(ends, part, ids)
			return true
		}
		if !joinsLeft {
			reachLeft *= 4
		}
		if !joinsRight {
			reachRight *= 4
		}
	}
	return false
}

// tokenBefore returns the known token that ends before at and starts behind limit, or noID.
func (w *worker) tokenBefore(text []byte, ends bitset, limit, at int) uint32 {
	start := 1 + ends.before(limit, at-1)
	if at == 0 || start == 0 {
		return noID
	}
	return w.token(text[start:at])
}

// tokenAfter returns the known token that starts at at and ends before limit, or noID.
func (w *worker) tokenAfter(text []byte, ends bitset, at, limit int) uint32 {
	end := 1 + ends.after(at, limit)
	if at == 0 || end == 0 {
		return noID
	}
	return w.token(text[at:end])
}

// token returns the token of these bytes, or noID where they are not one.
func (w *worker) token(b []byte) uint32 {
	if ids := w.mergeBytes(b); len(ids) == 1 {
		return ids[0]
	}
	return noID
}
