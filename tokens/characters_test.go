package tokens

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// Pieces are joined from tokens that hold characters or parts of them, so that tokens that cross from
// one character to the next are everywhere, and from characters of all kinds with and without tokens.
func TestMergingFromCharactersIsMergingFromBytes(t *testing.T) {
	for _, e := range Encodings() {
		rng := rand.New(rand.NewPCG(11, 12))
		w := e.tokenizer().worker()
		alphabet := characterParts(e)
		for i := range 40_000 {
			longest := maxShort
			if i%8 < 2 {
				longest = maxCharacters
			}
			var piece []byte
			for size := 1 + rng.IntN(longest); len(piece) < size; {
				from := alphabet[rng.IntN(len(alphabet))]
				piece = append(piece, from(rng)...)
			}
			if i%2 == 0 {
				piece = appendValid(nil, piece)
			}
			piece = piece[:min(len(piece), maxCharacters)]
			if !inCharacters(piece) { // a space next to another
				continue
			}
			got := slices.Clone(w.parts.mergeCharacters(w.vocabulary, piece))
			want := w.mergeLong(piece)
			if len(piece) <= maxShort {
				want = w.parts.mergeBytes(w.vocabulary, piece)
			}
			if !slices.Equal(got, want) {
				t.Fatalf("%s: %q merges to %v, from bytes to %v", e, piece, got, want)
			}
		}
	}
}

// characterParts returns what pieces in characters are made of.
func characterParts(e *Encoding) []func(*rand.Rand) []byte {
	var whole, broken [][]byte
	for _, token := range tokensOf(e) {
		switch {
		case !inCharacters(token):
		case utf8.Valid(token):
			whole = append(whole, token)
		default:
			broken = append(broken, token)
		}
	}
	one := func(of [][]byte) func(*rand.Rand) []byte {
		return func(rng *rand.Rand) []byte { return of[rng.IntN(len(of))] }
	}
	between := func(first, last rune) func(*rand.Rand) []byte {
		return func(rng *rand.Rand) []byte { return utf8.AppendRune(nil, first+rng.Int32N(last-first+1)) }
	}
	return []func(*rand.Rand) []byte{
		one(whole), one(whole), one(broken),
		between(0x4E00, 0x9FFF), between(0x4E00, 0x4FFF), between(0x3040, 0x30FF), between(0xAC00, 0xD7A3),
		between(0xFF01, 0xFF5E), between(0x3000, 0x303F), between(0x2000, 0x206F), between(0x2500, 0x257F),
		between(firstCharacter, lastCharacter), between(0, 0x7F), between(' ', ' '),
	}
}

// A line of a table is one piece, and longer than the pieces that are merged from bytes. A character that
// is no token makes the most parts.
func TestLongPiecesAreMergedFromCharacters(t *testing.T) {
	for _, e := range Encodings() {
		w := e.tokenizer().worker()
		for n := range maxCharacters / 3 {
			for _, piece := range []string{
				" ├" + strings.Repeat("─", n) + "┤\n",
				strings.Repeat("\uA48F", n+1),
			} {
				got := slices.Clone(w.mergeBytes([]byte(piece)))
				if want := w.mergeLong([]byte(piece)); !slices.Equal(got, want) {
					t.Errorf("%s: %q merges to %v, from bytes to %v", e, piece, got, want)
				}
			}
		}
	}
}
