package tokens

import (
	_ "embed" // for the class file
	"fmt"
	"strconv"
	"strings"
	"sync"
)

// class is what the scanner knows of a character: a set of the flags below. No character has
// the class 0, which represents the end of the text.
type class uint8

const (
	letter  class = 1 << iota // \p{L}
	number                    // \p{N}
	space                     // \s, that is White_Space, newlines included
	upper                     // [\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]
	lower                     // [\p{Ll}\p{Lm}\p{Lo}\p{M}]
	other                     // [^\s\p{L}\p{N}], marks included
	newline                   // [\r\n]
	high                      // in the table of bytes only: not ASCII, ask the table of runes
)

// noPrefix is what must not precede a word as its prefix.
const noPrefix = letter | number | newline

// categories gives the class of each category of the class file.
var categories = map[string]class{
	"Lu": letter | upper,
	"Lt": letter | upper,
	"Ll": letter | lower,
	"Lm": letter | upper | lower,
	"Lo": letter | upper | lower,
	"M":  other | upper | lower,
	"N":  number,
	"S":  space,
	"PS": other, // in the file of symbols only
}

// classFile holds the categories as the reference build sees them, Unicode 16.0: lines
// "HHHH..HHHH category", ascending; what is in no line is in no category. Go's own tables
// are of another version and move with the toolchain.
//
//go:embed data/unicode-16.0.txt
var classFile string

const (
	maxRune   = 0x10FFFF
	blockBits = 8 // log2 of the runes in a block
	blockSize = 1 << blockBits
)

// classTable maps runes to classes in two steps; blocks of one class are stored once.
type classTable struct {
	index  [(maxRune + 1) >> blockBits]uint16
	blocks [][blockSize]class
}

// classes returns the table of runes, built once.
var classes = sync.OnceValue(func() *classTable {
	t, err := parseClasses(classFile)
	if err != nil {
		panic("tokens: the embedded classes are damaged: " + err.Error()) // not input: a broken build
	}
	return t
})

func (t *classTable) of(r rune) class {
	return t.blocks[t.index[r>>blockBits]][r&(blockSize-1)]
}

// at returns the class and the length in bytes of the character at text[i:], or 0, 0 at the end.
func (t *classTable) at(text []byte, i int) (class, int) {
	if i >= len(text) {
		return 0, 0
	}
	if c := byteClass[text[i]]; c != high {
		return c, 1
	}
	// Most of what is not ASCII has three bytes. Behind these first bytes, no two
	// continuation bytes are ill-formed.
	if b := text[i]; b >= 0xE1 && b != 0xED && b <= 0xEF && i+2 < len(text) && isContinuation(text[i+1]) &&
		isContinuation(text[i+2]) {
		return t.of(rune(b&0xF)<<12 | rune(text[i+1]&0x3F)<<6 | rune(text[i+2]&0x3F)), 3
	}
	r, size := decodeRune(text[i:])
	return t.of(r), size
}

// byteClass is the class of each byte; it needs no file and is as fast as it gets.
var byteClass = func() (t [256]class) {
	for b := range t {
		switch c := byte(b); {
		case c >= 0x80:
			t[b] = high
		case 'a' <= c && c <= 'z':
			t[b] = letter | lower
		case 'A' <= c && c <= 'Z':
			t[b] = letter | upper
		case '0' <= c && c <= '9':
			t[b] = number
		case c == '\r' || c == '\n':
			t[b] = space | newline
		case c == ' ' || c == '\t' || c == '\v' || c == '\f':
			t[b] = space
		default:
			t[b] = other
		}
	}
	return t
}()

// parseClasses builds the table from the text of a class file.
func parseClasses(file string) (*classTable, error) {
	t := new(classTable)
	uniform := make(map[class]uint16) // the blocks of one class, which many share
	uniform[other] = t.addBlock(other)
	for line := range strings.Lines(file) {
		lo, hi, category, err := parseRange(line)
		if err != nil {
			return nil, err
		}
		c := categories[category]
		for lo <= hi {
			end := min(hi+1, lo|(blockSize-1)+1) // of what the range has of this block
			index := &t.index[lo>>blockBits]
			switch {
			case end-lo < blockSize:
				if *index == uniform[other] {
					*index = t.addBlock(other)
				}
				t.fill(lo, end, c)
			case uniform[c] == 0:
				uniform[c] = t.addBlock(c)
				fallthrough
			default:
				*index = uniform[c]
			}
			lo = end
		}
	}
	t.blocks[t.index[0]]['\r'] |= newline
	t.blocks[t.index[0]]['\n'] |= newline
	return t, nil
}

// addBlock adds a block of one class and returns its number.
func (t *classTable) addBlock(c class) uint16 {
	var block [blockSize]class
	for i := range block {
		block[i] = c
	}
	t.blocks = append(t.blocks, block)
	return uint16(len(t.blocks) - 1)
}

// fill gives the runes from lo up to end, which are in one block, a class.
func (t *classTable) fill(lo, end rune, c class) {
	block := &t.blocks[t.index[lo>>blockBits]]
	for r := lo; r < end; r++ {
		block[r&(blockSize-1)] = c
	}
}

// parseRange reads one line of a class file, including its newline.
func parseRange(line string) (lo, hi rune, category string, err error) {
	runes, category, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
	first, last, _ := strings.Cut(runes, "..")
	from, err1 := strconv.ParseUint(first, 16, 32)
	to, err2 := strconv.ParseUint(last, 16, 32)
	if err1 != nil || err2 != nil || from > to || to > maxRune || categories[category] == 0 {
		return 0, 0, "", fmt.Errorf("class file: bad line %q", line)
	}
	return rune(from), rune(to), category, nil
}
