package tokens

import (
	"iter"
	"maps"
	"slices"
	"strings"
	"testing"
)

// malformed are texts that are not UTF-8: the vectors of the Unicode Standard's practice of one U+FFFD
// for each maximal subpart, alone and between words.
func malformed() iter.Seq[string] {
	return func(yield func(string) bool) {
		parts := append(slices.Clone(invalid), "\xE4\xB8\xE4\xB8\xAD", "a\x80\x80b", "\xF0\x9F\x98\xF0\x9F\x98\x80",
			"\xF4\x8F\x80\x41", "\xF0\x8F\x80", "\xE0\x9F\x80", "\xE0\xA0\xC3\xA9", "\xF8\x88\x80\x80\x80",
			"\uFFFD\xFF", "\xEF\xBB\xBF\xEF\xBB")
		for _, part := range parts {
			for _, text := range []string{
				part, "word" + part, part + "word", "don'" + part + "t", " " + part + "\n", part + part,
			} {
				if !yield(text) {
					return
				}
			}
		}
	}
}

func TestOracleOnCornerCases(t *testing.T) {
	withOracle(t, func(t *testing.T, o *oracle) {
		var texts []string
		for _, c := range splitCases {
			text := strings.ReplaceAll(c.o200k, "¦", "")
			texts = append(texts, text, text+text, " "+text, text+" ", text+"\n", "\n"+text)
		}
		texts = slices.AppendSeq(texts, malformed())
		texts = append(texts, "", "\uFEFF", "\x00")
		if n := o.compare(t, slices.Values(texts)); n != len(texts) {
			t.Errorf("%d texts compared of %d", n, len(texts))
		}
	})
}

// Pieces around the lengths at which the package changes its way of merging them.
func TestOracleOnLongPieces(t *testing.T) {
	withOracle(t, func(t *testing.T, o *oracle) {
		sizes := []int{maxShort, maxShort + 1, maxLongKey, maxLongKey + 1, 127, 128, 129, 4 << 10, mergeBlock,
			mergeBlock + 1, 3 * mergeBlock}
		for _, size := range sizes[:sample(11, 10)] { // the reference takes time that grows with the square
			o.compare(t, maps.Values(longTexts(size)))
		}
	})
}
