package main

import (
	"ctxledger.dev/tokens"
)

// bill adds up what a replay costs more or less than the recorded session.
type bill struct {
	extra, fresh float64 // tokens by which the context is larger, in the provider's cache and not yet in it
	dollars      float64 // more than recorded
	before       int64   // input of the request before
}

// rates are the prices of a token in dollars.
type rates struct{ input, read, write, long, output, factor float64 }

func ratesOf(model string) rates {
	m, _ := tokens.Builtin().Lookup(model)
	const million = 1_000_000
	per := func(u tokens.Used) float64 { return m.Rates(tokens.Terms{}).Cost(u).Dollars / million }
	return rates{per(tokens.Used{Input: million}), per(tokens.Used{CacheRead: million}),
		per(tokens.Used{CacheWrite: million}), per(tokens.Used{CacheWriteLong: million}), per(tokens.Used{Output: million}),
		float64(tokens.Builtin().For(model).Of(million).N) / million}
}

// recorded returns what a request cost as it was.
func recorded(r request) float64 {
	m, _ := tokens.Builtin().Lookup(r.model)
	return m.Rates(tokens.Terms{}).Cost(r.usage.Used()).Dollars
}

// add makes the context larger by o200k tokens from the next request on.
func (b *bill) add(n int, factor float64) { b.fresh += float64(n) * factor }

// writing returns what a token costs that is not in the provider's cache yet.
func (r request) writing(x rates) float64 {
	switch {
	case r.usage.CacheLong > 0:
		return x.long
	case r.usage.CacheWrite == 0 && r.usage.CacheRead == 0:
		return x.input
	default:
		return x.write
	}
}

// request charges what the context has more or less than recorded.
func (b *bill) request(r request, x rates) {
	write := r.writing(x)
	hit := r.usage.CacheRead*2 >= b.before && r.usage.CacheRead > 0
	if hit {
		b.dollars += b.extra*x.read + b.fresh*write
	} else {
		b.dollars += (b.extra + b.fresh) * write
	}
	b.extra, b.fresh, b.before = b.extra+b.fresh, 0, r.input()
}

// readBack charges one more request, whose answer is a call that brings n o200k tokens, which stay.
func (b *bill) readBack(r request, x rates, n int) float64 {
	cost := max(0, float64(r.input())+b.extra)*x.read + readCall*x.output
	b.dollars += cost
	b.add(n+readCall, x.factor)
	return cost
}

// compact empties the context.
func (b *bill) compact() { b.extra, b.fresh = 0, 0 }

// leading returns what tokens at the very beginning of a request cost, where the provider has them whenever it has anything
// of it: also those that another session of the same user has written.
func (r request) leading(n float64, x rates) float64 {
	if r.usage.CacheRead > 0 {
		return n * x.read
	}
	return n * r.writing(x)
}

// again has what the context has more written anew by the next request, whatever the provider still has: how much of a
// prefix survives a compaction is not recorded.
func (b *bill) again() { b.extra, b.fresh = 0, b.extra+b.fresh }
