package tokens

// Text in Chinese characters is merged from characters, not from bytes: a piece has a third as
// many, and most of them are tokens. That is exact where no token of the vocabulary holds a part
// of a character and something of its neighbour, since then the bytes of a character can only
// merge with each other until it is whole. A token's id is greater than those that it is made
// of, so that nothing would have merged before that.
//
// There are such tokens, some hundred, such as the last byte of a character with the whole of
// the next. Characters beside a seam that may be inside of one are merged from bytes.
//
// A table of its own with the pairs that such pieces can have stays in the caches.
type ideographs struct {
	pairs   pairTable
	tokens  [lastIdeograph - firstIdeograph + 1]characterTokens
	crossed [seams / 64]uint64 // bit set of the seams that may be inside of such a token
}

// The characters from the first ideographic signs and kana to the last of the common ideographs
// are those of three bytes with these first bytes.
const (
	firstIdeograph = 0x3000
	lastIdeograph  = 0x9FFF
	firstLead      = 0xE3
	lastLead       = 0xE9
)

// characterTokens are the up to three tokens of a character, the first in the low bits, and
// their number behind the third.
type characterTokens uint64

const numberShift = 3 * idBits

// A seam is known by the byte before it and the first two of the character behind it.
const seams = 256 * 8 * 64

func seamOf(before, lead, second byte) uint {
	return uint(before)<<9 | uint(lead&7)<<6 | uint(second&0x3F)
}

func isLead(b byte) bool { return firstLead <= b && b <= lastLead }

// ideographic is whether piece holds nothing but bytes of such characters and of the full-width
// signs that stand between them, which all begin with 0xEF.
func ideographic(piece []byte) bool {
	for _, b := range piece {
		if !isContinuation(b) && !isLead(b) && b != 0xEF {
			return false
		}
	}
	return true
}

// ideographs returns the table of the vocabulary. It is made when it is first needed.
func (v *vocabulary) ideographs() *ideographs {
	v.ideographOnce.Do(func() { v.ideographTable = v.makeIdeographs() })
	return v.ideographTable
}

func (v *vocabulary) makeIdeographs() *ideographs {
	t := new(ideographs)
	var p parts
	for i := range t.tokens {
		c := i + firstIdeograph
		ids := p.mergeBytes(v, []byte{byte(c>>12) | 0xE0, byte(c>>6)&0x3F | 0x80, byte(c)&0x3F | 0x80})
		for k, id := range ids {
			t.tokens[i] |= characterTokens(id) << (k * idBits)
		}
		t.tokens[i] |= characterTokens(len(ids)) << numberShift
	}
	count := 0
	v.eachToken(func(_ uint32, token []byte) {
		if ideographic(token) {
			count++
		}
	})
	t.pairs = newPairTable(count)
	v.eachToken(func(id uint32, token []byte) {
		t.cross(token)
		if s := v.splits()[id]; s.left != noID && ideographic(token) {
			if !t.pairs.add(s.left, s.right, id) {
				panic("tokens: an ideographic token finds no place") // not input: only embedded vocabularies are ordered
			}
		}
	})
	return t
}

// eachToken calls f with each token and its bytes.
func (v *vocabulary) eachToken(f func(id uint32, token []byte)) {
	single := make([]byte, len(v.splits()))
	for b, id := range v.bytes {
		single[id] = byte(b)
	}
	var all []byte
	ends := make([]int, 1, len(single)+1)
	for id, s := range v.splits() {
		if s.left == noID {
			all = append(all, single[id])
		} else {
			all = append(all, all[ends[s.left]:ends[s.left+1]]...)
			all = append(all, all[ends[s.right]:ends[s.right+1]]...)
		}
		f(uint32(id), all[ends[id]:])
		ends = append(ends, len(all))
	}
}

// cross notes the seams where token crosses from a part of a character to its neighbour.
func (t *ideographs) cross(token []byte) {
	first := 0
	for first < len(token) && isContinuation(token[first]) {
		first++
	}
	last := len(token) - 1
	for last > 0 && isContinuation(token[last]) {
		last--
	}
	if first > 0 {
		t.crossAt(token, first)
	}
	if isLead(token[last]) && len(token)-last < 3 {
		t.crossAt(token, last)
	}
}

func isContinuation(b byte) bool { return b&0xC0 == 0x80 }

// crossAt notes the seam before token[i].
func (t *ideographs) crossAt(token []byte, i int) {
	switch {
	case i == 0 || i == len(token) || !isLead(token[i]):
	case i+1 < len(token):
		t.set(seamOf(token[i-1], token[i], token[i+1]))
	default:
		for second := range byte(64) {
			t.set(seamOf(token[i-1], token[i], second))
		}
	}
}

func (t *ideographs) set(seam uint) { t.crossed[seam/64] |= 1 << (seam % 64) }

// apart is whether no token may cross the seam before piece[i].
func (t *ideographs) apart(piece []byte, i int) bool {
	if i == 0 || i == len(piece) {
		return true
	}
	if !isLead(piece[i]) || i+1 == len(piece) {
		return false
	}
	seam := seamOf(piece[i-1], piece[i], piece[i+1])
	return t.crossed[seam/64]>>(seam%64)&1 == 0
}

// split makes one part of each token of the characters of piece, and one of each byte where they
// cannot stand for themselves. It returns their number.
func (t *ideographs) split(v *vocabulary, piece []byte, p *parts) int {
	n := 0
	apart := true
	for i := 0; i < len(piece); {
		before := apart
		if !isLead(piece[i]) || i+2 >= len(piece) || !isContinuation(piece[i+1]) || !isContinuation(piece[i+2]) {
			p.ids[n] = v.bytes[piece[i]]
			n, i = n+1, i+1
			apart = t.apart(piece, i)
			continue
		}
		apart = t.apart(piece, i+3)
		if before && apart {
			c := rune(piece[i]&0xF)<<12 | rune(piece[i+1]&0x3F)<<6 | rune(piece[i+2]&0x3F)
			tokens := t.tokens[c-firstIdeograph]
			for range tokens >> numberShift {
				p.ids[n] = uint32(tokens & noID)
				tokens >>= idBits
				n++
			}
		} else {
			for k := range 3 {
				p.ids[n+k] = v.bytes[piece[i+k]]
			}
			n += 3
		}
		i += 3
	}
	return n
}
