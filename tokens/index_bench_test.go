package tokens

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// benchTexts returns texts of 1 MiB: Go source, prose, and what has no safe points.
func benchTexts(tb testing.TB) map[string][]byte {
	const size = 1 << 20
	texts := map[string][]byte{"source": goSource(tb)[:size], "prose": []byte(prose(size))}
	rng := rand.New(rand.NewPCG(51, 52))
	letters := []rune("的一是不了人我在有他这中大来上国个到说们为子和你地出道也时年得就那要下以生会自着去之过家学对可她里后")
	var han strings.Builder
	for han.Len() < size-3 {
		han.WriteRune(letters[rng.IntN(len(letters))])
	}
	base64 := make([]byte, size)
	for i := range base64 {
		base64[i] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"[rng.IntN(64)]
	}
	texts["han"], texts["base64"] = []byte(han.String()), base64
	texts["a"] = []byte(strings.Repeat("a", size))
	return texts
}

// prose returns about size bytes of sentences of English words.
func prose(size int) string {
	words := strings.Fields(`the of and to in a is that for it as was with be by on not he his but at are this have from or had an
		they which one you were all her she there would their we him been has when who will no more if out so up said what its about
		than into them can only other time new some could these two may first then do any like my now over such our man me even most
		made after also did many off before must well back through years where much your way down should because long each just state
		people those too mr how little good world make very year still see own work men day get here old between both life being under
		three never know same last another while us might great go come since against right came take used himself few house use place
		american during without again home around small however found mrs part thought went say general once high upon school every
		don't it's internationalization characteristically photosynthesis bureaucracy`)
	rng := rand.New(rand.NewPCG(53, 54))
	var b strings.Builder
	for b.Len() < size {
		for n := 4 + rng.IntN(20); n > 0; n-- {
			b.WriteString(words[rng.IntN(len(words))])
			if b.WriteByte(' '); rng.IntN(12) == 0 {
				b.WriteString("(" + strconv.Itoa(rng.IntN(3000)) + ") ")
			}
		}
		b.WriteString("end. The")
		if rng.IntN(6) == 0 {
			b.WriteString("\n\n")
		}
	}
	return b.String()[:size]
}

// percentiles runs what do does at random positions and reports the median and the 99th
// percentile of its times.
func percentiles(b *testing.B, x *Index, do func(rng *rand.Rand, from, to int)) {
	rng := rand.New(rand.NewPCG(55, 56))
	var took []time.Duration
	for b.Loop() {
		from, to := rng.IntN(x.Len()+1), rng.IntN(x.Len()+1)
		began := time.Now()
		do(rng, min(from, to), max(from, to))
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2]), "p50-ns")
	b.ReportMetric(float64(took[len(took)*99/100]), "p99-ns")
}

func BenchmarkIndex(b *testing.B) {
	for name, text := range benchTexts(b) {
		for _, e := range Encodings() {
			x := e.Index(text)
			line := []byte(strings.Repeat("a new line of 64 bytes, with words(and, calls) to count 123456.\n", 16))
			run := func(what string, do func(rng *rand.Rand, from, to int)) {
				b.Run(name+"/"+e.String()+"/"+what, func(b *testing.B) { percentiles(b, x, do) })
			}
			run("range", func(_ *rand.Rand, from, to int) { x.Count(from, to) })
			run("fit", func(rng *rand.Rand, from, to int) { x.Fit(from, rng.IntN(x.tokens)) })
			run("insert", func(_ *rand.Rand, from, to int) { x.Replace(from, from, line[:1]) })
			run("delete", func(_ *rand.Rand, from, to int) { x.Replace(from, from+40, nil) })
			run("paste", func(_ *rand.Rand, from, to int) { x.Replace(from, from, line) })
			run("recount", func(*rand.Rand, int, int) { e.Count(text) })
		}
	}
}

func BenchmarkIndexBuild(b *testing.B) {
	for name, text := range benchTexts(b) {
		for _, workers := range []int{1, 2} {
			b.Run(name+"/"+strconv.Itoa(workers), func(b *testing.B) {
				b.SetBytes(int64(len(text)))
				b.ReportAllocs()
				for b.Loop() {
					O200kBase.build(text, workers)
				}
			})
		}
	}
}
