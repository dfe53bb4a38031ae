package tokens

import (
	"flag"
	"iter"
	"math/rand/v2"
	"testing"
	"unicode/utf8"
)

var (
	oracleStrings = flag.Int("strings", 20_000, "how many random strings are compared with the reference, per encoding")
	oracleSeed    = flag.Uint64("seed", 1, "of the random strings that are compared with the reference")
)

// newRanges are blocks with code points that Unicode 15.1 and 16.0 added: those that a counter with an
// older table cuts wrongly.
var newRanges = [][2]rune{
	{0x2FFC, 0x2FFF}, {0x31E4, 0x31EF}, {0x2EBF0, 0x2EE5D}, // 15.1
	{0x0897, 0x0897}, {0x1B4E, 0x1B4F}, {0x1B7F, 0x1B7F}, {0x1C89, 0x1C8A},
	{0x2427, 0x2429}, {0xA7CB, 0xA7CD}, {0xA7DA, 0xA7DC},
	{0x105C0, 0x105F3}, {0x10D40, 0x10D8F}, {0x10EC2, 0x10EC4},
	{0x10EFC, 0x10EFC}, {0x11380, 0x113E2}, {0x116D0, 0x116E3},
	{0x11BC0, 0x11BF9}, {0x11F5A, 0x11F5A}, {0x13460, 0x143FA},
	{0x16100, 0x16139}, {0x16D40, 0x16D79}, {0x18CFF, 0x18CFF},
	{0x1CC00, 0x1CEB3}, {0x1E5D0, 0x1E5FF}, {0x1F8B2, 0x1F8C1}, {0x1FA89, 0x1FA8F}, {0x1FBCB, 0x1FBEF},
}

// randomRune returns a code point: a new one, one of the first two planes, or any.
func randomRune(rng *rand.Rand) rune {
	for {
		var r rune
		switch rng.IntN(4) {
		case 0, 1:
			span := newRanges[rng.IntN(len(newRanges))]
			r = span[0] + rng.Int32N(span[1]-span[0]+1)
		case 2:
			r = rng.Int32N(0x20000)
		default:
			r = rng.Int32N(utf8.MaxRune + 1)
		}
		if utf8.ValidRune(r) {
			return r
		}
	}
}

// weighted yields n strings, most of them short, made of what splits badly; some hold invalid UTF-8,
// some code points that tables older than Unicode 16.0 do not know.
func weighted(n int, seed uint64) iter.Seq[string] {
	return func(yield func(string) bool) {
		rng := rand.New(rand.NewPCG(seed, 16))
		for i := range n {
			length := 1 + rng.IntN(14)
			if i%16 == 0 {
				length = 1 + rng.IntN(80)
			}
			if !yield(string(appendWeighted(nil, rng, length, i%4 == 0))) {
				return
			}
		}
	}
}

// appendWeighted appends elements to text: of the alphabet, runs of them, code points, and, if so
// wanted, parts of ill-formed UTF-8.
func appendWeighted(text []byte, rng *rand.Rand, elements int, ill bool) []byte {
	for range elements {
		switch kind := rng.IntN(32); {
		case kind == 0:
			element := alphabet[rng.IntN(len(alphabet))]
			for range 1 + rng.IntN(20) {
				text = append(text, element...)
			}
		case kind < 5:
			text = utf8.AppendRune(text, randomRune(rng))
		case kind == 5 && ill:
			text = append(text, invalid[rng.IntN(len(invalid))]...)
		default:
			text = append(text, alphabet[rng.IntN(len(alphabet))]...)
		}
	}
	return text
}

// TestOracleOnRandomStrings compares a fixed part; `make fuzz` does a million.
func TestOracleOnRandomStrings(t *testing.T) {
	withOracle(t, func(t *testing.T, o *oracle) {
		n := o.compare(t, weighted(*oracleStrings, *oracleSeed))
		if n != *oracleStrings {
			t.Errorf("%d strings compared", n)
		}
		t.Logf("%s: %d strings, seed %d", o.e, n, *oracleSeed)
	})
}
