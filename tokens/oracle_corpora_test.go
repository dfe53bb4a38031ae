package tokens

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"unicode/utf8"
)

// corpus is a kind of text that counters were seen to get wrong, or to be slow on, as a seeded
// generator: append adds a few more bytes to text.
type corpus struct {
	name   string
	size   int // in bytes, of what is compared
	append func(text []byte, rng *rand.Rand) []byte
}

const mebibyte = 1 << 20

// scripts are the first and last letters of thirty alphabets and syllabaries.
var scripts = [...][2]rune{
	{'a', 'z'}, {'à', 'ÿ'}, {'ā', 'ž'}, {'α', 'ω'}, {'а', 'я'},
	{'ա', 'ֆ'}, {'א', 'ת'}, {'ا', 'ي'}, {'ܐ', 'ܬ'}, {'ހ', 'ޥ'},
	{'अ', '्'}, {'অ', 'ূ'}, {'ਅ', '੍'}, {'અ', '્'}, {'ଅ', '୍'},
	{'அ', '்'}, {'అ', '్'}, {'ಅ', '್'}, {'അ', '്'}, {'අ', '්'},
	{'ก', '์'}, {'ກ', 'ໍ'}, {'ཀ', '྄'}, {'က', '္'}, {'ა', 'ჰ'},
	{'አ', 'ፚ'}, {'Ꭰ', 'Ᏼ'}, {'ក', '៓'}, {'ぁ', 'ヺ'}, {'가', '힣'},
}

// between returns a rune of a range.
func between(rng *rand.Rand, r [2]rune) rune { return r[0] + rng.Int32N(r[1]-r[0]+1) }

// appendWord appends a word of up to n letters of a script.
func appendWord(text []byte, rng *rand.Rand, script [2]rune, n int) []byte {
	for range 1 + rng.IntN(n) {
		text = utf8.AppendRune(text, between(rng, script))
	}
	return text
}

// appendOneOf appends an element.
func appendOneOf[T string | rune](text []byte, rng *rand.Rand, of []T) []byte {
	return append(text, string(of[rng.IntN(len(of))])...)
}

// The corpora of real text have generated ones here that are split in the same ways; the source of the
// standard library is compared as it is.
var corpora = []corpus{
	{"prose", mebibyte, func(text []byte, rng *rand.Rand) []byte {
		text = appendWord(text, rng, scripts[0], 9)
		return appendOneOf(text, rng, []string{" ", " ", " ", " ", ", ", ". The ", "'s ", "\n", ".\n\n", " (", ") ",
			"-", " 1,024 ", "\n- ", "\n## ", " `", "` ", "**"})
	}},
	{"multi", mebibyte, func(text []byte, rng *rand.Rand) []byte {
		script := scripts[rng.IntN(len(scripts))]
		for range 1 + rng.IntN(12) {
			text = append(appendWord(text, rng, script, 8), ' ')
		}
		return appendOneOf(text, rng, []string{". ", "। ", "؟ ", "。", "!\n", "«", "» ", "… "})
	}},
	{"zh", mebibyte, func(text []byte, rng *rand.Rand) []byte {
		text = appendWord(text, rng, [2]rune{'一', '鿿'}, 20)
		return appendOneOf(text, rng, []string{"，", "，", "、", "。", "。\n", "：「", "」", "（GPT）", " API ", "2024年", "！"})
	}},
	{"minified", mebibyte, func(text []byte, rng *rand.Rand) []byte {
		text = appendWord(text, rng, scripts[0], 2)
		return appendOneOf(text, rng, []string{"=", "(", ")", "){return ", ".prototype.", ",", ";var ", "[0]", "&&",
			"||", "?", ":", "!0", "===", "'use strict';", "/", "//", "}", "=>{", "\"\\n\"", "innerHTML"})
	}},
	{"json", mebibyte, func(text []byte, rng *rand.Rand) []byte {
		return fmt.Appendf(text, `{"id":%d,"x":%.6f,"tags":[%d,-%d],"ok":true},`, rng.Int64(), rng.Float64(),
			rng.IntN(1000), rng.IntN(1e6))
	}},
	{"emoji", mebibyte / 2, func(text []byte, rng *rand.Rand) []byte {
		text = utf8.AppendRune(text, between(rng, [2]rune{0x1F300, 0x1FAFF}))
		return appendOneOf(text, rng,
			[]string{"", "", "\uFE0F", "\u200D", "\U0001F3FB", "\U0001F3FF", " ", "\U0001F1E9\U0001F1EA", "\u20E3"})
	}},
	{"runes", mebibyte / 2, func(text []byte, rng *rand.Rand) []byte { return utf8.AppendRune(text, randomRune(rng)) }},
	{"letters", mebibyte / 2, func(text []byte, rng *rand.Rand) []byte {
		return appendOneOf(text, rng, []rune("aAbZzéÉßſǅʰ中文कا\u0301\u094D\u0300019٣²Ⅷ \u0085\u00A0\u2003'"))
	}},
	{"spaces", mebibyte / 2, func(text []byte, rng *rand.Rand) []byte {
		for range 1 + rng.IntN(9) {
			text = appendOneOf(text, rng, []rune("    \t\n\r\v\f\u0085\u00A0\u2003\u2028\u2029\u3000"))
		}
		return appendOneOf(text, rng, []string{"a", "x1", "=", "//", "中", "", "'s", "{", "\u0301", "\uFEFF", "\u200B"})
	}},
	{"base64", mebibyte, func(text []byte, rng *rand.Rand) []byte {
		return append(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"[rng.IntN(64)])
	}},
	{"digits", mebibyte, func(text []byte, rng *rand.Rand) []byte { return append(text, '0'+byte(rng.IntN(10))) }},
	// The rest are single pieces.
	{"one letter", longest, func(text []byte, _ *rand.Rand) []byte { return append(text, 'a') }},
	{"two letters", longest, func(text []byte, _ *rand.Rand) []byte { return append(text, "ab"...) }},
	{"equals signs", longest, func(text []byte, _ *rand.Rand) []byte { return append(text, '=') }},
	{"newlines", longest, func(text []byte, _ *rand.Rand) []byte { return append(text, '\n') }},
	{"blanks", longest, func(text []byte, _ *rand.Rand) []byte { return append(text, ' ') }},
	{"random letters", longest,
		func(text []byte, rng *rand.Rand) []byte { return append(text, 'a'+byte(rng.IntN(26))) }},
	{"ideographs", longest, func(text []byte, rng *rand.Rand) []byte {
		return utf8.AppendRune(text, between(rng, [2]rune{'一', '鿿'}))
	}},
}

// longest is the size in bytes of the longest single pieces that are compared. The reference takes time
// that grows with the square of a piece's length, more than 2 s for 64 KiB of one letter, and breaks
// down on 1 MiB. That the package is right beyond is for the tests that need no reference.
const longest = 16 << 10

// text returns size bytes of the corpus, cut between runes.
func (c corpus) text(size int) string {
	rng := rand.New(rand.NewPCG(uint64(len(c.name)), 8))
	var text []byte
	for len(text) < size {
		text = c.append(text, rng)
	}
	return string(text)
}

func TestOracleOnCorpora(t *testing.T) {
	withOracle(t, func(t *testing.T, o *oracle) {
		for _, c := range corpora {
			sizes := []int{c.size / sample(1, 4), 100, 1000, 4000}
			n := o.compare(t, func(yield func(string) bool) {
				for _, size := range sizes {
					if !yield(c.text(size)) {
						return
					}
				}
			})
			if n != len(sizes) {
				t.Errorf("%s: %d texts compared", c.name, n)
			}
		}
	})
}
