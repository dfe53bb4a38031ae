package tokens

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// forEachClassifier runs f with the vectors, where the processor has them, and without.
func forEachClassifier(f func()) {
	f()
	defer useVectors(useVectors(false))
	f()
}

// windowEnds returns the ends of the pieces of text as counting finds them.
func windowEnds(t *tokenizer, text []byte) []int {
	var all []int
	var c cutter
	for start := 0; start < len(text); {
		all = append(all, c.cut(t, text, start)...)
		start = all[len(all)-1]
	}
	return all
}

// definedEnds returns the ends of the pieces of text as the definition has them.
func definedEnds(e *Encoding, text []byte) []int {
	var all []int
	for start := 0; start < len(text); {
		start = naives()[e].next(text, start)
		all = append(all, start)
	}
	return all
}

func checkWindows(t *testing.T, text []byte) {
	t.Helper()
	for _, e := range Encodings() {
		want := definedEnds(e, text)
		forEachClassifier(func() {
			got := windowEnds(e.tokenizer(), text)
			if slices.Equal(got, want) {
				return
			}
			i := 0
			for i < min(len(got), len(want)) && got[i] == want[i] {
				i++
			}
			from := 0
			if i > 0 {
				from = want[i-1]
			}
			t.Fatalf("%s: vectors %t: the piece at %d of %+q ends at %v, the definition gives %v",
				e, hasVectors(), from, text[from:min(len(text), from+80)], got[i:min(len(got), i+1)],
				want[i:min(len(want), i+1)])
		})
	}
}

// byteMasks are the masks of a window by the meaning of their names.
func byteMasks(window *[windowSize]byte) (m masks) {
	for _, c := range []struct {
		mask *uint64
		has  string
	}{
		{&m.lower, "abcdefghijklmnopqrstuvwxyz"},
		{&m.upper, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"},
		{&m.digit, "0123456789"},
		{&m.blank, " "},
		{&m.newline, "\r\n"},
		{&m.white, "\t\n\v\f\r "},
		{&m.apostrophe, "'"},
		{&m.slash, "/"},
		{&m.suffix, "stmdSTMD"},
		{&m.suffix2, "rvlRVL"},
	} {
		for i, b := range window {
			if strings.IndexByte(c.has, b) >= 0 {
				*c.mask |= 1 << i
			}
		}
	}
	for i, b := range window {
		m.high |= uint64(b>>7) << i
	}
	return m
}

func TestEveryByteInEveryPlaceHasItsMasks(t *testing.T) {
	for b := range 256 {
		for lane := range windowSize {
			var window [windowSize]byte
			for i := range window {
				window[i] = byte(b + 7*(i-lane)) // b at lane, among others
			}
			want := byteMasks(&window)
			forEachClassifier(func() {
				var m masks
				if m.classify(&window); m != want {
					t.Fatalf("vectors %t: byte %#x at %d: %+v, want %+v", hasVectors(), b, lane, m, want)
				}
			})
		}
	}
}

// A window must not look at what is behind the text, and a text may lie anywhere.
func TestWindowsReadNothingBehindTheText(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 16))
	for range 2_000 {
		text := []byte(randomText(rng, 60+rng.IntN(100), alphabet))
		buffer := append(append([]byte("'LL don"), text...), "'t /\n\u0301 b\xFF"...)
		inside := buffer[7:][:len(text):len(text)]
		for _, e := range Encodings() {
			if got, want := windowEnds(e.tokenizer(), inside), definedEnds(e, text); !slices.Equal(got, want) {
				t.Fatalf("%s: %+q is cut at %v, want %v", e, text, got, want)
			}
		}
	}
}

func FuzzWindowsCutAsTheDefinition(f *testing.F) {
	rng := rand.New(rand.NewPCG(17, 18))
	ascii := slices.DeleteFunc(slices.Clone(alphabet), func(s string) bool { return s[0] >= 0x80 })
	for range 20 {
		f.Add([]byte(randomText(rng, 100, ascii)))
		f.Add([]byte(randomText(rng, 100, ascii, alphabet, invalid)))
	}
	f.Fuzz(func(t *testing.T, text []byte) { checkWindows(t, text) })
}

func TestWindowsCutAsTheDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	ascii := slices.DeleteFunc(slices.Clone(alphabet), func(s string) bool { return s[0] >= 0x80 })
	for i := range 10_000 {
		alphabets := [][]string{ascii}
		if i%4 == 0 {
			alphabets = [][]string{ascii, ascii, ascii, alphabet, invalid}
		}
		checkWindows(t, []byte(randomText(rng, 20+rng.IntN(200), alphabets...)))
	}
	checkWindows(t, goSource(t)[:2<<20])
}
