package tokens

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"ctxledger.dev/internal/fault"
)

// simulated draws the features of a text as tool results have them.
func simulated(rng *rand.Rand) Features {
	n := int(100 * math.Exp(4*rng.Float64())) // 100 to 5,500
	of := func(low, high float64) int { return int(float64(n) * (low + (high-low)*rng.Float64())) }
	return Features{n, of(.3, .6), of(1.2, 3), of(.2, .9), of(0, .5), of(0, .1), of(.3, .7), of(.02, .4),
		1 + rng.IntN(3)}
}

// hidden is a tokenizer with unknown rules.
var hidden = vector{0.9, 0.1, 0.12, 0.3, 0.2, 0.5, 0.15, 0.8, 12}

// TestEstimatorFindsAHiddenTokenizer: after 50 measurements the median error is at most 3%, and the bound
// covers what it promises, whatever disturbs them. It covers more while the errors of the beginning fade.
func TestEstimatorFindsAHiddenTokenizer(t *testing.T) {
	for _, c := range []struct {
		name             string
		noise            float64 // standard deviation, as a share
		outliers         float64 // share of measurements that are off by a factor
		drift            float64 // of the tokenizer over all measurements
		lowest, greatest float64 // covered, in percent
	}{
		{"exact", 0, 0, 0, 93, 100},
		{"noise", 0.02, 0, 0, 93, 99},
		{"noise and outliers", 0.02, 0.03, 0, 93, 98},
		{"noise and drift", 0.02, 0, 0.12, 93, 99},
	} {
		t.Run(c.name, func(t *testing.T) {
			var errors []float64
			covered, asked := 0, 0
			for seed := range uint64(20) {
				rng := rand.New(rand.NewPCG(seed, 5))
				e := NewEstimator("claude-opus-4-1")
				const rounds = 400
				for i := range rounds {
					f := simulated(rng)
					x := f.vector()
					truth := hidden.of(&x) * (1 + c.drift*float64(i)/rounds)
					measured := truth * (1 + c.noise*rng.NormFloat64())
					if rng.Float64() < c.outliers {
						measured *= 1 + 3*rng.Float64()
					}
					if i >= 50 {
						got := e.Estimate(f)
						errors = append(errors, math.Abs(float64(got.N)-truth)/truth)
						asked++
						if measured <= float64(got.Upper) {
							covered++
						}
					}
					e.Learn(f, int64(measured))
				}
			}
			slices.Sort(errors)
			if median := errors[len(errors)/2]; median > 0.03 {
				t.Errorf("median error %.1f%%", 100*median)
			}
			if share := 100 * float64(covered) / float64(asked); share < c.lowest || share > c.greatest {
				t.Errorf("the bound covers %.1f%%", share)
			}
		})
	}
}

// TestEstimatorLearnsAnotherTokenizer: cl100k_base plays a closed one, of which only the sums of
// some texts are seen; the family's prior is more than half too high. What is estimated was never seen.
func TestEstimatorLearnsAnotherTokenizer(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 7))
	source := goSource(t)
	text := func() string {
		size := 500 + rng.IntN(6000)
		at := rng.IntN(len(source) - size)
		return string(source[at : at+size])
	}
	e := NewEstimator("claude-opus-4-7")
	for range 50 {
		s := text()
		e.Learn(FeaturesOf(s), int64(CL100kBase.CountString(s)))
	}
	var errors []float64
	covered := 0
	for range 200 {
		s := text()
		got, want := e.Estimate(FeaturesOf(s)), CL100kBase.CountString(s)
		errors = append(errors, math.Abs(float64(got.N-want))/float64(want))
		if want <= got.Upper {
			covered++
		}
	}
	slices.Sort(errors)
	if errors[100] > 0.03 || covered < 186 {
		t.Errorf("median error %.1f%%, %d of 200 covered", 100*errors[100], covered)
	}
}

func TestEstimatorPassesOverWhatCannotBe(t *testing.T) {
	e := NewEstimator("claude-opus-4-7")
	usual := Features{1000, 450, 2200, 500, 150, 20, 500, 180, 1}
	for name, c := range map[string]struct {
		f      Features
		tokens int64
	}{
		"fewer":            {usual, -1},
		"hardly any":       {usual, 249},
		"far too many":     {usual, 9001},
		"too small":        {Features{19, 19}, 19},
		"negative":         {Features{1000, -1}, 1000},
		"too large":        {Features{maxFeature + 1}, maxFeature},
		"more than tokens": {Features{1000, 0, 128_001}, 1000},
	} {
		if e.Learn(c.f, c.tokens) {
			t.Errorf("learnt from %s", name)
		}
	}
	if e.Learned() != 0 || *e != *NewEstimator("claude-opus-4-7") {
		t.Error("has changed")
	}
	if !e.Learn(usual, 1500) {
		t.Error("did not learn from a usual text")
	}
}

// TestWhateverIsLearntCanBeReadAgain: no measurement, however strange, leads to a state that is none.
func TestWhateverIsLearntCanBeReadAgain(t *testing.T) {
	rng := rand.New(rand.NewPCG(14, 15))
	for range 200 {
		e := NewEstimator("claude-opus-4-7")
		for range 100 {
			n := 1 << rng.IntN(33)
			f := Features{n}
			for i := 1; i < len(f); i++ {
				f[i] = min(n<<rng.IntN(8), maxFeature) * rng.IntN(2)
			}
			e.Learn(f, int64(n)<<rng.IntN(6)/4)
			if !e.sound() {
				t.Fatalf("after %v", f)
			}
		}
	}
	// A stored state that reads well, and whose next one would not.
	e := NewEstimator("claude-opus-4-7")
	e.weights, e.info[FeatureWords][FeatureWords], e.errors[errorBins-1] = vector{}, maxState, 100
	before := *e
	if !e.sound() || e.Learn(Features{maxFeature / 128, maxFeature}, maxFeature/512) || *e != before {
		t.Error("has changed into what cannot be read")
	}
	// Nor does a sound one count beyond whole numbers.
	e.learned, e.mix = 1, vector{minimum, maxState, maxState}
	e.weights = vector{maxWeight, maxWeight, maxWeight}
	if c := Builtin().For("claude-opus-4-7").With(e).Of(math.MaxInt); !e.sound() || c.N <= 0 || c.Upper < c.N {
		t.Errorf("%+v", c)
	}
}

