package tokens

import (
	"slices"
	"strconv"
	"strings"

	"ctxledger.dev/internal/fault"
)

// Price is what a provider asks for a million tokens, in US dollars. A rate that is not known is
// not zero: see Rate.
type Price struct {
	Input       Rate // of a request, outside any cache
	CachedRead  Rate // of a request, read from the provider's prompt cache
	CachedWrite Rate // of a request, written to that cache for the shortest time that is offered
	Output      Rate // of an answer, reasoning included
}

// LongWrite is how much more than uncached input a write to the cache costs that lasts an hour: Anthropic's rule for all
// of its models. CachedWrite is the price of the shortest write.
const LongWrite = 2

// Term is a condition under which a model costs more or less than its Price says, and by how many times.
type Term struct {
	Name          string // as in Terms.Named, or regional; "": Over is the condition
	Over          int64  // tokens of input, one of those of Terms.Over
	Input, Output Rate   // factors of what is read or written to a cache, and of what is answered
}

// regional is the term of models that a cloud is asked for in one region: its names of them say so.
const regional = "regional"

// Terms are the conditions of a request that its price depends on besides the model. The zero value is the usual ones.
type Terms struct {
	// Over is the largest size at which some model becomes dearer that the input of the request passes; 0: none.
	Over int64 `json:"over,omitempty"`
	// Named are the others, by the words of the provider and in their order, with a space between: "batch us".
	Named string `json:"named,omitempty"`
}

// thresholds are the sizes of input, in tokens, above which one model or another becomes dearer.
func thresholds() []int64 { return []int64{272_000, 200_000, 128_000, 100_000} }

// TermsOf returns the terms of a request with so much input, and with what its provider says of it: speed, tier, region.
// Words that say that something is as usual are left out.
func TermsOf(input int64, words ...string) Terms {
	var t Terms
	if i := slices.IndexFunc(thresholds(), func(n int64) bool { return input > n }); i >= 0 {
		t.Over = thresholds()[i]
	}
	var named []string
	for _, w := range words {
		switch w = strings.ToLower(w); {
		case w == "", w == "standard", w == "default", w == "auto", w == "global", w == "not_available":
		case isWord(w):
			named = append(named, w)
		default:
			named = append(named, "other")
		}
	}
	slices.Sort(named)
	t.Named = strings.Join(slices.Compact(named), " ")
	return t
}

// isWord reports whether a text can be the name of a term.
func isWord(s string) bool {
	const most = 32 // bytes
	return s != "" && len(s) <= most && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789_-") == ""
}

// Used are the tokens and searches of requests by what is paid for them. The kinds of input do not overlap.
type Used struct {
	Input          int64 `json:"input"`            // outside the cache
	CacheRead      int64 `json:"cache_read"`       // read from the prompt cache
	CacheWrite     int64 `json:"cache_write"`      // written to it for the shortest time offered
	CacheWriteLong int64 `json:"cache_write_long"` // written to it for longer
	Output         int64 `json:"output"`           // the answer, reasoning included
	// Searches are those of the web that the provider made. They are no tokens.
	Searches int64 `json:"web_searches,omitempty"`
}

// In returns the size of the request.
func (u Used) In() int64 { return u.Input + u.Written() + u.CacheRead }

// Written returns what was written to the cache, for however long.
func (u Used) Written() int64 { return u.CacheWrite + u.CacheWriteLong }

// Plus returns the sum of both.
func (u Used) Plus(v Used) Used {
	return Used{
		u.Input + v.Input, u.CacheRead + v.CacheRead, u.CacheWrite + v.CacheWrite,
		u.CacheWriteLong + v.CacheWriteLong, u.Output + v.Output, u.Searches + v.Searches,
	}
}

// Minus returns the difference, which may be negative.
func (u Used) Minus(v Used) Used {
	return Used{
		u.Input - v.Input, u.CacheRead - v.CacheRead, u.CacheWrite - v.CacheWrite,
		u.CacheWriteLong - v.CacheWriteLong, u.Output - v.Output, u.Searches - v.Searches,
	}
}

// Rates are what one token of a request costs, in dollars. What is not known is 0.
type Rates struct {
	Input, CachedRead, CachedWrite, LongWrite, Output float64

	Search float64 // of one search of the web
	// Known reports whether the rates of input and output are both known: if not, all rates of tokens are 0. A cache
	// without a price costs as much as other input.
	Known bool
	// Gaps are the terms that the model has no price for: the rates are those without them.
	Gaps []string
}

