package tokens

import "unicode/utf8"

// maxShort is the length in bytes up to which a piece is merged in an array from bytes. The work grows
// with its square, but the array stays in the first-level cache; beyond, the sweep is faster
// (BenchmarkMerge).
const maxShort = 64

// maxKept is the length in bytes of the longest piece whose memory a worker keeps for the next.
const maxKept = 64 << 10

// merge returns the tokens of a piece, valid until the next call.
func (w *worker) merge(piece []byte) []uint32 {
	if !utf8.Valid(piece) {
		w.clean = appendValid(w.clean[:0], piece)
		piece = w.clean
	}
	return w.mergeBytes(piece)
}

// mergeBytes is merge for bytes that are merged as they are, such as part of a piece.
func (w *worker) mergeBytes(piece []byte) []uint32 {
	switch {
	case len(piece) >= minCharacters && inCharacters(piece):
		return w.parts.mergeCharacters(w.vocabulary, piece)
	case len(piece) > maxShort:
		return w.mergeLong(piece)
	}
	return w.parts.mergeBytes(w.vocabulary, piece)
}

// parts is the working memory for merging a short piece: a list of parts, each known by the
// position where it starts, in bytes or in what characters are split into.
type parts struct {
	ids    [maxParts]uint32 // the token of the part
	order  [maxParts]uint32 // the token that it makes with the part after it, and below that the position
	next   [maxParts]uint8  // the position of the part after it
	before [maxParts]uint8  // the position of the part before it
}

const (
	positionBits = 8
	maxParts     = 1 << positionBits    // one more than there are: next and before also represent the end
	noOrder      = noID << positionBits // the least order of parts that make no token together
	positionMask = 1<<positionBits - 1
)

// mergeBytes merges from the bytes of piece, at most maxShort.
func (p *parts) mergeBytes(v *vocabulary, piece []byte) []uint32 {
	n := len(piece)
	pairs := v.bytePairs()
	for i, b := range piece[:n-1] {
		p.ids[i] = v.bytes[b]
		p.order[i] = pairs[int(b)<<8|int(piece[i+1])]<<positionBits | uint32(i)
	}
	p.ids[n-1] = v.bytes[piece[n-1]]
	return p.mergeParts(&v.pairs, n)
}

// mergeCharacters merges from the characters of piece.
func (p *parts) mergeCharacters(v *vocabulary, piece []byte) []uint32 {
	t := v.characters()
	n := t.split(v, piece, p)
	for i := range n - 1 {
		p.order[i] = t.pairs.find(p.ids[i], p.ids[i+1])<<positionBits | uint32(i)
	}
	return p.mergeParts(&t.pairs, n)
}

// mergeParts merges the first n parts, whose ids and orders are there, and returns the tokens, valid until
// the next call.
//
// Byte-pair encoding merges the pair with the lowest id, the leftmost of several, until no
// pair makes a token: that is the least order.
func (p *parts) mergeParts(pairs *pairTable, n int) []uint32 {
	p.order[n-1] = noOrder
	for i := range n {
		p.next[i], p.before[i+1] = uint8(i+1), uint8(i)
	}
	for {
		least := uint32(noOrder)
		for _, o := range p.order[:n] {
			least = min(least, o)
		}
		if least == noOrder {
			return p.collect(n)
		}
		id := least >> positionBits
		for i := int(least & positionMask); i < n && p.order[i]>>positionBits == id; {
			i = p.join(pairs, i, id, n) // in a run of one character all pairs are the same
		}
	}
}

// join merges the part at i with the part after it into the token id. It returns where the next pair
// is if that makes id too: at the part after both, unless there is a pair now that comes before it.
func (p *parts) join(pairs *pairTable, i int, id uint32, n int) (next int) {
	right := p.next[i&positionMask]
	after := p.next[right&positionMask]
	p.ids[i] = id
	p.next[i] = after
	p.before[after] = uint8(i)
	p.order[right] = noOrder
	p.order[i] = noOrder
	least := uint32(noID)
	if int(after) < n {
		least = pairs.find(id, p.ids[after])
		p.order[i] = least<<positionBits | uint32(i)
	}
	if i > 0 {
		before := p.before[i]
		made := pairs.find(p.ids[before], id)
		p.order[before] = made<<positionBits | uint32(before)
		least = min(least, made)
	}
	if least < id {
		return n
	}
	return int(after)
}

// collect moves the tokens to the start of ids and returns them.
func (p *parts) collect(n int) []uint32 {
	count := 0
	for i := 0; i < n; i = int(p.next[i]) {
		p.ids[count] = p.ids[i] // count never passes i
		count++
	}
	return p.ids[:count]
}
