package tokens

import (
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

// Used are tokens by what is paid for them.
type Used struct {
	Input, CachedRead, CachedWrite, LongWrite, Output int64
}

// Dollars returns what tokens cost, and whether the prices of all of them are known. A provider without a price for its
// cache asks as much as for other input.
func (p Price) Dollars(u Used) (sum float64, known bool) {
	read, write := p.CachedRead, p.CachedWrite
	if !read.known() {
		read = p.Input
	}
	if !write.known() {
		write = p.Input
	}
	known = true
	for _, part := range []struct {
		n    int64
		rate Rate
	}{
		{u.Input + LongWrite*u.LongWrite, p.Input}, {u.CachedRead, read}, {u.CachedWrite, write}, {u.Output, p.Output},
	} {
		dollars, priced := part.rate.Dollars(part.n)
		known = known && (priced || part.n == 0)
		sum += dollars
	}
	return sum, known
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
			"%.1000q is not a price: write dollars for a million tokens as 0.25, with at most %d decimals and at most %d", text, rateDecimals, maxDollars)
	}
	return Rate{int64(dollars)*rateUnit + int64(micros) + 1}, nil
}

// known reports whether the rate is known.
func (r Rate) known() bool { return r.plusOne > 0 }

// micros returns the rate in millionths of a dollar, 0 when it is not known.
func (r Rate) micros() int64 { return max(r.plusOne-1, 0) }

// Dollars returns what n tokens cost at the rate, and whether that is known.
func (r Rate) Dollars(n int64) (dollars float64, known bool) {
	return float64(n) * float64(r.micros()) / (rateUnit * rateUnit), r.known()
}

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
