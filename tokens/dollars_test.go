package tokens_test

import (
	"math"
	"slices"
	"testing"

	"ctxledger.dev/tokens"
)

const million = 1_000_000

// TestDollars: to add a case, add a row. Prices are dollars for a million tokens; "" is one that is not known.
func TestDollars(t *testing.T) {
	for _, c := range []struct {
		name                       string
		input, read, write, output string
		used                       tokens.Used
		want                       float64
		known                      bool
	}{
		{"nothing", "", "", "", "", tokens.Used{}, 0, true},
		{"all", "3", "0.3", "3.75", "15", tokens.Used{Input: million, CacheRead: million, CacheWrite: million,
			CacheWriteLong: million, Output: million}, 3 + 0.3 + 3.75 + 6 + 15, true},
		{"a cache without a price", "3", "", "", "15", tokens.Used{CacheRead: million, CacheWrite: million}, 6, true},
		{"an unknown price of what was used", "3", "", "", "", tokens.Used{Output: 1}, 0, false},
		{"half a price is none", "3", "", "", "", tokens.Used{Input: million}, 0, false},
		{"an unknown fee", "3", "", "", "15", tokens.Used{Searches: 1}, 0, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			var m tokens.Model
			for text, into := range map[*string]*tokens.Rate{
				&c.input: &m.Price.Input, &c.read: &m.Price.CachedRead, &c.write: &m.Price.CachedWrite,
				&c.output: &m.Price.Output,
			} {
				if *text == "" {
					continue
				}
				if err := into.UnmarshalText([]byte(*text)); err != nil {
					t.Fatal(err)
				}
			}
			got := m.Rates(tokens.Terms{}).Cost(c.used)
			known := got.Unpriced == 0 && got.Searches == 0
			if math.Abs(got.Dollars-c.want) > 1e-9 || known != c.known {
				t.Errorf("%+v, want %v, %v", got, c.want, c.known)
			}
		})
	}
}

// TestWhatAPriceDependsOn: a million tokens of input and of answers, by the table of the program.
func TestWhatAPriceDependsOn(t *testing.T) {
	for _, c := range []struct {
		name, model string
		input       int64
		words       []string
		in, out     float64 // dollars
		gaps        []string
	}{
		{"as usual", "claude-sonnet-4-5", 200_000, []string{"standard", "", "global", "not_available"}, 3, 15, nil},
		{"long", "claude-sonnet-4-5", 200_001, nil, 6, 22.5, nil},
		{"long, without a price for that", "claude-opus-5", 900_000, nil, 5, 25, nil},
		{"long for a small model", "claude-haiku-5-5", 100_001, nil, 0.5, 2.5, nil},
		{"longer than that", "claude-haiku-5-5", 300_000, nil, 0.5, 2.5, nil},
		{"long for OpenAI", "gpt-5.4", 272_001, nil, 5, 22.5, nil},
		{"not long for OpenAI", "gpt-5.4", 272_000, nil, 2.5, 15, nil},
		{"long for Google", "gemini-2.5-pro", 250_000, nil, 2.5, 15, nil},
		{"batch", "claude-sonnet-4-5", 1, []string{"batch"}, 1.5, 7.5, nil},
		{"fast", "claude-opus-4-6", 1, []string{"fast"}, 30, 150, nil},
		{"fast where that has no price", "claude-sonnet-4-5", 1, []string{"fast"}, 3, 15, []string{"fast"}},
		{"in the United States", "claude-opus-4-6", 1, []string{"us", "fast"}, 33, 165, nil},
		{"committed capacity", "claude-opus-4-6", 1, []string{"priority"}, 5, 25, []string{"priority"}},
		{"priority of OpenAI", "gpt-5.5", 1, []string{"priority"}, 12.5, 75, nil},
		{"flex", "gpt-5", 1, []string{"flex"}, 0.625, 5, nil},
		{"a region of a cloud", "us.anthropic.claude-sonnet-4-5-20250929-v1:0", 1, nil, 3.3, 16.5, nil},
		{"a region by its place", "arn:aws:bedrock:eu-west-1:1:inference-profile/eu.anthropic.claude-opus-4-6", 1, nil,
			5.5, 27.5, nil},
		{"a cloud as a whole", "global.anthropic.claude-sonnet-4-5-20250929-v1:0", 1, nil, 3, 15, nil},
		{"a region before that had a price", "us.anthropic.claude-sonnet-4-20250514-v1:0", 1, nil, 3, 15, nil},
		{"what is no word", "claude-opus-4-6", 1, []string{"\x1b[31m", "Moon Base"}, 5, 25, []string{"other"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := tokens.Builtin().Rates(c.model, tokens.TermsOf(c.input, c.words...))
			in, out := r.Cost(tokens.Used{Input: million}).Dollars, r.Cost(tokens.Used{Output: million}).Dollars
			if math.Abs(in-c.in) > 1e-9 || math.Abs(out-c.out) > 1e-9 || !r.Known || !slices.Equal(r.Gaps, c.gaps) {
				t.Errorf("$%v and $%v, gaps %q; want $%v and $%v, %q", in, out, r.Gaps, c.in, c.out, c.gaps)
			}
		})
	}
}

func TestASearchOfTheWebCostsACent(t *testing.T) {
	r := tokens.Builtin().Rates("claude-sonnet-4-5", tokens.TermsOf(1, "batch"))
	if c := r.Cost(tokens.Used{Searches: 7}); math.Abs(c.Fees-0.07) > 1e-9 || c.Dollars != c.Fees || c.Searches != 0 {
		t.Errorf("%+v", c)
	}
}
