package tokens

import (
	"slices"
	"strings"

	"ctxledger.dev/internal/fault"
)

// Family is a group of models that share a tokenizer. A model of a family is estimated, unless its
// encoding is one of those that come with the program. The zero Family is that of models of which nothing is known.
type Family uint8

// The families. Their names are what String returns.
const (
	unknownFamily Family = iota
	Claude               // Claude from Opus 4.7 on
	Claude3              // Claude before that
	Gemini               // Gemini
	Llama3               // Llama 3, 3.1, 3.2 and 3.3
	Qwen2                // Qwen 2, 2.5 and 3
	DeepSeek3            // DeepSeek V3 and R1
)

// prior is what is known of a family's tokenizer before anything was measured.
type prior struct {
	name  string
	share int // its tokens in percent of those of o200k_base
	upper int // the upper bound in percent of the estimate
	// weights are those of features where they are known: what an Estimator starts with.
	weights vector
}

// defaultUpper is the bound of an estimate that nothing has calibrated: 30% above. Ratios to
// o200k_base spread that far over kinds of content.
const defaultUpper = 130

// priors holds the ratios of Claude as measured in the sessions that docs/maintainers/benchmarks.md names for the
// choice of parameters, with weights for prose and code as tool results have them; that of Gemini by the
// public Gemma tokenizer on source text, the others by their public tokenizers on source text.
var priors = [...]prior{
	// The bound of an unknown model covers the most expensive family's estimate.
	unknownFamily: {share: 100, upper: 163},
	Claude: {name: "claude", share: 163, upper: defaultUpper, weights: vector{
		FeatureTokens: 1.05, FeatureLetters: 0.08, FeatureMarks: 0.28, FeatureDigits: 0.07, FeatureJoined: 0.22,
		FeatureCases: 0.97, FeatureBlocks: 6,
	}},
	Claude3: {name: "claude3", share: 116, upper: defaultUpper, weights: vector{
		FeatureTokens: 0.95, FeatureMarks: 0.44, FeatureCases: 0.28, FeatureBlocks: 20,
	}},
	Gemini:    {name: "gemini", share: 120, upper: defaultUpper},
	Llama3:    {name: "llama3", share: 100, upper: defaultUpper},
	Qwen2:     {name: "qwen2", share: 102, upper: 140}, // numbers take a token a digit
	DeepSeek3: {name: "deepseek3", share: 106, upper: defaultUpper},
}

// start returns the weights that an Estimator of the family starts with.
func (f Family) start() vector {
	p := priors[f]
	if p.weights == (vector{}) {
		p.weights[FeatureTokens] = float64(p.share) / 100
	}
	return p.weights
}

// Counter returns how texts are counted for a model of the family of which nothing else is known.
func (f Family) Counter() Counter { return Counter{family: f} }

// String returns the name of the family, "" for the zero Family.
func (f Family) String() string { return priors[f].name }

// ParseFamily returns the family of that exact name, or an error of code invalid that lists the
// known ones.
func ParseFamily(name string) (Family, error) {
	var known []string
	for i, p := range priors {
		if i == 0 {
			continue
		}
		if p.name == name {
			return Family(i), nil
		}
		known = append(known, p.name)
	}
	slices.Sort(known)
	return 0, fault.New(fault.Invalid, "tokens.family", "unknown family %.1000q: use one of %s", name,
		strings.Join(known, ", "))
}
