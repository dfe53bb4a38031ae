package tokens

import (
	"math/rand/v2"
	"slices"
	"testing"
	"unicode/utf8"
)

// The texts are joined from tokens that hold ideographs or parts of characters, so that tokens
// that cross from one character to the next are everywhere.
func TestMergingFromCharactersIsMergingFromBytes(t *testing.T) {
	for _, e := range Encodings() {
		rng := rand.New(rand.NewPCG(11, 12))
		v := e.tokenizer().vocabulary
		var tokens [][]byte
		for _, token := range tokensOf(e) {
			if ideographic(token) || !utf8.Valid(token) {
				tokens = append(tokens, token)
			}
		}
		var a, b parts
		for i := range 20_000 {
			var piece []byte
			for len(piece) < 24 {
				piece = append(piece, tokens[rng.IntN(len(tokens))]...)
			}
			if i%2 == 0 {
				piece = appendValid(nil, piece)
			}
			piece = piece[:min(len(piece), maxShort)]
			got, want := a.merge(v, piece), b.mergeBytes(v, piece)
			if !slices.Equal(got, want) {
				t.Fatalf("%s: %q merges to %v, from bytes to %v", e, piece, got, want)
			}
		}
	}
}
