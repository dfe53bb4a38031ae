package tokens

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"testing/iotest"

	"ctxledger.dev/internal/fault"
)

// streams are texts of more than a chunk, with and without places where they may be cut.
func streams() map[string]string {
	fill := func(unit string) string { return strings.Repeat(unit, chunkLen/len(unit)+500) }
	return map[string]string{
		"empty":            "",
		"short":            "it's a small text",
		"words":            fill("the quick brown fox don't jump; "),
		"source":           fill("\tif err := f(x, 'y'); err != nil {\n\t\treturn 0x1F\n\t}\n\n"),
		"Chinese":          fill("买家和卖家，都在这里。"),
		"Chinese in a row": fill("买家和卖家"),
		"marks":            fill("e\u0301t\u0301 a\u0301, "),
		"emoji":            fill("ab👩‍👩‍👧 cd🙂ef "),
		"apostrophes":      fill("x'll '"),
		"one letter":       fill("a"),
		"digits":           fill("0123456789"),
		"spaces":           fill(" ") + "x",
		"lines":            fill("\n"),
		"invalid":          fill("a\xffb \xe4\xb8 c\xf0\x9f\x98d "),
		"invalid at first": "\xff " + fill("valid words "),
		"cut runes":        fill("\xe4\xb8"),
	}
}

func TestAReaderCountsAsTheWholeTextDoes(t *testing.T) {
	for name, text := range streams() {
		for _, e := range Encodings() {
			for shift := range 2 { // so that chunks end at other bytes
				part := []byte(strings.Repeat(".", shift) + text)
				got, err := e.CountReader(bytes.NewReader(part))
				want := Reading{N: e.Count(part), Bytes: int64(len(part)),
					Invalid: strings.HasPrefix(name, "invalid") || name == "cut runes"}
				if err != nil || got != want {
					t.Errorf("%s of %s: %+v, %v, want %+v", name, e, got, err, want)
				}
			}
		}
	}
}

// Random texts of what cuts go wrong at, in readers that yield as little as they like.
func TestAReaderCountsRandomTextsExactly(t *testing.T) {
	alphabet := []string{"a", "B", "'", "'s", "'ll", "ſ", " ", "  ", "\n", "\r\n", "\t", "/", "//", "-", "1", "234",
		"é", "中", "文", "，",
		"\u00a0", "\u0085", "\u2028", "\ufeff", "\u0301", "\u01c5", "\u0661",
		"😀", "\u200d", "\x00", "\xff", "\xe4\xb8", "\u16a0", "\u094d"}
	random := rand.New(rand.NewPCG(4, 5))
	for range 10 {
		var b strings.Builder
		for b.Len() < chunkLen+random.IntN(chunkLen) {
			b.WriteString(alphabet[random.IntN(len(alphabet))])
		}
		text := []byte(b.String())
		for _, e := range Encodings() {
			got, err := e.CountReader(iotest.HalfReader(bytes.NewReader(text)))
			if want := e.Count(text); err != nil || got.N != want || got.Bytes != int64(len(text)) {
				t.Fatalf("%s: %+v, %v, want %d tokens of %d bytes", e, got, err, want, len(text))
			}
		}
	}
}

func TestAReaderRefusesWhatCannotBeCut(t *testing.T) {
	text := io.MultiReader(strings.NewReader("before "), io.LimitReader(letters{}, 2*maxUncut))
	got, err := O200kBase.CountReader(text)
	if !fault.Is(err, fault.TooLarge) || got.Bytes > chunkLen {
		t.Errorf("%+v, %v, want too_large", got, err)
	}
	w := O200kBase.tokenizer().worker()
	if len(w.chunk) > chunkLen {
		t.Errorf("a chunk of %d bytes is kept", len(w.chunk))
	}
}

func TestAReaderHandsOnErrors(t *testing.T) {
	broken := errors.New("broken")
	got, err := O200kBase.CountReader(io.MultiReader(strings.NewReader("two words"), iotest.ErrReader(broken)))
	if !errors.Is(err, broken) || got.Bytes != 9 {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestAReaderHoldsAChunkAtATime(t *testing.T) {
	text := strings.Repeat("some words of a long text; ", 1<<20/27)
	long := func() io.Reader {
		var parts []io.Reader
		for range 8 {
			parts = append(parts, strings.NewReader(text))
		}
		return io.MultiReader(parts...)
	}
	// One processor and no collection: the pool keeps its worker, and finds it again.
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	if _, err := O200kBase.CountReader(long()); err != nil { // warm
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := O200kBase.CountReader(long()); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	// a chunk, if the pool gave the worker that had none yet
	if got := after.TotalAlloc - before.TotalAlloc; got > 4<<20 {
		t.Errorf("%d bytes allocated for a text of %d", got, 8*len(text))
	}
}

// letters is one word without end.
type letters struct{}

func (letters) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'a' + byte(i%7)
	}
	return len(p), nil
}
