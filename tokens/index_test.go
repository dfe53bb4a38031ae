package tokens

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// byteTokens has a token for each byte and no others, so that an invalid byte has three tokens:
// more than a leaf can hold.
var byteTokens = func() *Encoding {
	v := newVocabulary(0)
	for b := range v.bytes {
		v.bytes[b] = uint32(b)
	}
	v.pairBytes()
	t := *O200kBase.tokenizer()
	t.vocabulary = v
	return &Encoding{name: "bytes", tokenizer: func() *tokenizer { return &t }}
}()

// indexed are the encodings that an Index is tested with.
func indexed() []*Encoding { return append(Encodings(), byteTokens) }

// checkIndex checks that x is what an index of text must be.
func checkIndex(t *testing.T, x *Index, text []byte) {
	t.Helper()
	var joined []byte
	tokens := 0
	for i := range x.leaves {
		l := x.leaf(i)
		if l.at != len(joined) || l.before != tokens || len(l.text) == 0 {
			t.Fatalf("leaf %d of %d bytes is said to come after %d bytes and %d tokens, not %d and %d", i, len(l.text), l.at, l.before, len(joined), tokens)
		}
		if i > 0 && !safe(text, l.at) {
			t.Fatalf("leaf %d starts at %d, which is not a safe point", i, l.at)
		}
		if l.ends != nil && l.ends.count(0, len(l.text)) != l.tokens {
			t.Fatalf("leaf %d knows the ends of %d tokens and says it has %d", i, l.ends.count(0, len(l.text)), l.tokens)
		}
		joined = append(joined, l.text...)
		tokens += l.tokens
	}
	if !bytes.Equal(joined, text) || x.Len() != len(text) {
		t.Fatalf("the index is of %+.200q, want %+.200q", joined, text)
	}
	if want := x.encoding.Count(text); x.tokens != want || tokens != want {
		t.Fatalf("%s: %d tokens in the leaves, %d in all, counted anew %d, of %+.200q", x.encoding, tokens, x.tokens, want, text)
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
	if want := x.encoding.Count(text[from:to]); got != want {
		t.Fatalf("%s: from %d to %d of %d: %d tokens, counted anew %d: %+.300q", x.encoding, from, to, len(text), got, want, text[from:to])
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
	texts["runs"] = randomText(rng, size/40, []string{strings.Repeat("a", 300), strings.Repeat("=", 90), strings.Repeat(" ", 70), "\n", "x", ", "})
	return texts
}

func TestInvariant6RangeCountsEqualTheCountOfTheText(t *testing.T) {
	for _, size := range []int{1, 3, 60, 1_000, 20_000} {
		for name, text := range indexTexts(size + 3) {
			for _, e := range indexed() {
				t.Run(name+sizeName(size)+e.String(), func(t *testing.T) {
					rng := rand.New(rand.NewPCG(41, uint64(size)))
					x := e.Index([]byte(text))
					checkIndex(t, x, []byte(text))
					checkRanges(t, rng, x, []byte(text), 60)
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
		if x.leaves > 0 {
			e.from = max(0, min(n, x.leaf(rng.IntN(x.leaves)).at+rng.IntN(5)-2))
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
	texts := indexTexts(9_000)
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
				for range 60 {
					change := randomEdit(rng, x, all)
					before, n := x, x.Count(0, x.Len())
					x, text = x.Replace(change.from, change.to, []byte(change.with)), change.apply(text)
					checkIndex(t, x, text)
					checkRanges(t, rng, x, text, 8)
					if before.Count(0, before.Len()) != n {
						t.Fatal("the edit changed the index that it was made on")
					}
					if len(text) > 60_000 {
						x, text = x.Replace(0, 40_000, nil), text[40_000:]
					}
				}
			})
		}
	}
}
