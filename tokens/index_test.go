package tokens

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"unsafe"
)

// byteTokens has a token for each byte and no others, so that an invalid byte has three tokens:
// more than a leaf can hold.
var byteTokens = &Encoding{name: "bytes", tables: &tables{build: func() *tokenizer {
	v := newVocabulary(0)
	for b := range v.bytes {
		v.bytes[b] = uint32(b)
	}
	t := O200kBase.tokenizer()
	return &tokenizer{scan: t.scan, starts: t.starts, vocabulary: v}
}}}

// indexed are the encodings that an Index is tested with.
func indexed() []*Encoding { return append(Encodings(), byteTokens) }

// checkIndex checks that x is what an index of text must be.
func checkIndex(t *testing.T, x *Index, text []byte) {
	t.Helper()
	var joined []byte
	tokens := 0
	for i, l := range x.leaves() {
		if l.at != len(joined) || l.before != tokens || len(l.text) == 0 {
			t.Fatalf("leaf %d of %d bytes is said to come after %d bytes and %d tokens, not %d and %d", i, len(l.text),
				l.at, l.before, len(joined), tokens)
		}
		if i > 0 && !safe(text, l.at) {
			t.Fatalf("leaf %d starts at %d, which is not a safe point", i, l.at)
		}
		if l.ends != nil && l.ends.count(0, len(l.text)) != l.tokens {
			t.Fatalf("leaf %d knows the ends of %d tokens and says it has %d", i,
				l.ends.count(0, len(l.text)), l.tokens)
		}
		joined = append(joined, l.text...)
		tokens += l.tokens
	}
	if !bytes.Equal(joined, text) || x.Len() != len(text) {
		t.Fatalf("the index is of %+.200q, want %+.200q", joined, text)
	}
	if want := countAlone(x.encoding, text); x.tokens != want || tokens != want {
		t.Fatalf("%s: %d tokens in the leaves, %d in all, counted anew %d, of %+.200q", x.encoding, tokens,
			x.tokens, want, text)
	}
}

// checkRanges compares random ranges with a full count of their bytes.
func checkRanges(t *testing.T, rng *rand.Rand, x *Index, text []byte, n int) {
	t.Helper()
	for i := range n {
		from := rng.IntN(len(text) + 1)
		to := from + rng.IntN(len(text)-from+1)
		if i%2 == 0 { // short ones, between few safe points
			to = min(len(text), from+rng.IntN(40))
		}
		checkRange(t, x, text, from, to)
	}
}

func checkRange(t *testing.T, x *Index, text []byte, from, to int) {
	t.Helper()
	got := x.Count(from, to)
	from, to = charStart(text, from), charStart(text, to)
	if want := countAlone(x.encoding, text[from:to]); got != want {
		t.Fatalf("%s: from %d to %d of %d: %d tokens, counted anew %d: %+.300q", x.encoding, from, to, len(text), got,
			want, text[from:to])
	}
}

// indexTexts returns texts of about size bytes of every kind, by name.
func indexTexts(size int) map[string]string {
	rng := rand.New(rand.NewPCG(45, 46))
	texts := longTexts(size)
	prose := strings.Fields("the quick brown fox don't jump, over  it's HTTPServer's lazyDog's \n\n \t func(x) { return 12345 } 中文，汉字。 Ünïcödé e\u0301 \r\n😀👍")
	texts["words"] = randomText(rng, size/5, prose, []string{" ", " ", "\n", "\r\n", "\t"})
	texts["valid"] = randomText(rng, size/3, alphabet)
	texts["camel"] = randomText(rng, size/5, []string{"Get", "HTTP", "x", "Index", "URL", "ID", "lower"})
	texts["han"] = randomText(rng, size/3, strings.Split("的一是不了人我在有他这中大来上国个到说们为子和你地出道也时年得就那要下以生会自着去之过家学对可她里后", ""))
	texts["emoji"] = randomText(rng, size/4, []string{"😀", "👍", "\u200D", "\uFE0F", "🏽", "🎉"})
	texts["slashes"] = randomText(rng, size/2, []string{"}", "\n", "\r\n", "/", "//", "x", " "})
	texts["composing"] = randomText(rng, size/4, composing, composing, alphabet)
	texts["runs"] = randomText(rng, size/40,
		[]string{strings.Repeat("a", 300), strings.Repeat("=", 90), strings.Repeat(" ", 70), "\n", "x", ", "})
	return texts
}

func TestInvariant6RangeCountsEqualTheCountOfTheText(t *testing.T) {
	for _, size := range []int{1, 60, 1_000, 6_000} {
		for name, text := range indexTexts(size + 3) {
			for _, e := range indexed() {
				t.Run(name+sizeName(size)+e.String(), func(t *testing.T) {
					rng := rand.New(rand.NewPCG(41, uint64(size)))
					x := e.Index([]byte(text))
					checkIndex(t, x, []byte(text))
					checkRanges(t, rng, x, []byte(text), 30)
				})
			}
		}
	}
}

