package tokens

import (
	"math/rand/v2"
	"strings"
	"testing"
)

func TestCountParallelIsCount(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	texts, numbers := longTexts(minPart*3), []int{-1, 2, 3, 64}
	if testing.Short() { // under the race detector: what is cut into parts
		texts, numbers = map[string]string{}, []int{3}
	}
	texts["random"] = randomText(rng, minPart*3, alphabet)
	texts["spoiled"] = randomText(rng, minPart*3, alphabet, invalid)
	texts["words"] = strings.Repeat("don't panic, HTTPServer!\n\n  x", minPart/8)
	texts["short"] = "two words"
	texts["empty"] = ""
	for name, text := range texts {
		for _, e := range Encodings() {
			want := e.CountString(text)
			for _, workers := range numbers {
				if got := e.CountParallel([]byte(text), workers); got != want {
					t.Errorf("%s: %d workers count %d tokens in %s, want %d", e, workers, got, name, want)
				}
			}
		}
	}
}
