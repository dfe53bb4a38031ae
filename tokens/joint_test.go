package tokens

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// checkJoint compares joins with the naive merging of the bytes of both tokens.
func checkJoint(t *testing.T, e *Encoding, left, right uint32) bool {
	t.Helper()
	v, w := e.tokenizer().vocabulary, aloneWorkers()[e]
	text := slices.Concat(tokensOf(e)[left], tokensOf(e)[right])
	ids := w.mergeLong(text)
	want := slices.Equal(ids, []uint32{left, right})
	if got := v.joins(left, right); got != want {
		t.Fatalf("%s: %d %q and %d %q join: %v, but their bytes merge to %v", e, left, tokensOf(e)[left], right,
			tokensOf(e)[right], got, ids)
	}
	return want
}

// Random pairs mostly join, so half are pairs that meet inside another token, or nearly.
func TestTokensJoinWhenTheirBytesEncodeToThem(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 22))
	for _, e := range Encodings() {
		v := e.tokenizer().vocabulary
		splits, join, apart := v.splits(), 0, 0
		check := func(left, right uint32) {
			if checkJoint(t, e, left, right) {
				join++
			} else {
				apart++
			}
		}
		for range 20_000 {
			n := len(splits)
			check(uint32(rng.IntN(n)), uint32(rng.IntN(n)))
			s := splits[rng.IntN(n)]
			if s.left == noID {
				continue
			}
			check(s.left, s.right)
			if part := splits[s.right].left; part != noID {
				check(s.left, part)
			}
			if part := splits[s.left].right; part != noID {
				check(part, s.right)
			}
		}
		if join < 10_000 || apart < 10_000 {
			t.Errorf("%s: %d pairs join and %d do not: too few of one kind", e, join, apart)
		}
	}
}

func TestEqualTokensJoinLikeAnyOthers(t *testing.T) {
	for _, e := range Encodings() {
		for id := 0; id < len(tokensOf(e)); id += 7 {
			checkJoint(t, e, uint32(id), uint32(id))
		}
	}
}

// The fact that joins rests on: tokens are the encoding of their bytes exactly when all
// neighbours join.
func TestTokensAreTheEncodingExactlyWhenNeighboursJoin(t *testing.T) {
	rng := rand.New(rand.NewPCG(23, 24))
	for _, e := range Encodings() {
		v, w := e.tokenizer().vocabulary, aloneWorkers()[e]
		encodings := 0
		for range 6_000 {
			text := []byte(pieceText(rng))
			want := slices.Clone(w.mergeLong(text))
			ids := want
			if rng.IntN(2) == 0 {
				ids = tornTokens(rng, v, want)
			}
			joined := true
			for i := range len(ids) - 1 {
				joined = joined && v.joins(ids[i], ids[i+1])
			}
			if joined != slices.Equal(ids, want) {
				t.Fatalf("%s: %q: neighbours in %v join: %v, the encoding is %v", e, text, ids, joined, want)
			}
			if joined {
				encodings++
			}
		}
		if encodings < 2_000 || encodings > 5_000 {
			t.Errorf("%s: %d of 6,000 sequences are encodings", e, encodings)
		}
	}
}

// pieceText returns up to 40 bytes of the kinds that make long pieces.
func pieceText(rng *rand.Rand) string {
	kinds := []string{"ab", "abcdefghijklmnopqrstuvwxyz", "=-", "中文字的一是", "\n ", "aA0/+"}
	from := []rune(kinds[rng.IntN(len(kinds))])
	var b strings.Builder
	for range 1 + rng.IntN(40) {
		b.WriteRune(from[rng.IntN(len(from))])
	}
	return b.String()
}

// tornTokens replaces a token of ids by the two that it is made of, and may merge that pair's
// second half with the next token: sequences of the same bytes that are nearly the encoding.
func tornTokens(rng *rand.Rand, v *vocabulary, ids []uint32) []uint32 {
	i := rng.IntN(len(ids))
	s := v.splits()[ids[i]]
	if s.left == noID {
		return ids
	}
	torn := slices.Concat(ids[:i:i], []uint32{s.left, s.right}, ids[i+1:])
	if i+2 < len(torn) {
		if id := v.merged(torn[i+1], torn[i+2]); id != noID {
			return slices.Concat(torn[:i+1:i+1], []uint32{id}, torn[i+3:])
		}
	}
	return torn
}