// edit is a random edit of text, at a place of interest or anywhere.
type edit struct {
	from, to int
	with     string
}

func randomEdit(rng *rand.Rand, x *Index, all []string) edit {
	var e edit
	switch n := x.Len(); rng.IntN(10) {
	case 0: // at the border of a leaf
		if n > 0 {
			e.from = max(0, min(n, x.byByte(rng.IntN(n)).at+rng.IntN(5)-2))
		}
	case 1:
		e.from = n
	case 2:
		e.from = 0
	default:
		e.from = rng.IntN(n + 1)
	}
	switch rng.IntN(8) {
	case 0, 1, 2:
		e.to = e.from
	case 3:
		e.to = e.from + rng.IntN(x.Len()-e.from+1)
	default:
		e.to = min(x.Len(), e.from+rng.IntN(12))
	}
	switch rng.IntN(12) {
	case 0: // nothing
	case 1:
		e.with = all[rng.IntN(len(all))]
		e.with = e.with[:min(len(e.with), rng.IntN(9_000))]
	default:
		e.with = randomText(rng, rng.IntN(4), alphabet, alphabet, invalid)
	}
	return e
}

func (e edit) apply(text []byte) []byte {
	return slices.Concat(text[:e.from], []byte(e.with), text[e.to:])
}

func TestInvariant6CountsStayExactThroughEdits(t *testing.T) {
	texts := indexTexts(6_000)
	var all []string
	for _, text := range texts {
		all = append(all, text)
	}
	slices.Sort(all)
	for name, start := range texts {
		for _, e := range indexed() {
			t.Run(name+e.String(), func(t *testing.T) {
				rng := rand.New(rand.NewPCG(43, 44))
				text := []byte(start)
				x := e.Index(text)
				for range 12 {
					change := randomEdit(rng, x, all)
					before, n := x, x.Count(0, x.Len())
					x, text = x.Replace(change.from, change.to, []byte(change.with)), change.apply(text)
					checkIndex(t, x, text)
					checkRanges(t, rng, x, text, 4)
					if before.Count(0, before.Len()) != n {
						t.Fatal("the edit changed the index that it was made on")
					}
					if len(text) > 20_000 {
						x, text = x.Replace(0, 15_000, nil), text[15_000:]
					}
				}
			})
		}
	}
}

// The script of an edit is six bytes: where from and how many bytes go, each in 65,536ths of the
// text, and which part of the alphabet comes in.
func FuzzInvariant6CountsStayExactThroughEdits(f *testing.F) {
	for _, text := range indexTexts(300) {
		f.Add(text, []byte("\x00\x00\x00\x00\x00\x01\x80\x00\x01\x00\x30\x03\xFF\xFF\x00\x00\x20\x02"))
	}
	f.Add(strings.Repeat("a", 2_000), []byte("\x80\x00\x00\x00\x01\x01"))
	f.Add(strings.Repeat("word ", 1_000), []byte("\x40\x00\x80\x00\x01\x00\x40\x00\x00\x00\x10\x04"))
	f.Fuzz(func(t *testing.T, start string, script []byte) {
		if len(start) > 16<<10 || len(script) > 60 {
			return // it would find no more, but take longer
		}
		for _, e := range indexed() {
			rng := rand.New(rand.NewPCG(47, 48))
			text := []byte(start)
			x := e.Index(text)
			for step := script; len(step) >= 6; step = step[6:] {
				n := len(text)
				from := (n*int(step[0])<<8 + n*int(step[1])) >> 16
				to := min(n, from+(n*int(step[2])<<8+n*int(step[3]))>>16)
				with := strings.Join(alphabet[int(step[4])%len(alphabet):][:min(int(step[5])%4,
					len(alphabet)-int(step[4])%len(alphabet))], "")
				change := edit{from, to, with}
				x, text = x.Replace(from, to, []byte(with)), change.apply(text)
				checkIndex(t, x, text)
			}
			checkRanges(t, rng, x, text, 10)
			if len(text) <= 2<<10 {
				checkFit(t, x, text, rng.IntN(len(text)+1), rng.IntN(x.tokens+2))
			}
		}
	})
}

func TestPositionsBeyondTheTextAndInsideCharacters(t *testing.T) {
	x := O200kBase.Index([]byte("one 中 two"))
	all := x.Count(0, x.Len())
	for _, c := range []struct{ from, to, want int }{
		{0, 11, all}, {-9, 99, all}, {math.MinInt, math.MaxInt, all},
		{0, 0, 0}, {5, 4, 0}, {11, 11, 0}, {99, 100, 0}, {0, -1, 0},
		{0, 3, 1}, {0, 5, O200kBase.CountString("one ")}, {5, 11, O200kBase.CountString("中 two")},
		{5, 6, 0}, {7, 11, 1},
	} {
		if got := x.Count(c.from, c.to); got != c.want {
			t.Errorf("from %d to %d: %d tokens, want %d", c.from, c.to, got, c.want)
		}
	}
	for _, c := range []struct {
		from, to   int
		with, want string
	}{
		{-5, 0, ">", ">one 中 two"}, {99, 120, "!", "one 中 two!"}, {7, 3, "", "one 中 two"}, {7, 3, "+", "one 中+ two"},
		{math.MinInt, math.MaxInt, "x", "x"}, {0, 11, "", ""}, {5, 6, "", "one \xE4\xAD two"},
	} {
		checkIndex(t, x.Replace(c.from, c.to, []byte(c.with)), []byte(c.want))
	}
}

