package tokens

import (
	"strings"
	"testing"
)

// Where U+FFFD is three tokens, a piece of invalid bytes has more of them than a slot can hold.
func TestCountsTooGreatForASlotAreExact(t *testing.T) {
	e, err := ParseRanks(Llama3, tiktokenLines(bytesAnd()))
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{1, 5, 6, maxShortKey, maxShortKey + 1, 85, 86, maxLongKey, maxLongKey + 1} {
		text := strings.Repeat("\xff", n)
		for range 2 {
			if got := e.CountString(text); got != 3*n {
				t.Errorf("%d invalid bytes: %d tokens, want %d", n, got, 3*n)
			}
		}
	}
}
