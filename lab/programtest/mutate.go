package programtest

import (
	"math/rand/v2"
	"slices"
	"strings"
)

// scraps are what mutations put in. The long s and the sign of Kelvin fold to letters of ASCII.
var scraps = []string{
	"", "\x00", "\xff", "\ufeff", "\\", `"`, "{", "}", "[", "]", ",", ":", "null", "true", "-1", "1e999", "4294967296",
	"\u2028", "\n", "\r", "\r\n\r\n",
	`\ud800`, `"id":7,`, `"method":"ping",`, "\u017f", "\u212a", "/", "..", "%2e", " ", "\t", "$",
	"Content-Length: 7\r\n\r\n",
	strings.Repeat("[", 700), strings.Repeat("9", 40), strings.Repeat("x", 5000),
}

// Mutate spoils a message in one to four places.
func Mutate(dice *rand.Rand, message string) string {
	b := []byte(message)
	for range 1 + dice.IntN(4) {
		from := dice.IntN(len(b) + 1)
		to := min(len(b), from+dice.IntN(4))
		switch dice.IntN(5) {
		case 0: // cut out
			b = slices.Delete(b, from, to)
		case 1: // flip a bit
			if from < len(b) {
				b[from] ^= 1 << dice.IntN(8)
			}
		case 2: // put something in
			b = slices.Insert(b, from, []byte(scraps[dice.IntN(len(scraps))])...)
		case 3: // replace
			b = slices.Replace(b, from, to, []byte(scraps[dice.IntN(len(scraps))])...)
		default: // say a part twice
			b = slices.Insert(b, from, slices.Clone(b[from:min(len(b), from+dice.IntN(60))])...)
		}
	}
	return string(b)
}
