package tokens

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

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
	if got, want := splitWith(scan, left)+"¦"+splitWith(scan, right), splitWith(scan, left+right); got != want {
		t.Fatalf("%s: %+q and %+q have the pieces %+q, together %+q", e, left, right, got, want)
	}
	ids := e.Encode(e.Encode(nil, []byte(left)), []byte(right))
	if want := e.Encode(nil, []byte(left+right)); !slices.Equal(ids, want) {
		t.Fatalf("%s: %+q and %+q encode to %v, together to %v", e, left, right, ids, want)
	}
}

func TestCuttingAtASafePointChangesNoToken(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	points := 0
	for i := range 20_000 {
		text := randomText(rng, 2+rng.IntN(12), alphabet)
		if i%4 == 0 {
			text = randomText(rng, 2+rng.IntN(12), alphabet, invalid)
		}
		points += checkSafe(t, text)
	}
	if points < 30_000 {
		t.Errorf("only %d safe points in the random texts", points)
	}
}

// Every pair of characters that splits badly, before and after every other.
func TestSafePointsBetweenAnyTwoCharacters(t *testing.T) {
	around := []string{"", "a", "B", " ", "\n", "'", "/", "1", "\u0301", "中", "!", "\u3000"}
	for _, left := range alphabet {
		for _, right := range alphabet {
			if !safe([]byte(left+right), len(left)) {
				continue
			}
			for _, before := range around {
				for _, after := range around {
					checkSafe(t, before+left+right+after)
				}
			}
		}
	}
}

// A safe point does not depend on what lies beyond the two characters around it.
func TestSafePointsStayWhateverSurroundsThem(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	for range 20_000 {
		text := randomText(rng, 2+rng.IntN(4), alphabet, alphabet, invalid)
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
		"カ・ナ":              "カ・ナ", // one run for DeepSeek
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
