package tokens

import "unicode/utf8"

// maxShort is the length in bytes up to which a piece is merged in an array. The work grows
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
	if id, ok := w.vocabulary.whole[string(piece)]; ok {
		w.parts.ids[0] = id
		return w.parts.ids[:1]
	}
	return w.mergeBytes(piece)
}

// mergeBytes is merge for bytes that are merged as they are, such as part of a piece.
func (w *worker) mergeBytes(piece []byte) []uint32 {
	if len(piece) > maxShort {
		return w.mergeLong(piece)
	}
	return w.parts.merge(w.vocabulary, piece)
}

// parts is the working memory for merging a short piece: a list of parts, each known by the
// position where it starts.
type parts struct {
	ids    [maxShort]uint32    // the token of the part
	order  [maxShort]uint32    // the token that it makes with the part after it, and below that the position
	next   [maxShort + 1]uint8 // the position of the part after it
	before [maxShort + 1]uint8 // the position of the part before it
}

const (
	positionBits = 6                    // maxShort is 1 << positionBits
	noOrder      = noID << positionBits // the least order of parts that make no token together
	positionMask = 1<<positionBits - 1
)

// merge returns the tokens of a piece of at most maxShort bytes, valid until the next call.
//
// Byte-pair encoding merges the pair with the lowest id, the leftmost of several, until no
// pair makes a token: that is the least order.
func (p *parts) merge(v *vocabulary, piece []byte) []uint32 {
	n := len(piece)
	for i := range n - 1 {
		p.ids[i] = v.bytes[piece[i]]
		p.order[i] = v.bytePairs[int(piece[i])<<8|int(piece[i+1])]<<positionBits | uint32(i)
		p.next[i], p.before[i+1] = uint8(i+1), uint8(i)
	}
	p.ids[n-1] = v.bytes[piece[n-1]]
	p.order[n-1] = noOrder
	p.next[n-1] = uint8(n)
	for {
		least := uint32(noOrder)
		for _, o := range p.order[:n] {
			least = min(least, o)
		}
		if least == noOrder {
			return p.collect(n)
		}
		p.join(v, int(least&positionMask), least>>positionBits, n)
	}
}

// join merges the part at i with the part after it into the token id.
func (p *parts) join(v *vocabulary, i int, id uint32, n int) {
	right := p.next[i&positionMask]
	after := p.next[right&positionMask]
	p.ids[i] = id
	p.next[i] = after
	p.before[after] = uint8(i)
	p.order[right] = noOrder
	p.order[i] = noOrder
	if int(after) < n {
		p.order[i] = v.merged(id, p.ids[after])<<positionBits | uint32(i)
	}
	if i > 0 {
		before := p.before[i]
		p.order[before] = v.merged(p.ids[before], id)<<positionBits | uint32(before)
	}
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
