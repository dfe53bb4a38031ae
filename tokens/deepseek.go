package tokens

import (
	_ "embed" // for the symbols
	"strings"
	"sync"
)

// DeepSeek V3 cuts text in three steps, each inside the pieces of the one before:
//
//	\p{N}{1,3}
//	[一-龥぀-ゟ゠-ヿ]+
//	p[A-Za-z]+  |  [^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+  |  " "?[\p{P}\p{S}]+[\r\n]*  |  \s*[\r\n]+  |  \s+(?!\S)  |  \s+
//
// where p is ASCII punctuation. What no alternative matches is a piece as well, up to where one
// matches again. So numbers and runs of kana and ideographs are walls: for what precedes them,
// the text ends there.

// symbolFile holds the punctuation and symbols of Unicode 16.0, as the reference's regular expressions
// see them, in the form of classFile.
//
//go:embed data/unicode-16.0-symbols.txt
var symbolFile string

// kind is what DeepSeek's rules know of a character: one of the flags below, and kana or not.
type kind uint8

const (
	word   kind = 1 << iota // [\p{L}\p{M}]
	digits                  // \p{N}
	blank                   // \s but for newlines
	ending                  // [\r\n]
	symbol                  // [\p{P}\p{S}]
	gap                     // nothing of these: controls, formats, what is not assigned
	kana                    // [一-龥぀-ゟ゠-ヿ], next to another flag
)

// deepSeek finds the pieces of DeepSeek V3.
type deepSeek struct {
	classes *classTable
	symbols []uint64 // bit set over code points
}

// symbols returns the bit set of symbolFile, built once.
var symbols = sync.OnceValue(func() []uint64 {
	set := make([]uint64, (maxRune+64)/64)
	for line := range strings.Lines(symbolFile) {
		lo, hi, _, err := parseRange(line)
		if err != nil {
			panic("tokens: the embedded symbols are damaged: " + err.Error()) // not input: a broken build
		}
		for r := lo; r <= hi; r++ {
			set[r/64] |= 1 << (r % 64)
		}
	}
	return set
})

func scanDeepSeek3(t *classTable) func(text []byte, start int) int {
	d := &deepSeek{classes: t, symbols: symbols()}
	return d.next
}

// at returns the kind and the length in bytes of the character at text[i:], or 0, 0 at the end.
func (d *deepSeek) at(text []byte, i int) (kind, int) {
	if i >= len(text) {
		return 0, 0
	}
	r, size := rune(text[i]), 1
	if r >= 0x80 {
		r, size = decodeRune(text[i:])
	}
	return d.kind(r), size
}

func (d *deepSeek) kind(r rune) kind {
	var k kind
	switch c := d.classes.of(r); {
	case c&(upper|lower) != 0:
		k = word
	case c&number != 0:
		k = digits
	case c&newline != 0:
		k = ending
	case c&space != 0:
		k = blank
	case d.symbols[r/64]>>(r%64)&1 != 0:
		k = symbol
	default:
		k = gap
	}
	if 0x4E00 <= r && r <= 0x9FA5 || 0x3040 <= r && r <= 0x30FF {
		k |= kana
	}
	return k
}

// next returns the end of the piece that starts at start.
func (d *deepSeek) next(text []byte, start int) int {
	k, size := d.at(text, start)
	if k&digits != 0 {
		i := start + size
		for range 2 {
			if k, size = d.at(text, i); k&digits != 0 {
				i += size
			}
		}
		return i
	}
	if end := asciiCall(text, start); end > 0 {
		return end
	}
	wall := k & kana
	i := start
	if k&(word|ending|symbol) == 0 {
		i += size
	}
	if end, _ := d.run(text, i, wall, word); end > i {
		return end
	}
	i = start
	if text[i] == ' ' {
		i++
	}
	if end, _ := d.run(text, i, wall, symbol); end > i {
		if wall == 0 {
			end += punctTail(text[end:], false)
		}
		return end
	}
	if k&gap != 0 {
		return d.gap(text, start, wall)
	}
	return d.space(text, start)
}

// asciiCall matches a mark of ASCII punctuation with ASCII letters after it; 0 is no match.
func asciiCall(text []byte, start int) int {
	if c := text[start]; c <= ' ' || c >= 0x7F || byteClass[c]&other == 0 {
		return 0
	}
	i := start + 1
	for i < len(text) && byteClass[text[i]]&letter != 0 {
		i++
	}
	if i == start+1 {
		return 0
	}
	return i
}

// run returns the end of the run of characters at i that are of kind want and on the same side of the
// walls, and where its last character starts.
func (d *deepSeek) run(text []byte, i int, wall, want kind) (end, last int) {
	last = i
	for {
		k, size := d.at(text, i)
		if k&want == 0 || k&kana != wall {
			return i, last
		}
		last = i
		i += size
	}
}

// gap returns the end of the run of characters that no alternative matches. The last one goes with
// the word that follows.
func (d *deepSeek) gap(text []byte, start int, wall kind) int {
	end, last := d.run(text, start, wall, gap)
	if k, _ := d.at(text, end); k&word != 0 && k&kana == wall && last > start {
		return last
	}
	return end
}

// space returns the end of the white-space piece at start.
func (d *deepSeek) space(text []byte, start int) int {
	end, last, afterNewline := start, start, 0
	for {
		k, size := d.at(text, end)
		if k&(blank|ending) == 0 {
			if k&(digits|kana) != 0 && afterNewline == 0 {
				return end // as at the end of the text
			}
			return spaceEnd(text, start, last, end, afterNewline)
		}
		last = end
		end += size
		if k&ending != 0 {
			afterNewline = end
		}
	}
}
