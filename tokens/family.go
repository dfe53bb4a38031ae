package tokens

import (
	"slices"
	"strings"

	"ctxledger.dev/internal/fault"
)

// Family is a group of models that share a tokenizer. A model of a family is estimated, unless its
// encoding is known: from the beginning, or from a rank file of the user's (ParseRanks). The zero
// Family is that of models of which nothing is known.
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
}

// defaultUpper is the bound of an estimate that nothing has calibrated: 30 % above. Ratios to
// o200k_base spread that far over kinds of content.
const defaultUpper = 130

// priors holds published ratios: Claude as third parties report it, Gemini by the public Gemma
// tokenizer on source text, the others by their public tokenizers on source text.
var priors = [...]prior{
	// The bound of an unknown model covers the dearest family's estimate.
	unknownFamily: {"", 100, 153},
	Claude:        {"claude", 153, defaultUpper},
	Claude3:       {"claude3", 118, defaultUpper},
	Gemini:        {"gemini", 120, defaultUpper},
	Llama3:        {"llama3", 100, defaultUpper},
	Qwen2:         {"qwen2", 102, 140}, // numbers take a token a digit
	DeepSeek3:     {"deepseek3", 106, defaultUpper},
}

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
	return 0, fault.New(fault.Invalid, "tokens.family", "unknown family %.40q: use one of %s", name, strings.Join(known, ", "))
}
