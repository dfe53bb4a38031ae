package tokens

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
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

func TestForKnowsTheTokenizerOfAModel(t *testing.T) {
	for _, c := range []struct {
		family family
		models string
	}{
		{openAI, "gpt-4o gpt-4o-mini gpt-4o-2024-08-06 chatgpt-4o-latest gpt-4.1 gpt-4.1-mini gpt-4.5-preview gpt-5 gpt-5-codex gpt-5.1 gpt-5.1-codex-max"},
		{openAI, "o1 o1-mini o3 o3-pro o4-mini gpt-oss-120b gpt-oss:20b openai/gpt-4o ft:gpt-4o:acme::x GPT-4O"},
		{openAIOld, "gpt-4 gpt-4-0613 gpt-4-32k gpt-4-turbo gpt-4-1106-preview gpt-3.5-turbo gpt-3.5-turbo-16k gpt-35-turbo"},
		{claudeOld, "claude-3-opus-20240229 claude-3-5-sonnet-latest claude-3.5-sonnet claude-sonnet-4-20250514 claude-sonnet-4-5 claude-sonnet-4-5-20250929"},
		{claudeOld, "claude-opus-4-1 claude-opus-4-20250514 claude-opus-4-6 claude-opus-4.6 claude-haiku-4-5 claude-2.1 claude-sonnet-4-5[1m]"},
		{claudeOld, "anthropic/claude-sonnet-4.5 us.anthropic.claude-3-5-sonnet-20241022-v2:0 claude-3-5-sonnet@20240620"},
		{claude, "claude-opus-4-7 claude-opus-4.7 claude-opus-4-8-20260101 claude-sonnet-5 claude-opus-5 claude-fable-5 anthropic.claude-opus-5-v1:0"},
		{gemini, "gemini-1.5-pro gemini-2.0-flash gemini-2.5-pro models/gemini-2.5-flash gemini-3-pro google/gemini-2.5-pro"},
		{unknown, "gpt-4oo gpt-6 gpt-4.7 gpt gpt-50 o35 o2 llama-3 claude x anthropic. / 中"},
	} {
		for name := range strings.FieldsSeq(c.models) {
			if got := For(name).family; got != c.family {
				t.Errorf("%s is of family %d, want %d", name, got, c.family)
			}
		}
	}
	for _, name := range []string{"", "   "} {
		if got := For(name).family; got != unknown {
			t.Errorf("%q is of family %d", name, got)
		}
	}
}

func TestWindowOfCommonModels(t *testing.T) {
	for name, want := range map[string]int{
		"claude-sonnet-4-5-20250929": 200_000,
		"claude-sonnet-4-5[1m]":      1_000_000,
		"claude-opus-5":              200_000,
		"gpt-4o-mini":                128_000,
		"gpt-4.1-nano":               1_047_576,
		"gpt-5-codex":                400_000,
		"gpt-5.1":                    400_000,
		"o3":                         200_000,
		"o4-mini":                    200_000,
		"gemini-1.5-flash":           1_048_576,
		"gemini-2.5-pro":             1_048_576,
		"gpt-4-turbo-2024-04-09":     128_000,
		"gpt-4":                      8_192,
		"gpt-4-0613":                 8_192,
		"gpt-3.5-turbo":              16_385,
		"gemini-9":                   0,
		"unknown-model":              0,
		"unknown[1m]":                0,
		"":                           0,
	} {
		if got, known := Window(name); got != want || known != (want > 0) {
			t.Errorf("%q has a window of %d, %v, want %d", name, got, known, want)
		}
	}
}

func TestModelsAreSortedByPrefix(t *testing.T) {
	if !slices.IsSortedFunc(models, func(a, b model) int { return cmp.Compare(a.prefix, b.prefix) }) {
		t.Error("the table of models is not sorted")
	}
	for i, m := range models {
		if m.prefix == "" || m.family == unknown || i > 0 && m.prefix == models[i-1].prefix {
			t.Errorf("bad entry %+v", m)
		}
		if got := lookup(m.prefix); got != m {
			t.Errorf("%s is looked up as %+v", m.prefix, got)
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
		{"claude-3-opus", O200kBase, Count{5, false, 7}, Count{1180, false, 1534}},
		{"claude-opus-5", O200kBase, Count{6, false, 8}, Count{1530, false, 1989}},
		{"gemini-2.5-pro", O200kBase, Count{5, false, 7}, Count{1200, false, 1560}},
		{"", O200kBase, Count{4, false, 7}, Count{1000, false, 1530}},
	} {
		counter := For(c.model)
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

func TestUpperIsNeverBelowTheCount(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	for range 2000 {
		name := models[rng.IntN(len(models))].prefix
		c := For(name).Of(rng.IntN(2_000_000))
		if c.Upper < c.N || c.Exact && c.Upper != c.N {
			t.Errorf("%s: %+v", name, c)
		}
	}
}

func FuzzForTakesAnyName(f *testing.F) {
	f.Add("anthropic/claude-opus-4.7[1m]")
	f.Add("ft:")
	f.Fuzz(func(t *testing.T, name string) {
		c := For(name)
		n, known := Window(name)
		if c.Model() != name || known != (n > 0) {
			t.Errorf("%q: model %q, window %d, %v", name, c.Model(), n, known)
		}
	})
}

func ExampleFor() {
	fmt.Println(For("gpt-4o").Count("don't panic"))
	fmt.Println(For("claude-sonnet-4-5").Of(12_345))
	// Output:
	// 2
	// ≈14,567
}
