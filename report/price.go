package report

import "ctxledger.dev/tokens"

// rates are the prices of one model in dollars for one token.
type rates struct {
	input, read, write, long, output float64

	scale float64 // of the model's tokens, how many an estimated token represents
	known bool    // of all that a usage with these parts needs
}

// ratesOf returns the rates of a model; unknown ones are 0, and known says whether input and output are not.
func ratesOf(models *tokens.Registry, name string) rates {
	m, _ := models.Lookup(name)
	per := func(r tokens.Rate) (float64, bool) {
		const million = 1_000_000
		d, known := r.Dollars(million)
		return d / million, known
	}
	var r rates
	var in, out, cached bool
	r.input, in = per(m.Price.Input)
	r.output, out = per(m.Price.Output)
	if r.read, cached = per(m.Price.CachedRead); !cached {
		r.read = r.input // a provider without a price for it does not discount it
	}
	if r.write, cached = per(m.Price.CachedWrite); !cached {
		r.write = r.input
	}
	const sample = 10_000
	r.scale = float64(models.For(name).Of(sample).N) / sample
	r.long = tokens.LongWrite * r.input
	r.known = in && out
	return r
}

// of returns what a request cost, in dollars.
func (r rates) of(u Usage) float64 {
	return float64(u.Input)*r.input + float64(u.CacheRead)*r.read + float64(u.CacheWrite)*r.write +
		float64(u.CacheWriteLong)*r.long + float64(u.Output)*r.output
}
