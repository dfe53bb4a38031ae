package tokens

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestFeaturesOfTexts(t *testing.T) {
	for _, c := range []struct {
		text                                          string
		words, letters, marks, digits, beyond, spaces int
		cases                                         int
	}{
		{"", 0, 0, 0, 0, 0, 0, 0},
		{"the cat", 2, 6, 0, 0, 0, 1, 0},
		{"HTTPServer{\n\t\tport: 8080}", 2, 14, 3, 4, 0, 2, 1},
		{"getURL getUrl", 2, 12, 0, 0, 0, 1, 2},
		{"naïve café", 2, 7, 0, 0, 2, 1, 0},
		{"中文 ─", 2, 0, 0, 0, 3, 1, 0},
		{"\x80a", 1, 1, 0, 0, 0, 0, 0},
	} {
		n := O200kBase.CountString(c.text)
		want := Features{n, c.words, c.letters, c.marks, c.digits, c.beyond, max(0, n-c.spaces), c.cases, 0}
		if got := FeaturesOf(c.text); got != want {
			t.Errorf("%q: %v, want %v", c.text, got, want)
		}
	}
}

// TestShapeIsItsDefinition: the table counts what a loop over bytes counts, over the borders of runs too.
func TestShapeIsItsDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		text := randomText(rng, rng.IntN(2000), alphabet, invalid)
		var want Features
		letter, space, upper := false, false, false
		for i := range len(text) {
			b := text[i]
			isUpper := 'A' <= b && b <= 'Z'
			isASCII := isUpper || 'a' <= b && b <= 'z'
			isLetter := isASCII || b >= utf8.RuneSelf
			isSpace := strings.IndexByte(" \t\n\v\f\r", b) >= 0
			isDigit := '0' <= b && b <= '9'
			count := func(f Feature, when bool) {
				if when {
					want[f]++
				}
			}
			count(FeatureWords, isLetter && !letter)
			count(FeatureLetters, isASCII)
			count(FeatureMarks, !isLetter && !isSpace && !isDigit)
			count(FeatureDigits, isDigit)
			count(FeatureNonASCII, b >= 0xC0)
			count(FeatureJoined, isSpace && !space)
			count(FeatureCases, isUpper && !upper)
			letter, space, upper = isLetter, isSpace, isUpper
		}
		var whole, parts shaper
		add(&whole, text)
		for rest := text; rest != ""; {
			n := 1 + rng.IntN(len(rest))
			add(&parts, rest[:n])
			rest = rest[n:]
		}
		if whole.found != want || parts.found != want {
			t.Fatalf("%q: %v, in parts %v, want %v", text, whole.found, parts.found, want)
		}
	}
}

func BenchmarkFeatures(b *testing.B) {
	text := string(goSource(b))
	for name, count := range map[string]func(string) int{
		"count":    O200kBase.CountString,
		"features": func(s string) int { return FeaturesOf(s)[FeatureTokens] },
		"shape": func(text string) int {
			var s shaper
			add(&s, text)
			return s.found[FeatureWords]
		},
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				count(text)
			}
		})
	}
}
