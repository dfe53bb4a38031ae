package tokens

import (
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
)

// aloneWorkers are workers for tests that count very often, one after the other: under the race
// detector a pool forgets what it is given back.
var aloneWorkers = sync.OnceValue(func() map[*Encoding]*worker {
	workers := map[*Encoding]*worker{}
	for _, e := range indexed() {
		workers[e] = e.tokenizer().worker()
	}
	return workers
})

// countAlone is Encoding.Count.
func countAlone(e *Encoding, text []byte) int { return aloneWorkers()[e].count(text) }

// encodeAlone is Encoding.Encode.
func encodeAlone(e *Encoding, text string) (ids []uint32) {
	w := aloneWorkers()[e]
	for piece := range w.pieces([]byte(text)) {
		ids = append(ids, w.merge(piece)...)
	}
	return ids
}

// composing are texts of characters that come apart, or together.
var composing = []string{
	"e\u0301", "a\u0323\u0302", "a\u0302\u0323", "\u1100\u1161\u11A8", "\uAC00\u11A8", "\u212B", "\u0958", "\u2126",
	"\u0915\u093C", "\u0344", "\u03B1\u0345\u0301", "\u1EBF", "\u0300", "q\u0307\u0323", "\u0B47\u0B3E", "\u1025\u102E",
	"\U0001D15E", "\uF900", "\U0002F800", "a\u0315\u0300\u05AE\u0315b", "\u0CC6\u0CC2\u0CD5",
}

// unsafeSigns are what rules could go wrong at, besides the alphabet: kana with
// their signs, parts of Hangul, marks, characters that come apart, and controls.
var unsafeSigns = slices.Concat(composing, []string{
	"か", "カ", "\u3040", "\u3097", "\u3099", "゛", "・", "゠", "ー", "ゝ", "龥", "龦", "\u1100", "\u1161", "\u11A8", "가",
	"\u0338", "<", "=", "\u2ADC", "क़", "\u05D0", "\uFB2A",
	"\u2000", "\u037E", "\u0387", "\u1FEF", "\u200B", "\x01", ".", "。", "\u0E33", "\u0345", "\U0001D15E", "\U000110AB",
})

// checkSafe cuts text at all of its safe points and compares pieces and ids, so that a cut
// which leaves the number of tokens as it was is found too. It returns the number of safe points.
func checkSafe(t *testing.T, text string) int {
	t.Helper()
	points := 0
	for i := range len(text) + 1 {
		if !safe([]byte(text), i) {
			continue
		}
		points++
		for _, e := range Encodings() {
			checkCut(t, e, text[:i], text[i:])
		}
	}
	return points
}

func checkCut(t *testing.T, e *Encoding, left, right string) {
	t.Helper()
	scan := e.tokenizer().scan
	split := func(text string) string { return splitWith(scan, text) }
	if got, want := split(left)+"¦"+split(right), split(left+right); got != want {
		t.Fatalf("%s: %+q and %+q have the pieces %+q, together %+q", e, left, right, got, want)
	}
	ids := append(encodeAlone(e, left), encodeAlone(e, right)...)
	if want := encodeAlone(e, left+right); !slices.Equal(ids, want) {
		t.Fatalf("%s: %+q and %+q encode to %v, together to %v", e, left, right, ids, want)
	}
}

func TestCuttingAtASafePointChangesNoToken(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	points := 0
	for i := range 8_000 {
		text := randomText(rng, 2+rng.IntN(12), alphabet)
		switch i % 4 {
		case 0:
			text = randomText(rng, 2+rng.IntN(12), alphabet, invalid)
		case 1:
			text = randomText(rng, 2+rng.IntN(12), alphabet, unsafeSigns)
		}
		points += checkSafe(t, text)
	}
	if points < 12_000 {
		t.Errorf("only %d safe points in the random texts", points)
	}
}

// Every pair of characters that splits badly, before and after every other.
func TestSafePointsBetweenAnyTwoCharacters(t *testing.T) {
	around := []string{"", "a", "B", " ", "\n", "'", "/", "中", "\u0301"}
	if testing.Short() { // a letter, a sign and a mark
		around = []string{"", "a", "/", "\u0301"}
	}
	all := slices.Concat(alphabet, unsafeSigns)
	for _, left := range all {
		for _, right := range all {
			if !safe([]byte(left+right), len(left)) {
				continue
			}
			for _, before := range around {
				for _, after := range around {
					for _, e := range Encodings() {
						checkCut(t, e, before+left, right+after)
					}
				}
			}
		}
	}
}

// A safe point does not depend on what is beyond the two characters around it.
func TestSafePointsStayWhateverSurroundsThem(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	for range 20_000 {
		text := randomText(rng, 2+rng.IntN(4), alphabet, unsafeSigns, invalid)
		for i := range len(text) {
			if !safe([]byte(text), i) {
				continue
			}
			before, after := randomText(rng, 2, alphabet, invalid), randomText(rng, 2, alphabet, invalid)
			if !safe([]byte(before+text+after), len(before)+i) {
				t.Fatalf("%+q | %+q is safe alone, but not between %+q and %+q", text[:i], text[i:], before, after)
			}
		}
	}
}

func TestSafePointsOfKnownTexts(t *testing.T) {
	for text, want := range map[string]string{
		"func f() {":       "func| f|()| {",
		"don't stop's":     "don't| stop's",
		"x1y22":            "x|1|y|22",
		"a\n\tb":           "a|\n\tb",
		"}\n//x":           "}\n//x",
		"}\nx":             "}\n|x",
		"a\n\nb, c":        "a|\n\n|b|,| c",
		"中文，汉字 abc":        "中文|，汉字| abc",
		"カ・ナ":              "カ|・ナ",
		"क,क़, क़1":        "क|,क़,| क़1", // normalized, the second letter ends with a mark
		"e\u0301 e":        "e\u0301| e",
		"a\xE4\xB8 b":      "a\xE4\xB8 b",
		"\xE3\x80\x80 b":   "\u3000 b",
		"\x80 b":           "\x80 b",
		"":                 "",
		"9's":              "9's",
		"aaaa====    中中中中": "aaaa|====|    中中中中",
	} {
		var got strings.Builder
		for i := range len(text) {
			if safe([]byte(text), i) {
				got.WriteByte('|')
			}
			got.WriteByte(text[i])
		}
		if got.String() != want {
			t.Errorf("safe points of %+q: %+q, want %+q", text, got.String(), want)
		}
	}
}
