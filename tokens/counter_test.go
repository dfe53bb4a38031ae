package tokens

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestCountPrintsThousandsAndWhetherItIsExact(t *testing.T) {
	for _, c := range []struct {
		count Count
		want  string
	}{
		{Count{N: 0, Exact: true}, "0"},
		{Count{N: 999, Exact: true}, "999"},
		{Count{N: 1000, Exact: true}, "1,000"},
		{Count{N: 12345, Upper: 16049}, "≈12,345"},
		{Count{N: 123456, Exact: true}, "123,456"},
		{Count{N: 1234567}, "≈1,234,567"},
		{Count{N: -1234, Exact: true}, "-1,234"},
		{Count{N: -123}, "≈-123"},
	} {
		if got := c.count.String(); got != c.want {
			t.Errorf("%+v prints %q, want %q", c.count, got, c.want)
		}
	}
}

func TestCountAsJSON(t *testing.T) {
	got, err := json.Marshal(Count{N: 10, Upper: 13})
	if want := `{"n":10,"exact":false,"upper":13}`; err != nil || string(got) != want {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
}

// TestAScaleCountsAsItsCounter: what crosses between processes gives the same figures.
func TestAScaleCountsAsItsCounter(t *testing.T) {
	taught := NewEstimator("claude-opus-4-7")
	for n := 500; n < 2_000; n += 50 {
		taught.Learn(Features{n, n / 2, 2 * n, n / 2, n / 9, 3, n / 2, n / 5, 1}, int64(7*n/3))
	}
	for _, c := range []Counter{Builtin().For("gpt-4o"), Builtin().For("gpt-4"), Builtin().For("claude-opus-5"),
		Builtin().For("no such model"), Builtin().For("claude-opus-4-7").With(taught)} {
		s := ScaleOf(c.Of(Scaled))
		for n := -1; n < 10_000_000; n = 1 + 2*n + n/7 {
			if got, want := s.Of(n), c.Of(n); got.N != want.N || got.Exact != want.Exact || got.Upper < got.N {
				t.Errorf("%s, %s: %d are %v, not %v", c.Model(), c.Quality(), n, got, want)
			}
			if n < 0 {
				n = 0
			}
		}
	}
}

func TestOnlyTheModelsOwnEncodingIsExact(t *testing.T) {
	const text = "iPhone12345" // 4 tokens in o200k_base, 3 in cl100k_base
	for _, c := range []struct {
		model    string
		encoding *Encoding
		count    Count // of the text
		of       Count // of 1,000 tokens of o200k_base
	}{
		{"gpt-4o", O200kBase, Count{4, true, 4}, Count{1000, true, 1000}},
		{"gpt-4", CL100kBase, Count{3, true, 3}, Count{1000, false, 1300}},
		{"claude-3-opus", O200kBase, Count{5, false, 7}, Count{1160, false, 1508}},
		{"claude-opus-5", O200kBase, Count{7, false, 10}, Count{1630, false, 2119}},
		{"gemini-2.5-pro", O200kBase, Count{5, false, 7}, Count{1200, false, 1560}},
		{"", O200kBase, Count{4, false, 7}, Count{1000, false, 1630}},
	} {
		counter := Builtin().For(c.model)
		if got := counter.Model(); got != c.model {
			t.Errorf("%s: model %q", c.model, got)
		}
		if got := counter.Encoding(); got != c.encoding {
			t.Errorf("%s: encoding %s, want %s", c.model, got, c.encoding)
		}
		if got := counter.Count(text); got != c.count {
			t.Errorf("%s: count %+v, want %+v", c.model, got, c.count)
		}
		if got := counter.Of(1000); got != c.of {
			t.Errorf("%s: of 1,000 %+v, want %+v", c.model, got, c.of)
		}
		if got := counter.Of(-5); got.N != 0 || got.Upper != 0 {
			t.Errorf("%s: of a negative number %+v", c.model, got)
		}
	}
	if got := (Counter{}).Count(text); got.Exact || got.N != 4 {
		t.Errorf("the zero Counter counts %+v", got)
	}
}

// TestTheTwoPriorsOfAFamilyAgree: with a text's features and without them, at first.
func TestTheTwoPriorsOfAFamilyAgree(t *testing.T) {
	text := usual
	text[FeatureBlocks] = 0
	for f, p := range priors {
		w := Family(f).start()
		if share := 100 * w.of(&text) / text[FeatureTokens]; math.Abs(share-float64(p.share)) > 0.06*float64(p.share) {
			t.Errorf("%s: %.0f%% by features, %d%% by tokens", p.name, share, p.share)
		}
	}
}

// TestACounterReadsAsItCounts: what a reader yields is counted as the text is, by its own features where an
// estimator has learnt.
func TestACounterReadsAsItCounts(t *testing.T) {
	learnt := NewEstimator("claude-opus-4-7")
	rng := rand.New(rand.NewPCG(16, 17))
	for range 60 {
		f := simulated(rng)
		x := f.vector()
		learnt.Learn(f, int64(hidden.of(&x)))
	}
	for name, text := range streams() {
		for _, c := range []Counter{
			Builtin().For("gpt-4o"), Builtin().For("gpt-4"), Builtin().For("claude-opus-4-7"),
			Builtin().For("claude-opus-4-7").With(learnt), {},
		} {
			got, found, err := c.CountReader(strings.NewReader(text))
			if want := c.Count(text); err != nil || got != want || found.Bytes != int64(len(text)) {
				t.Errorf("%s, %s of %q: %+v, want %+v: %v", name, c.Quality(), c.Model(), got, want, err)
			}
		}
	}
}

func TestUpperIsNeverBelowTheCount(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	models := Builtin().models
	for range 2000 {
		name := models[rng.IntN(len(models))].Name
		c := Builtin().For(name).Of(rng.IntN(2_000_000))
		if c.Upper < c.N || c.Exact && c.Upper != c.N {
			t.Errorf("%s: %+v", name, c)
		}
	}
}

func FuzzForTakesAnyName(f *testing.F) {
	f.Add("anthropic/claude-opus-4.7[1m]")
	f.Add("ft:")
	f.Fuzz(func(t *testing.T, name string) {
		c := Builtin().For(name)
		n, known := Builtin().Window(name)
		if c.Model() != name || known != (n > 0) {
			t.Errorf("%q: model %q, window %d, %v", name, c.Model(), n, known)
		}
	})
}

func ExampleRegistry_For() {
	fmt.Println(Builtin().For("gpt-4o").Count("don't panic"))
	fmt.Println(Builtin().For("claude-sonnet-4-5").Of(12_345))
	// Output:
	// 2
	// ≈14,320
}
