package tokens

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"ctxledger.dev/internal/fault"
)

// naive is the encoder by the book: the definition's pieces, merged by looking every pair up
// by its bytes, over and over.
type naive struct {
	ranks map[string]uint32
	next  func([]byte, int) int
}

var naives = sync.OnceValue(func() map[*Encoding]naive {
	all := map[*Encoding]naive{
		O200kBase:  {map[string]uint32{}, classes().runeO200k},
		CL100kBase: {map[string]uint32{}, classes().runeCL100k},
	}
	for e, n := range all {
		for id, token := range tokensOf(e) {
			n.ranks[string(token)] = uint32(id)
		}
	}
	return all
})

func (n naive) encode(text string) []uint32 {
	var ids []uint32
	valid := appendValid(nil, []byte(text))
	for start := 0; start < len(valid); {
		end := n.next(valid, start)
		var parts []string
		for i := start; i < end; i++ {
			parts = append(parts, string(valid[i:i+1]))
		}
		for n.mergeOnce(&parts) {
		}
		for _, part := range parts {
			ids = append(ids, n.ranks[part])
		}
		start = end
	}
	return ids
}

// mergeOnce joins the leftmost pair of the lowest rank and reports whether there was one.
func (n naive) mergeOnce(parts *[]string) bool {
	at, best := -1, uint32(noID)
	for i := range len(*parts) - 1 {
		if rank, ok := n.ranks[(*parts)[i]+(*parts)[i+1]]; ok && rank < best {
			at, best = i, rank
		}
	}
	if at >= 0 {
		*parts = slices.Replace(*parts, at, at+2, (*parts)[at]+(*parts)[at+1])
	}
	return at >= 0
}

// checkText compares everything that the package says of a text with the naive encoder.
func checkText(t *testing.T, text string) {
	t.Helper()
	for _, e := range Encodings() {
		ids := e.encode(nil, []byte(text))
		if want := naives()[e].encode(text); !slices.Equal(ids, want) {
			t.Fatalf("%s: %+q encodes to %v, by the book %v", e, text, ids, want)
		}
		for range 2 { // from the merger, then from the cache
			if n := e.CountString(text); n != len(ids) {
				t.Fatalf("%s: %+q counts %d, encodes to %d ids", e, text, n, len(ids))
			}
		}
		var decoded []byte
		for _, id := range ids {
			decoded = append(decoded, tokensOf(e)[id]...)
		}
		if want := string(appendValid(nil, []byte(text))); string(decoded) != want {
			t.Fatalf("%s: %+q decodes to %+q", e, text, decoded)
		}
	}
}

func TestRandomTextsEncodeByTheBook(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for i := range 3_000 {
		text := randomText(rng, 1+rng.IntN(30), alphabet)
		if i%3 == 0 {
			text = randomText(rng, 1+rng.IntN(30), alphabet, invalid)
		}
		checkText(t, text)
	}
}

func TestLongPiecesEncodeByTheBook(t *testing.T) {
	for _, size := range []int{maxShort, maxShort + 1, maxLongKey, maxLongKey + 1, 300, 1000} {
		for name, text := range longTexts(size) {
			t.Run(name+sizeName(size), func(t *testing.T) { checkText(t, text) })
		}
	}
}

// A quadratic step would take minutes here.
func TestHostileTextsAreCountedInLinearTime(t *testing.T) {
	for name, text := range longTexts(128 << 10) {
		for _, e := range Encodings() {
			n := e.CountString(text)
			if ids := e.encode(nil, []byte(text)); n != len(ids) || n == 0 {
				t.Errorf("%s: %s counts %d, encodes to %d", e, name, n, len(ids))
			}
			if name == "a" && n != len(text)/8 { // aaaaaaaa is a token
				t.Errorf("%s: %d tokens of a, want %d", e, n, len(text)/8)
			}
		}
	}
}

func FuzzEncodeByTheBook(f *testing.F) {
	for _, c := range splitCases {
		f.Add(strings.ReplaceAll(c.o200k, "¦", ""))
	}
	for _, s := range invalid {
		f.Add("a" + s + s + " b")
	}
	for _, text := range longTexts(100) {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 4<<10 {
			return // the book takes quadratic time
		}
		checkText(t, text)
	})
}