// Rates returns what a model costs under terms.
func (m Model) Rates(t Terms) Rates {
	const million, thousand = 1_000_000, 1000
	per := func(rate Rate, otherwise float64) float64 {
		if !rate.known() {
			return otherwise
		}
		return rate.factor() / million
	}
	r := Rates{Search: m.Search.factor() / thousand, Known: m.Price.Input.known() && m.Price.Output.known()}
	if r.Known {
		r.Input, r.Output = per(m.Price.Input, 0), per(m.Price.Output, 0)
		r.CachedRead, r.CachedWrite = per(m.Price.CachedRead, r.Input), per(m.Price.CachedWrite, r.Input)
		r.LongWrite = LongWrite * r.Input
	}
	wanted := strings.Fields(t.Named)
	for _, x := range m.Terms {
		i := slices.Index(wanted, x.Name)
		if i >= 0 {
			wanted = slices.Delete(wanted, i, i+1)
		} else if x.Over == 0 || t.Over < x.Over {
			continue
		}
		for _, rate := range []*float64{&r.Input, &r.CachedRead, &r.CachedWrite, &r.LongWrite} {
			*rate *= x.Input.factor()
		}
		r.Output *= x.Output.factor()
	}
	r.Gaps = slices.DeleteFunc(wanted, func(w string) bool { return w == regional })
	return r
}

// Rates returns what a model costs under terms, by its name: that of a region of a cloud is one of the terms.
func (r *Registry) Rates(name string, t Terms) Rates {
	m, _ := r.Lookup(name)
	name = strings.ToLower(name)
	name = name[strings.LastIndexByte(name, '/')+1:]
	if strings.Contains(name, "anthropic.") && !strings.HasPrefix(name, "global.") {
		t.Named = strings.TrimSpace(t.Named + " " + regional)
	}
	return m.Rates(t)
}

// Cost is what a request comes to at list prices, and what of it has no price.
type Cost struct {
	Dollars float64 // of what has a price
	Fees    float64 // of Dollars, what is not paid for tokens: searches

	Unpriced int64 // tokens
	Searches int64 // without a price
}

// Cost returns what a request costs that used so much. Sessions, audits and replays all have it from here.
func (r Rates) Cost(u Used) Cost {
	c := Cost{Fees: float64(u.Searches) * r.Search}
	c.Dollars = c.Fees + (float64(u.Input)*r.Input + float64(u.CacheRead)*r.CachedRead +
		float64(u.CacheWrite)*r.CachedWrite + float64(u.CacheWriteLong)*r.LongWrite + float64(u.Output)*r.Output)
	if !r.Known {
		c.Unpriced = u.In() + u.Output
	}
	if r.Search == 0 {
		c.Searches = u.Searches
	}
	return c
}

// Rate is an amount of US dollars, exact to a millionth, or nothing: the zero Rate is one that is
// not known.
type Rate struct {
	plusOne int64 // millionths of a dollar and one more; 0: not known
}

const (
	rateDecimals = 6
	rateUnit     = 1_000_000 // of a dollar
	maxDollars   = 1_000_000 // beyond every price; keeps arithmetic far from overflow
)

// ParseRate reads a decimal number of dollars without a sign, exponent or separators: "0.075".
// Errors: invalid for any other text, more than six decimals, or more than a million dollars.
func ParseRate(text string) (Rate, error) {
	whole, decimals, point := strings.Cut(text, ".")
	dollars, err := strconv.ParseUint(whole, 10, 32)
	padded := decimals + strings.Repeat("0", max(0, rateDecimals-len(decimals)))
	micros, err2 := strconv.ParseUint(padded, 10, 32)
	if err != nil || err2 != nil || point && decimals == "" || len(decimals) > rateDecimals ||
		dollars*rateUnit+micros > maxDollars*rateUnit {
		return Rate{}, fault.New(fault.Invalid, "tokens.rate",
			"%.1000q is not a price: write dollars per million tokens, such as 0.25, with at most %d decimals and at most %d", text, rateDecimals, maxDollars)
	}
	return Rate{int64(dollars)*rateUnit + int64(micros) + 1}, nil
}

// known reports whether the rate is known.
func (r Rate) known() bool { return r.plusOne > 0 }

// micros returns the rate in millionths of a dollar, 0 when it is not known.
func (r Rate) micros() int64 { return max(r.plusOne-1, 0) }

// factor returns the rate as a number.
func (r Rate) factor() float64 { return float64(r.micros()) / rateUnit }

// PerMillion returns the dollars for a million tokens, and whether they are known.
func (r Rate) PerMillion() (dollars float64, known bool) { return r.factor(), r.known() }

// String returns the rate as ParseRate reads it, without trailing zeros, or "" when it is not known.
func (r Rate) String() string {
	if !r.known() {
		return ""
	}
	text := strconv.FormatInt(r.micros()/rateUnit, 10)
	decimals := strconv.FormatInt(r.micros()%rateUnit+rateUnit, 10)[1:]
	if decimals = strings.TrimRight(decimals, "0"); decimals != "" {
		text += "." + decimals
	}
	return text
}

// UnmarshalText reads a rate from the text of a number, for documents that hold one. Errors: those
// of ParseRate.
func (r *Rate) UnmarshalText(text []byte) (err error) {
	*r, err = ParseRate(string(text))
	return err
}
