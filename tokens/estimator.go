package tokens

import "math"

// Estimator learns how many tokens a model without a public tokenizer makes of a text from what its
// provider measured. It starts as what is known of the model's family. It is no faster than it has
// to be and not safe for concurrent use; make one with NewEstimator.
//
// The estimate is a weighted sum of features with weights that are not negative and no constant part,
// so that the estimate of a whole is that of its parts. The weights minimise the squared relative
// errors of the measurements, old ones and surprising ones counting less, and the distance to the
// family's weights. All arithmetic is plain float64, rounded after every operation, so that the same
// measurements in the same order give the same state on every machine.
type Estimator struct {
	model   string
	family  family
	n       int64 // measurements learnt from
	weights weights
	info    [features][features]float64 // Σ ω x xᵀ, the upper triangle
	target  [features]float64           // Σ ω x y
	mix     [features]float64           // Σ x, decayed: what texts are made of
	errors  errorTable                  // how far estimates were off before they were learnt from
}

// weights are tokens per feature.
type weights [features]float64

// What a measurement is worth. The values were chosen on one half of the repositories whose sessions
// docs/benchmarks.md names, and tried on the other.
const (
	forget  = 0.995 // what is left of a measurement's weight after the next one
	huber   = 3.0   // from how many times the median error on a measurement loses weight
	floor   = 100.0 // tokens added to a size before errors are related to it: small texts err by tokens, not by shares
	trust   = 25.0  // how many measurements of usual texts the family's weights are worth
	minimum = 20    // o200k_base tokens below which a measurement says nothing
)

// NewEstimator returns the estimator of a model that nothing was measured of.
func NewEstimator(model string) *Estimator {
	e := &Estimator{model: model, family: lookup(model).family}
	e.weights = priors[e.family].weights
	return e
}

// Learn takes in one measurement: a text with these features made so many tokens. It reports whether
// the measurement was believable; if not, nothing has changed.
func (e *Estimator) Learn(f Features, tokens int64) bool {
	x := f.vector()
	if !f.valid() || f[FeatureTokens] < minimum || tokens < int64(f[FeatureTokens])/4 || tokens > 8*int64(f[FeatureTokens])+1000 {
		return false
	}
	y := float64(tokens)
	guess := e.weights.of(x)
	off := (y - guess) / (guess + floor)
	scale := 1 / ((guess + floor) * (guess + floor))
	if limit := huber * e.errors.median(); math.Abs(off) > limit {
		scale = scale * (limit / math.Abs(off))
	}
	for i := range x {
		for j := i; j < len(x); j++ {
			e.info[i][j] = float64(forget*e.info[i][j]) + float64(float64(scale*x[i])*x[j])
		}
		e.target[i] = float64(forget*e.target[i]) + float64(float64(scale*x[i])*y)
		e.mix[i] = float64(forget*e.mix[i]) + x[i]
	}
	e.errors.add(off)
	e.n++
	e.solve()
	return true
}

// of returns the weighted sum of features.
func (w *weights) of(x [features]float64) float64 {
	sum := 0.0
	for i, v := range x {
		sum += float64(w[i] * v)
	}
	return sum
}

// vector returns the features as floats.
func (f Features) vector() (x [features]float64) {
	for i, v := range f {
		x[i] = float64(v)
	}
	return x
}

// valid reports whether the features can be those of a text.
func (f Features) valid() bool {
	for _, v := range f {
		if v < 0 || v > 1<<40 {
			return false
		}
	}
	return true
}

// usual is what a text of a thousand o200k_base tokens has of each feature, roughly. It is the scale
// on which weights are compared.
var usual = [features]float64{1000, 450, 3400, 20, 150, 550, 180, 2}

// solve finds the weights for what was learnt: a descent, one weight at a time, which ends at the
// minimum because the problem is convex and the bounds are simple.
func (e *Estimator) solve() {
	prior := priors[e.family].weights
	var ridge [features]float64
	for i := range ridge {
		share := usual[i] / (1000 + floor)
		ridge[i] = float64(float64(trust*share)*share) / float64(prior.of(usual)/1000*prior.of(usual)/1000)
	}
	w := e.weights
	for range 64 {
		moved := 0.0
		for i := range w {
			g := e.target[i] + float64(ridge[i]*prior[i])
			for j := range w {
				if j != i {
					g -= float64(e.info[min(i, j)][max(i, j)] * w[j])
				}
			}
			next := max(0, g/(e.info[i][i]+ridge[i]))
			moved = max(moved, math.Abs(next-w[i])*usual[i])
			w[i] = next
		}
		if moved < 0.01 {
			break
		}
	}
	e.weights = w
}

// errorTable counts relative errors by size: the last bin of each side holds all beyond.
type errorTable struct {
	bins [errorBins]float64
}

const (
	errorBins = 96
	errorZero = 32   // the bin that begins at 0
	errorStep = 0.01 // width of the bins up to 0.32, from where on they double every 8
)

func (t *errorTable) add(off float64) {
	for i := range t.bins {
		t.bins[i] = float64(forgetErrors * t.bins[i])
	}
	t.bins[binOf(off)]++
}

const forgetErrors = 0.998

func binOf(off float64) int {
	i := 0
	for i < errorBins-1 && off > binEnd(i) {
		i++
	}
	return i
}

// binEnd is the upper end of a bin.
func binEnd(i int) float64 {
	i -= errorZero - 1
	if i <= 32 {
		return float64(i) * errorStep
	}
	return 32 * errorStep * math.Exp2(float64(i-32)/8)
}

// quantile returns the error below which a share of them lies.
func (t *errorTable) quantile(share float64) float64 {
	total := doubt
	for _, n := range t.bins {
		total += n
	}
	sum := 0.0
	for i, n := range t.bins {
		sum += n
		if i == wideBin {
			sum += doubt
		}
		if sum >= float64(share*total) {
			return binEnd(i)
		}
	}
	return binEnd(errorBins - 1)
}

const (
	doubt   = 3.0
	wideBin = errorZero + 29
)

// median returns the median size of an error.
func (t *errorTable) median() float64 {
	total := 0.0
	for _, n := range t.bins {
		total += n
	}
	if total < 8 {
		return 0.1
	}
	sum := 0.0
	for d := 0; d < 32; d++ {
		sum += t.bins[errorZero+d] + t.bins[errorZero-1-d]
		if 2*sum >= total {
			return float64(d+1) * errorStep
		}
	}
	return 0.32
}
