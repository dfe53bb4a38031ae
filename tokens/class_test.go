package tokens

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"
)

// The check sums of the reference's classes, over maximal ranges "HHHH..HHHH\n".
var classSums = []struct{ name, categories, sum string }{
	{`\p{L}`, "Lu Lt Lm Lo Ll", "64c4b4f7c3e4974696b3ddeff643dff71d9a34ef5c6b6b511a9176258009dcf6"},
	{`\p{N}`, "N", "bb51a0abfe2c93be0387214356875870fde1e56d26351ce6eb53eab42860fb98"},
	{`\s`, "S", "f6a7064343f838af9ebb4f02800ce784668a4e7620c38d4913fb0c87b082fb65"},
	{`\p{Lu}`, "Lu", "986a6a09260458299de54b5a9533bad22bfac68c0717b504323120a8435c79dc"},
	{`\p{Lt}`, "Lt", "fb52a4ef97fd29f637a400b5c7b4c410e1799b25f54d9d8305785a9a66d0c24b"},
	{`\p{Lm}`, "Lm", "8f0337282e745c4e4bc72f5fe93dd1ba3202f53ae96e507d7f847de68f5a78b2"},
	{`\p{Lo}`, "Lo", "5d571fac95a77881bab255959ca7dd8b90f72b5add24ea4cdd87718b13f7b02e"},
	{`\p{M}`, "M", "3404b0b59f1e44e522319d85db710dc911e7e8537668373b2059dcb54a1c0ff8"},
	{`\p{Ll}`, "Ll", "97842dd899c7dacf00ad20e8166d029fd90e95976b4a6a53e86da5a5c25e2c96"},
}

// canonical returns the maximal ranges of the code points in set, one a line.
func canonical(set []bool) string {
	var b strings.Builder
	for r := 0; r < len(set); r++ {
		if !set[r] {
			continue
		}
		start := r
		for r+1 < len(set) && set[r+1] {
			r++
		}
		fmt.Fprintf(&b, "%04X..%04X\n", start, r)
	}
	return b.String()
}

func TestClassFileHoldsTheReferenceClasses(t *testing.T) {
	for _, c := range classSums {
		set := make([]bool, maxRune+1)
		for line := range strings.Lines(classFile) {
			lo, hi, category, err := parseRange(line)
			if err != nil {
				t.Fatal(err)
			}
			for r := lo; r <= hi && strings.Contains(" "+c.categories+" ", " "+category+" "); r++ {
				set[r] = true
			}
		}
		if sum := fmt.Sprintf("%x", sha256.Sum256([]byte(canonical(set)))); sum != c.sum {
			t.Errorf("%s has check sum %s, want %s", c.name, sum, c.sum)
		}
	}
}

// The flags that are whole classes must survive the two-step table.
func TestClassTableHoldsTheReferenceClasses(t *testing.T) {
	for i, flag := range []class{letter, number, space} {
		set := make([]bool, maxRune+1)
		for r := range set {
			set[r] = classes().of(rune(r))&flag != 0
		}
		if sum := fmt.Sprintf("%x", sha256.Sum256([]byte(canonical(set)))); sum != classSums[i].sum {
			t.Errorf("%s has check sum %s, want %s", classSums[i].name, sum, classSums[i].sum)
		}
	}
	for r := range rune(maxRune + 1) {
		c := classes().of(r)
		if (c&(letter|number|space) == 0) != (c&other != 0) {
			t.Fatalf("U+%04X: class %08b is both or neither of other and a letter, number or space", r, c)
		}
	}
}

func TestClassTableAgreesWithTheTableOfBytes(t *testing.T) {
	for b, c := range byteClass[:0x80] {
		if got := classes().of(rune(b)); got != c {
			t.Errorf("byte %#x: class %08b, as a rune %08b", b, c, got)
		}
	}
}

func TestDamagedClassFileIsRefused(t *testing.T) {
	for _, file := range []string{
		"0041..005A\n", "0041..005A Xx\n", "005A..0041 Lu\n", "0041 Lu\n", "0041..110000 Lu\n", "\n",
	} {
		if _, err := parseClasses(file); err == nil {
			t.Errorf("%q was accepted", file)
		}
	}
}