func TestEstimatesAddUpAndNeverFall(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 9))
	e := NewEstimator("gemini-3-pro")
	for range 200 {
		f := simulated(rng)
		e.Learn(f, int64(f[rng.IntN(2)])) // nonsense
	}
	for range 200 {
		f, g := simulated(rng), simulated(rng)
		a, b, both := e.Estimate(f), e.Estimate(g), e.Estimate(f.Plus(g))
		if d := both.N - a.N - b.N; d < -1 || d > 1 || both.N < a.N || both.Upper < a.Upper || both.Upper < both.N {
			t.Fatalf("%v and %v together are %v", a, b, both)
		}
	}
}

func TestEstimatorGoesOnFromItsEncoding(t *testing.T) {
	rng := rand.New(rand.NewPCG(10, 11))
	e := NewEstimator("anthropic/claude-opus-4-7[1m]")
	for i := range 300 {
		f := simulated(rng)
		x := f.vector()
		raw, err := e.AppendBinary(nil)
		if err != nil || len(raw) >= 1024 {
			t.Fatalf("%d bytes: %v", len(raw), err)
		}
		again, err := ParseEstimator("claude-opus-4-7", raw)
		if err != nil {
			t.Fatal(err)
		}
		if *again != *e {
			t.Fatalf("another estimator after %d measurements", i)
		}
		e = again
		e.Learn(f, int64(hidden.of(&x)*(1+0.1*rng.NormFloat64())))
	}
	for at := 9; at < estimatorSize-4*errorBins; at += 8 {
		for name, v := range map[string]float64{
			"NaN": math.NaN(), "infinite": math.Inf(1), "negative": -1, "huge": 1e300,
		} {
			raw, _ := e.AppendBinary(nil)
			binary.LittleEndian.PutUint64(raw[at:], math.Float64bits(v))
			if _, err := ParseEstimator("m", raw); !fault.Is(err, fault.Corrupt) {
				t.Fatalf("%s at byte %d: %v", name, at, err)
			}
		}
	}
	raw, _ := e.AppendBinary(nil)
	if _, err := ParseEstimator("m", raw[:len(raw)-1]); !fault.Is(err, fault.Corrupt) {
		t.Errorf("cut off: %v", err)
	}
	raw[0]++
	if _, err := ParseEstimator("m", raw); !fault.Is(err, fault.Unavailable) {
		t.Errorf("of a newer version: %v", err)
	}
}

// FuzzParseEstimator: bytes are an error, or a state that gives finite, growing counts, learns, and is
// encoded as it was read.
func FuzzParseEstimator(f *testing.F) {
	rng := rand.New(rand.NewPCG(12, 13))
	e := NewEstimator("claude-opus-4-7")
	for range 20 {
		s := simulated(rng)
		e.Learn(s, int64(2*s[FeatureTokens]))
	}
	raw, _ := e.AppendBinary(nil)
	f.Add(raw)
	for i := range raw {
		f.Add(append(slices.Clone(raw[:i]), append([]byte{^raw[i]}, raw[i+1:]...)...))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		e, err := ParseEstimator("m", raw)
		if err != nil {
			return
		}
		again, _ := e.AppendBinary(nil)
		if !bytes.Equal(again, raw) {
			t.Fatal("encoded otherwise")
		}
		text := Features{1000, 450, 2200, 500, 150, 20, 500, 180, 1}
		for range 3 {
			small, large := e.Estimate(text), e.Estimate(text.Plus(text))
			if small.N < 0 || small.Upper < small.N || large.N < small.N || large.N > 1<<40 || large.Upper > 1<<50 {
				t.Fatalf("%+v, twice that %+v", small, large)
			}
			e.Learn(text, 1700)
		}
	})
}

func TestCounterWithAnEstimator(t *testing.T) {
	e := NewEstimator("claude-opus-4-7")
	c := Builtin().For("claude-opus-4-7")
	if c.With(e) != c || c.Quality() != "prior" || Builtin().For("gpt-4o").With(e).Quality() != "exact" {
		t.Error("an estimator that has learnt nothing changes counts")
	}
	text := "func main() { println(\"hello\") }\n"
	for range 100 {
		text += "x := compute(1234, \"some words\")\n"
	}
	f := FeaturesOf(text)
	for range 60 {
		e.Learn(f, int64(2*f[FeatureTokens]))
	}
	c = c.With(e)
	if c.Quality() != "calibrated(60)" {
		t.Error(c.Quality())
	}
	want := 2 * f[FeatureTokens]
	for name, got := range map[string]Count{
		"of the text": c.Count(text), "of its o200k_base count": c.Of(f[FeatureTokens]),
	} {
		if got.Exact || math.Abs(float64(got.N-want)) > 0.02*float64(want) || got.Upper < got.N ||
			got.String()[:3] != "≈" {
			t.Errorf("%s: %+v, want about %d", name, got, want)
		}
	}
	if got := c.Of(-5); got != (Count{}) {
		t.Errorf("of a negative count: %+v", got)
	}
}
