package tokens

import (
	"math"
	"strings"
)

// Estimator learns how many tokens a model without a public tokenizer makes of a text, from what its
// provider measured. Without a measurement it is what is known of the model's family. Make one with
// NewEstimator. It is not safe for concurrent use while it learns.
//
// The estimate is a sum of features with weights of at least 0 and no constant part: that of a whole
// is that of its parts, and more text is never estimated at less. The weights minimise the squared
// relative errors of the measurements, old ones and surprising ones counting less, and the distance
// to the family's weights: recursive least squares with forgetting, a ridge and Huber's weights.
//
// All arithmetic is float64, rounded after every operation, so that the same measurements in the same
// order give the same state on every machine; what leaves is a whole number.
type Estimator struct {
	model   string
	learned int64 // measurements
	fit
	errors errorTable // how far estimates were off, each before its measurement was learnt
}

// What a measurement is worth. The values were chosen on one part of the repositories with sessions
// that docs/maintainers/benchmarks.md names, and tried on the others.
const (
	floor   = 100.0 // tokens added to a size before an error is related to it: small texts err by tokens, not by shares
	huber   = 2.0   // from how many times the median error on a measurement loses weight
	minimum = 20    // o200k_base tokens below which a measurement says nothing
)

// NewEstimator returns the estimator of a model that nothing was measured of. Names are read as by Registry.Lookup.
func NewEstimator(model string) *Estimator {
	e := &Estimator{model: strings.TrimSuffix(bareName(model), longContext)}
	m, _ := Builtin().Lookup(model)
	e.prior = m.Family.start()
	e.weights = e.prior
	return e
}

// Suppose says of which family the model is, for one that a user describes: Learn stays near to that
// family's weights. It is not part of the state.
func (e *Estimator) Suppose(f Family) {
	e.prior = f.start()
	if e.learned == 0 {
		e.weights = e.prior
	}
}

// Model returns the name of the model without what routers and agents add to it. Measurements of all
// spellings belong to it.
func (e *Estimator) Model() string { return e.model }

// Learned returns the number of measurements that were learnt from.
func (e *Estimator) Learned() int64 { return e.learned }

// Learn takes in that a text with these features made so many tokens. It reports whether that was
// believable: if not, nothing has changed.
func (e *Estimator) Learn(f Features, tokens int64) bool {
	n := int64(f[FeatureTokens])
	if !f.valid() || !f.believable() || n < minimum || tokens < n/4 || tokens > 8*n+1000 {
		return false
	}
	x := f.vector()
	guess := e.weights.of(&x)
	size := guess + floor
	off := (float64(tokens) - guess) / size
	worth := 1 / float64(size*size)
	if limit := huber * e.errors.median(); math.Abs(off) > limit {
		worth = float64(worth * limit / math.Abs(off))
	}
	before := *e
	e.fit.add(&x, float64(tokens), worth)
	e.errors.add(off)
	e.learned++
	if !e.sound() {
		*e = before // such a state could be written, and never be read again
		return false
	}
	return true
}

// Estimate returns the count of a text, or of several, with these features. Its upper bound is what
// measurements stay below in 95 of 100 cases. Features that no text has count as none.
func (e *Estimator) Estimate(f Features) Count {
	if !f.valid() {
		return Count{}
	}
	x := f.vector()
	return e.count(e.weights.of(&x))
}

// estimateTokens is Estimate for a text of which only the o200k_base count is known: it is taken to
// be made as the texts that were measured are, in the mean.
func (e *Estimator) estimateTokens(o200k int) Count {
	mix := &e.mix
	if mix[FeatureTokens] < minimum {
		mix = &usual
	}
	n := float64(max(o200k, 0))
	return e.count(float64(n * float64(e.weights.of(mix)/mix[FeatureTokens])))
}

// count rounds an estimate and adds its bound.
func (e *Estimator) count(n float64) Count {
	if n <= 0 {
		return Count{}
	}
	n = min(n, maxState) // beyond every text, and far from where whole numbers end
	upper := n + float64(e.errors.quantile(0.95)*(n+floor))
	return Count{N: int(math.Round(n)), Upper: int(math.Ceil(max(n, upper)))}
}

// vector returns the features as floats.
func (f *Features) vector() (x vector) {
	for i, v := range f {
		x[i] = float64(v)
	}
	return x
}

// valid reports whether texts can have these features.
func (f *Features) valid() bool {
	for _, v := range f {
		if v < 0 || int64(v) > maxFeature {
			return false
		}
	}
	return true
}

// believable reports whether the features can belong to each other: no token has more bytes than that.
func (f *Features) believable() bool {
	for _, v := range f {
		if v > longestToken*f[FeatureTokens] {
			return false
		}
	}
	return true
}

const (
	maxFeature   = 1 << 32 // of each feature, so that sums stay within maxState
	longestToken = 128     // bytes of the longest token of o200k_base
)
