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
	texts := map[string][]byte{"source": goSource(tb)[:size], "prose": prose(tb)[:size]}
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
