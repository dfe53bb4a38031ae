package replay

import (
	"cmp"
	"context"
	"math"
	"slices"

	"ctxledger.dev/tokens"
)

// usualWindow is the window in which agents run models that could have a larger one, as long as their
// requests stay within it, in tokens.
const usualWindow = 200_000

// scale is how the tokens of the session's messages, by o200k_base, relate to what its provider counted.
type scale struct {
	name     string // of the newest model
	models   *tokens.Registry
	factor   float64 // the provider's tokens for one of ours
	overhead float64 // of every request that no message shows: system prompt, tools, what a host adds
	window   int
	recorded int64 // tokens of input of all requests
}

// of returns the provider's tokens of a request with so many o200k_base tokens of messages.
func (sc scale) of(n int) int64 { return int64(math.Round(sc.overhead + sc.factor*float64(n))) }

// limit is how many o200k_base tokens of messages a request may have.
func (sc scale) limit() int {
	left := max(float64(sc.window)*fullAt-sc.overhead, float64(sc.window)/4)
	return int(left / sc.factor)
}

// scale fits a line through what the provider counted of the recorded requests. Its slope comes from growth
// and its height is a median, so that what a resumed session carries along unseen does not bend it.
func (t *track) scale(models *tokens.Registry) scale {
	sc := scale{name: t.steps[len(t.steps)-1].model}
	sc.models = models
	sc.window, _ = models.Window(sc.name)
	sizes := make([]float64, len(t.steps))
	measured := make([]float64, len(t.steps))
	peak := 0.0
	for i, st := range t.steps {
		v, _ := recorded{t}.view(context.Background(), &st) // cannot fail
		n := st.usage.Input + st.usage.CacheRead + st.usage.CacheWrite
		sizes[i], measured[i] = float64(v.size()), float64(n)
		sc.recorded += n
		peak = max(peak, measured[i])
	}
	const sample = 1_000_000
	sc.factor = float64(models.For(sc.name).Of(sample).N) / sample
	if f, ok := slope(sizes, measured); ok {
		sc.factor = f
	}
	var rest []float64
	for i := range sizes {
		if measured[i] > 0 {
			rest = append(rest, measured[i]-sc.factor*sizes[i])
		}
	}
	sc.overhead = max(0, median(rest))
	if sc.window = cmp.Or(sc.window, usualWindow); peak <= usualWindow {
		sc.window = min(sc.window, usualWindow)
	}
	return sc
}

// slope returns by how much measured grows with size, in the mean of steps some way apart between which the
// view only grew, each weighted by its growth.
func slope(sizes, measured []float64) (float64, bool) {
	const (
		apart       = 8     // steps
		grown       = 1_000 // tokens: less is noise
		least, most = 0.5, 3
		enough      = 5
	)
	n, by, more := 0, 0.0, 0.0
	for i := apart; i < len(sizes); i++ {
		size, counted := sizes[i]-sizes[i-apart], measured[i]-measured[i-apart]
		if size < grown || measured[i-apart] == 0 || counted < least*size || counted > most*size {
			continue // also where a host changed what it adds
		}
		n++
		by += size
		more += counted
	}
	return more / max(by, 1), n >= enough
}

func median(all []float64) float64 {
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	return all[len(all)/2]
}
