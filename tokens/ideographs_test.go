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
			if slices.ContainsFunc(token, isLead) || !utf8.Valid(token) {
				tokens = append(tokens, token)
			}
		}
		byBytes := &vocabulary{bytes: v.bytes, bytePairs: v.bytePairs, pairs: v.pairs}
		var a, b parts
		for range 60_000 {
			var piece []byte
			for len(piece) < 24 {
				piece = append(piece, tokens[rng.IntN(len(tokens))]...)
			}
			piece = appendValid(nil, piece)
			piece = piece[:min(len(piece), maxShort)]
			for !utf8.Valid(piece) {
				piece = piece[:len(piece)-1]
			}
			got, want := a.merge(v, piece), b.merge(byBytes, piece)
			if !slices.Equal(got, want) {
				t.Fatalf("%s: %q merges to %v, from bytes to %v", e, piece, got, want)
			}
		}
	}
}