func TestEditsAtTheBordersOfLeaves(t *testing.T) {
	rng := rand.New(rand.NewPCG(49, 50))
	text := []byte(randomText(rng, 900, []string{"word", "don't", "中文", "，", "12", "!", "}\n/", "x"},
		[]string{" ", "\n", "\t", "\r\n"}))
	for _, e := range Encodings() {
		x := e.Index(text)
		for _, l := range x.leaves()[1:] {
			for at := l.at - 4; at <= l.at+4; at++ {
				for _, with := range []string{"", "x", "'", "\u0301", "\n", " ", "7", "/"} {
					for removed := range 3 {
						change := edit{at, at + removed, with}
						checkIndex(t, x.Replace(change.from, change.to, []byte(with)), change.apply(text))
					}
				}
			}
		}
	}
}

// The Arabic comma ends a word; with another last byte it becomes a letter of the word.
func TestEditsInsideCharactersMoveSafePoints(t *testing.T) {
	before, after := "مرحب\u060C", "مرحبا"
	if O200kBase.CountString("مرحب")+O200kBase.CountString("ا") == O200kBase.CountString(after) {
		t.Fatal("the last letter is a token of its own: take another word")
	}
	x := O200kBase.Index([]byte("one " + before + " two"))
	at := len("one ") + len(before) - 1
	checkIndex(t, x.Replace(at, at+1, []byte(after[len(after)-1:])), []byte("one "+after+" two"))
}

func TestIndexOfTheEmptyText(t *testing.T) {
	x := O200kBase.Index(nil)
	checkIndex(t, x, nil)
	if n := x.Count(0, 10); n != 0 {
		t.Errorf("%d tokens in nothing", n)
	}
	checkIndex(t, x.Replace(0, 0, nil), nil)
	checkIndex(t, x.Replace(3, 9, []byte("some text")), []byte("some text"))
	checkIndex(t, x.Replace(0, 0, []byte("some text")).Replace(0, 9, nil), nil)
}

// What Replace was given may be used again.
func TestReplaceCopiesWhatItIsGiven(t *testing.T) {
	for _, start := range []string{"", "some text"} {
		with := []byte("more ")
		x := O200kBase.Index([]byte(start)).Replace(0, 0, with)
		copy(with, "-----")
		checkIndex(t, x, []byte("more "+start))
	}
}

func TestParallelBuildGivesTheSameIndex(t *testing.T) {
	for name, text := range indexTexts(10_000) {
		for _, e := range indexed() {
			for workers := 1; workers <= 7; workers += 3 {
				x := &Index{e, newList(e.build([]byte(text), workers))}
				checkIndex(t, x, []byte(text))
				if n := len(e.build([]byte(text[:7]), workers)); n == 0 || n > 7 {
					t.Errorf("%s: %d leaves of 7 bytes by %d goroutines", name, n, workers)
				}
			}
		}
	}
}

// An index is small: most of it is one bit for each byte.
func TestIndexTakesAQuarterOfAByteForEachByte(t *testing.T) {
	text := []byte(strings.Repeat("if err := run(ctx, name); err != nil { // the caller says which\n", 4_000))
	x := O200kBase.Index(text)
	size := x.checkItem(t, x.depth) * int(unsafe.Sizeof(item{})+unsafe.Sizeof(node{}))
	for _, l := range x.leaves() {
		size += int(unsafe.Sizeof(item{})+unsafe.Sizeof(leaf{})) + 8*cap(l.ends) + 16*cap(l.long)
	}
	if share := float64(size) / float64(len(text)); share > 0.25 {
		t.Errorf("%.3f bytes for each byte of the text", share)
	} else {
		t.Logf("%.3f bytes for each byte of the text", share)
	}
}

func TestSnapshotsAreReadWhileTheNextOnesAreMade(t *testing.T) {
	text := []byte(strings.Repeat("func (w *worker) count(text []byte) int { return 12345 }\n", 200))
	x := CL100kBase.Index(text)
	want := x.Count(100, 9_000)
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			for i := range 200 {
				edited := x.Replace(i, i+3, []byte("new"))
				if x.Count(100, 9_000) != want || edited.Len() != x.Len() {
					t.Error("an edit changed the index that it was made on")
				}
			}
		})
	}
	readers.Wait()
}

func ExampleEncoding_Index() {
	x := O200kBase.Index([]byte("All work and no play. "))
	edited := x.Replace(0, 3, []byte("Hard"))
	fmt.Println(x.Count(0, 8), edited.Count(0, 9), edited.Count(0, edited.Len()))
	// Output: 2 2 7
}
