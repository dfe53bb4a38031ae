package tokens

// Text in characters of three bytes, such as Chinese, is merged from characters, not from bytes: a
// piece has a third as many, and most of them are tokens. That is exact where no token of the vocabulary
// holds a part of a character and something of its neighbour, since then the bytes of a character
// can only merge with each other until it is whole. A token's id is greater than those that it is made
// of, so that nothing would have merged before that.
//
// There are such tokens, some hundred, such as a space with the first byte of a character. Characters
// at a seam that may be inside of one are merged from bytes.
//
// A table of its own with the pairs that such pieces can have stays in the caches.
type characters struct {
	pairs   pairTable
	tokens  [lastCharacter - firstCharacter + 1]uint32 // 0 where the character is no token
	crossed [seams / 64]uint64                         // bit set of the seams that such a token may cross
}

// The characters from general punctuation over kana, ideographs and Hangul to the full-width signs are
// those of three bytes with these first bytes. There are fewer tokens of them than of what is before.
const (
	firstCharacter = 0x2000
	lastCharacter  = 0xFFFF
	firstLead      = 0xE2
	lastLead       = 0xEF
)

// The lengths in bytes of the pieces that are merged from characters. With fewer than three characters
// there is little to gain: English prose, which has single dashes and quotes, does not need the table. A
// longer piece might have more parts than fit; a line of a drawn table is not longer.
const (
	minCharacters = 8
	maxCharacters = 1<<positionBits - 1
)

// seams is the number of distinct seams: by the byte before them, the kind of the first byte
// behind them, and the low bits of the second, or of the first where that is ASCII.
const seams = 256 * 16 * 64

func seamOf(before, first, second byte) uint {
	if first < 0x80 {
		first, second = 0, first
	}
	return uint(before)<<10 | uint(first&0xF)<<6 | uint(second&0x3F)
}

func isLead(b byte) bool { return firstLead <= b && b <= lastLead }

func isContinuation(b byte) bool { return b&0xC0 == 0x80 }

// isCharacter is whether b begins with such a character.
func isCharacter(b []byte) bool {
	return len(b) >= 3 && isLead(b[0]) && isContinuation(b[1]) && isContinuation(b[2])
}

// inCharacters is whether piece can be merged from characters: whether it is short enough and holds
// nothing but bytes of such characters and single ASCII characters, as the space before a word does. Then
// it holds none of the many tokens of ASCII alone.
func inCharacters(piece []byte) bool {
	if len(piece) > maxCharacters {
		return false
	}
	before := byte(0x80)
	for _, b := range piece {
		if !isContinuation(b) && !isLead(b) && (b >= 0x80 || before < 0x80) {
			return false
		}
		before = b
	}
	return true
}

// characters returns the table of the vocabulary. It is made when it is first needed.
func (v *vocabulary) characters() *characters {
	v.charactersOnce.Do(func() { v.charactersTable = v.makeCharacters() })
	return v.charactersTable
}

func (v *vocabulary) makeCharacters() *characters {
	t := new(characters)
	splits, rims := v.splits(), v.rims()
	var made []uint32 // the tokens in characters that are made of two
	for i, s := range splits {
		if s.left == noID {
			continue
		}
		id, rim := uint32(i), rims[i]
		t.cross(rims[s.left], rims[s.right], splits[s.right].length)
		if rim.characters && s.length <= maxCharacters {
			made = append(made, id)
		}
		if b := []byte{rim.first, rim.second, rim.last}; s.length == 3 && isCharacter(b) {
			*t.token(b) = id
		}
	}
	t.pairs = newPairTable(len(made))
	for _, id := range made {
		if !t.pairs.add(splits[id].left, splits[id].right, id) {
			panic("tokens: no room for a token of characters") // not input: only embedded vocabularies are ordered
		}
	}
	return t
}

// rim is what tokens show of themselves to their neighbours: their first two bytes and the last one, which are all
// three of a character. characters is whether there is nothing else in it than inCharacters wants, of any length.
type rim struct {
	first, second, last byte
	characters          bool
}

// rims returns the rim of each token, by id. Those of one byte have it three times.
func (v *vocabulary) rims() []rim {
	splits := v.splits()
	table := make([]rim, len(splits))
	for i, id := range v.bytes {
		b := byte(i)
		table[id] = rim{b, b, b, b < 0x80 || isLead(b) || isContinuation(b)}
	}
	for id, s := range splits { // in the order of ids, since a token is made of earlier ones
		if s.left == noID {
			continue
		}
		left, right := table[s.left], table[s.right]
		all := rim{left.first, left.second, right.last, left.characters && right.characters &&
			(left.last >= 0x80 || right.first >= 0x80)}
		if splits[s.left].length == 1 {
			all.second = right.first
		}
		table[id] = all
	}
	return table
}

// token is where the token of the character at the start of b is.
func (t *characters) token(b []byte) *uint32 {
	c := rune(b[0]&0xF)<<12 | rune(b[1]&0x3F)<<6 | rune(b[2]&0x3F)
	return &t.tokens[c-firstCharacter]
}

// cross notes the seam between the two that a token is made of, where one of them is a part of a character
// and the other one of its neighbour. The first merge across a seam makes such a token, so the seams
// inside of the two are known by theirs.
func (t *characters) cross(left, right rim, length uint32) {
	part := isContinuation(left.first) || isLead(right.first) && length < 3
	if isContinuation(right.first) || !part {
		return
	}
	if length > 1 || right.first < 0x80 {
		t.set(seamOf(left.last, right.first, right.second))
		return
	}
	for second := range byte(64) {
		t.set(seamOf(left.last, right.first, second))
	}
}

func (t *characters) set(seam uint) { t.crossed[seam/64] |= 1 << (seam % 64) }

// apart is whether no token may cross the seam before piece[i].
func (t *characters) apart(piece []byte, i int) bool {
	if i == 0 || i == len(piece) {
		return true
	}
	seam := seamOf(piece[i-1], piece[i], piece[min(i+1, len(piece)-1)])
	return !isContinuation(piece[i]) && t.crossed[seam/64]>>(seam%64)&1 == 0
}

// split makes one part of each character of piece that is a token and may be one before it merges with
// its neighbours, and one of each byte of the others. It returns the number of parts.
func (t *characters) split(v *vocabulary, piece []byte, p *parts) int {
	n, before := 0, true
	for i := 0; i < len(piece); {
		size, token := 1, uint32(0)
		if isCharacter(piece[i:]) {
			size, token = 3, *t.token(piece[i:])
		}
		after := t.apart(piece, i+size)
		if token != 0 && before && after {
			p.ids[n] = token
			n++
		} else {
			for _, b := range piece[i : i+size] {
				p.ids[n] = v.bytes[b]
				n++
			}
		}
		before = after
		i += size
	}
	return n
}
