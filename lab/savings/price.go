package main

import "ctxledger.dev/tokens"

// priced is the model at whose prices tokens are charged.
const priced = "claude-sonnet-4-5"

// What reading back takes, as in hookreplay: the call, and what it brings.
const (
	readCall = 80
	readMost = 2_000
)

// rates are dollars for a token of o200k_base.
type rates struct{ input, read, write float64 }

func ratesOf(model string) rates {
	m, _ := tokens.Builtin().Lookup(model)
	const million = 1_000_000
	per := func(u tokens.Used) float64 {
		return m.Rates(tokens.Terms{}).Cost(u).Dollars / million * float64(tokens.Builtin().For(model).Of(million).N) / million
	}
	return rates{per(tokens.Used{Input: million}), per(tokens.Used{CacheRead: million}), per(tokens.Used{CacheWrite: million})}
}

// dollars charges a session: of each request what the one before had is read from the provider's cache, and the rest is
// written into it. Requests beside the conversation are not cached.
func (r run) dollars(x rates) (sum float64) {
	before := 0
	for _, s := range r.steps {
		n := s.sum()
		cached := min(before, n)
		sum += float64(cached)*x.read + float64(n-cached)*x.write
		before = n
	}
	for _, a := range r.asides {
		sum += float64(a.sum()) * x.input
	}
	return sum
}

// readBack returns what it takes to read back at some steps: a request more each, and what it brings in all later ones, in
// tokens and in dollars.
func (r run) readBack(steps []int, x rates) (tokens int, dollars float64) {
	carried := 0
	for _, at := range steps {
		n := r.steps[at].sum() + carried
		later := len(r.steps) - 1 - at
		tokens += n + later*(readCall+readMost)
		dollars += float64(n)*x.read + (readCall+readMost)*(x.write+float64(later-1)*x.read)
		carried += readCall + readMost
	}
	return tokens, dollars
}
