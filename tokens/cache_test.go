package tokens

import (
	"bytes"
	"testing"
)

// A piece of which the tokens do not fit into a byte of the cache.
func TestInvalidBytesHaveUpToThreeTokensEach(t *testing.T) {
	for n := 1; n <= 2*maxLongKey; n++ {
		for range 2 { // merged, then remembered
			if got := byteTokens.Count(bytes.Repeat([]byte{0xFF}, n)); got != 3*n {
				t.Fatalf("%d invalid bytes count %d tokens, want %d", n, got, 3*n)
			}
		}
	}
}
