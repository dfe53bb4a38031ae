package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"unicode/utf8"

	"ctxledger.dev/tokens"
)

const (
	// indexedSize is the length in bytes of the texts that are indexed.
	indexedSize = 1 << 20
	// indexedCalls is how often a range is counted, and an edit made, for each of the runs.
	indexedCalls = 4_000
	// passes is how often the same calls are made: see indexed.passes.
	passes = 3
	// strangeSize is the length in bytes of words that evict everything from a counter's cache.
	strangeSize = 6 << 20
	// slowCalls is the same for texts without safe points, and for recounts of a text.
	slowCalls = 10
)

// indexed is a text with its index.
type indexed struct {
	name  string
	text  []byte
	index *tokens.Index
	calls int
}

// measureIndex measures the calls of tokens.Index at random places of texts of a megabyte, compared with
// recounting the same bytes.
func measureIndex(ctx context.Context, b *bench) error {
	texts, err := b.corpora(ctx, indexedSize)
	if err != nil {
		return err
	}
	for _, c := range texts {
		text, err := os.ReadFile(c.path)
		if err != nil {
			return err
		}
		b.buildIndex(c.name, text)
		x := newIndexed(c.name, text, b.runs*indexedCalls)
		b.indexRow(x, "a range", x.count, x.recount)
		b.indexRow(x, "the longest part within a budget", x.fit, nil)
		b.indexRow(x, "a letter typed", x.insert("x"), x.countAll)
		b.indexRow(x, "a line of up to 80 bytes deleted", x.deleteLine, x.countAll)
		b.indexRow(x, "1 KB pasted", x.insert(string(text[:1<<10])), x.countAll)
	}
	for _, k := range kinds {
		if k.name == "base64" || k.name == "one letter" || k.name == "random ideographs" {
			x := newIndexed(k.name, k.text(indexedSize), b.runs*slowCalls)
			b.indexRow(x, "a range", x.count, x.recount)
			b.indexRow(x, "a letter typed", x.insert("x"), x.countAll)
		}
	}
	return nil
}

func newIndexed(name string, text []byte, calls int) *indexed {
	return &indexed{name, text, tokens.O200kBase.Index(text), calls}
}

// indexRow reports the time of do at random places, and of recount, which does the same without an index.
func (b *bench) indexRow(x *indexed, what string, do, recount func(from, to int)) {
	with, least := x.passes(do)
	without := times(nil)
	compared, faster := "", ""
	if recount != nil {
		without = x.times(recount, b.runs*slowCalls)
		compared = "recounting: " + micros(without.median())
		faster = fmt.Sprintf("%.0f × as fast", without.median().Seconds()/with.median().Seconds())
	}
	b.report.add(fmt.Sprintf("index of %d MB of %s: %s", len(x.text)>>20+1, x.name, what),
		fmt.Sprintf("%s, p99 %s, undisturbed %s", micros(with.median()), micros(with.at(0.99)), micros(least.at(0.99))), compared, faster, fmt.Sprint(len(with)))
}

// passes makes the same calls several times and returns the time of each, and the minimum for each place:
// its time without other processes and garbage collections.
// All passes start from the state of an index just built: strange words evict what the counter cached in
// the previous pass, and counting the text fills the cache again. So every pass sees a place for the first
// time.
func (x *indexed) passes(do func(from, to int)) (all, least times) {
	strange := strangeWords()
	for range passes {
		tokens.O200kBase.Count(strange)
		tokens.O200kBase.Count(x.text)
		took := x.times(do, x.calls)
		all = append(all, took...)
		if least == nil {
			least = took
		}
		for i := range took {
			least[i] = min(least[i], took[i])
		}
	}
	return all, least
}

// strangeWords returns random words of five letters.
func strangeWords() []byte {
	rng := rand.New(rand.NewPCG(3, 4))
	words := make([]byte, strangeSize)
	for i := range words {
		words[i] = byte('a' + rng.IntN(26))
		if i%6 == 0 {
			words[i] = ' '
		}
	}
	return words
}

// times calls a function at random places between characters, the same ones each time.
func (x *indexed) times(do func(from, to int), calls int) (took times) {
	rng := rand.New(rand.NewPCG(1, 2))
	place := func() int {
		i := rng.IntN(len(x.text))
		for !utf8.RuneStart(x.text[i]) {
			i--
		}
		return i
	}
	for range calls {
		from, to := place(), place()
		_ = took.clock(func() error { do(min(from, to), max(from, to)); return nil }) // never fails
	}
	return took
}

func (x *indexed) count(from, to int)   { x.index.Count(from, to) }
func (x *indexed) recount(from, to int) { tokens.O200kBase.Count(x.text[from:to]) }
func (x *indexed) countAll(int, int)    { tokens.O200kBase.Count(x.text) }
func (x *indexed) fit(from, to int)     { x.index.Fit(from, (to-from)/4) }

// insert returns a function that inserts a text.
func (x *indexed) insert(with string) func(from, to int) {
	return func(from, _ int) { x.index.Replace(from, from, []byte(with)) }
}

// deleteLine removes the rest of the line, at most 80 bytes.
func (x *indexed) deleteLine(from, _ int) {
	to := min(from+80, len(x.text))
	if n := slices.Index(x.text[from:to], '\n'); n >= 0 {
		to = from + n + 1
	}
	for to < len(x.text) && !utf8.RuneStart(x.text[to]) {
		to++
	}
	x.index.Replace(from, to, nil)
}

// buildIndex reports how fast a text is indexed by one goroutine and by all processors.
func (b *bench) buildIndex(name string, text []byte) {
	build := func() times {
		var took times
		for range b.runs * slowCalls {
			_ = took.clock(func() error { tokens.O200kBase.Index(text); return nil }) // never fails
		}
		return took
	}
	all := build()
	processors := runtime.GOMAXPROCS(1)
	one := build()
	runtime.GOMAXPROCS(processors)
	size := int64(len(text))
	b.report.add(fmt.Sprintf("indexing %d MB of %s with %d processors", size>>20+1, name, processors), rate(size, all.median()),
		"with one: "+rate(size, one.median()), ratio(one.median(), all.median()), fmt.Sprint(len(all)))
}