func TestInvalidUTF8CountsAsOneReplacementForEachMaximalSubpart(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"\xFF", "\uFFFD"},
		{"\xE4\xB8", "\uFFFD"},
		{"\xE4\xB8\xE4\xB8\xAD", "\uFFFD中"},
		{"\xF0\x9F\x98", "\uFFFD"},
		{"\xF0\x9F\x98\xF0\x9F\x98\x80", "\uFFFD😀"},
		{"\xC0\xAF", "\uFFFD\uFFFD"},
		{"\xED\xA0\x80", "\uFFFD\uFFFD\uFFFD"},
		{"\xF4\x90\x80\x80", "\uFFFD\uFFFD\uFFFD\uFFFD"},
		{"\xF4\x8F\x80\x41", "\uFFFDA"},
		{"\xF0\x8F\x80", "\uFFFD\uFFFD\uFFFD"},
		{"\xE0\x9F\x80", "\uFFFD\uFFFD\uFFFD"},
		{"\xE0\xA0\xC3\xA9", "\uFFFDé"},
		{"\xF8\x88\x80\x80\x80", "\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD"},
		{"a\x80\x80b", "a\uFFFD\uFFFDb"},
		{"word\xC5", "word\uFFFD"},
		{"don'\xC5t", "don'\uFFFDt"},
		{" \xE4\xB8\xADx\xE4\xB8", " 中x\uFFFD"},
		{"\uFFFD\xFF", "\uFFFD\uFFFD"},
	} {
		if got := string(appendValid(nil, []byte(c.text))); got != c.want {
			t.Errorf("%q is read as %+q, want %+q", c.text, got, c.want)
		}
		for _, e := range Encodings() {
			if got, want := e.encode(nil, []byte(c.text)), e.encode(nil, []byte(c.want)); !slices.Equal(got, want) {
				t.Errorf("%s: %q encodes to %v, want that of %+q: %v", e, c.text, got, c.want, want)
			}
			if got, want := e.CountString(c.text), e.CountString(c.want); got != want {
				t.Errorf("%s: %q counts %d, want %d", e, c.text, got, want)
			}
		}
	}
}

// Valid UTF-8 must be read as the standard library reads it.
func FuzzDecodeRune(f *testing.F) {
	for _, s := range slices.Concat(alphabet, invalid) {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, p []byte) {
		valid := appendValid(nil, p)
		if !utf8.Valid(valid) {
			t.Errorf("%q is read as %q, which is not valid", p, valid)
		}
		if utf8.Valid(p) && !bytes.Equal(p, valid) {
			t.Errorf("%q is valid but read as %q", p, valid)
		}
		got, want := strings.ReplaceAll(string(valid), "\uFFFD", ""),
			strings.ReplaceAll(strings.ToValidUTF8(string(p), ""), "\uFFFD", "")
		if got != want {
			t.Errorf("%q keeps %q, want %q", p, got, want)
		}
	})
}

func TestEmptyTextHasNoTokens(t *testing.T) {
	for _, e := range Encodings() {
		if e.Count(nil) != 0 || e.CountString("") != 0 || len(e.encode(nil, nil)) != 0 {
			t.Errorf("%s: the empty text has tokens", e)
		}
	}
}

func TestParseEncodingKnowsTheBundledOnesOnly(t *testing.T) {
	for _, e := range Encodings() {
		if got, err := ParseEncoding(e.String()); got != e || err != nil {
			t.Errorf("%s: %v, %v", e, got, err)
		}
	}
	for _, name := range []string{"", "O200K_BASE", "gpt-4o", strings.Repeat("x", 1000)} {
		_, err := ParseEncoding(name)
		if !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), "o200k_base or cl100k_base") ||
			len(err.Error()) > 1200 {
			t.Errorf("%.20q: error %v", name, err)
		}
	}
}

func TestCountsAreTheSameFromManyGoroutines(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	want := map[string]int{}
	for range 200 {
		text := randomText(rng, 40, alphabet)
		want[text] = len(naives()[O200kBase].encode(text))
	}
	var workers sync.WaitGroup
	for range 8 {
		workers.Go(func() {
			for text, n := range maps.All(want) {
				if got := O200kBase.CountString(text); got != n {
					t.Errorf("%+q counts %d, want %d", text, got, n)
				}
			}
		})
	}
	workers.Wait()
}

func TestCountDoesNotAllocateOnceWarm(t *testing.T) {
	text := []byte(strings.Repeat("func (w *worker) count(text []byte) int { // don't 中文 \xFF\n\t\treturn 12345\n}\n",
		50) + strings.Repeat("=", 2000))
	for _, e := range Encodings() {
		t.Run(e.String(), func(t *testing.T) {
			w := e.tokenizer().worker() // the pool itself may be emptied at any time
			w.count(text)
			if n := testing.AllocsPerRun(20, func() { w.count(text) }); n > 0 {
				t.Errorf("%v allocations", n)
			}
		})
	}
}

func ExampleEncoding_Count() {
	fmt.Println(O200kBase.Count([]byte("don't panic")), CL100kBase.CountString("don't panic"))
	// Output: 2 3
}

// A rest changes no count, also of those who count while it begins.
func TestCountsOutlastARestInGoroutinesThatCount(t *testing.T) {
	text := []byte(strings.Repeat("a rest, and on: ", 50))
	want := O200kBase.Count(text)
	var counting sync.WaitGroup
	for range 4 {
		counting.Go(func() {
			for range 20 {
				if got := O200kBase.Count(text); got != want {
					t.Errorf("%d tokens, want %d", got, want)
				}
			}
		})
	}
	for range 5 {
		Rest()
	}
	counting.Wait()
	Rest()
	if O200kBase.tables.built.Load() != nil {
		t.Error("the tables are kept")
	}
	if got := O200kBase.Count(text); got != want {
		t.Errorf("%d tokens after a rest, want %d", got, want)
	}
}
