package tokens

import "math"

// errorTable counts by how much estimates were off, in shares of them (and floor): negative when a
// text had fewer tokens. Old errors fade, so that it follows a tokenizer that changes.
type errorTable [errorBins]float32

const (
	errorBins = 80
	errorZero = 24   // the first bin of errors above 0
	errorFine = 32   // bins above 0 that are errorStep wide; from there on widths grow
	errorStep = 0.01 // also that of the bins below 0, the lowest of which holds all beyond
	errorFade = 0.995

	// One error of the size by which content classes of closed tokenizers differ is always taken to be
	// still to come: until twenty were seen, that or the largest is the bound.
	doubt     = 1.0
	doubtful  = errorZero + 29 // the bin that ends at 0.30
	unknownBy = 0.10           // the median error without enough measurements
	enough    = 8.0
)

// add counts an error.
func (t *errorTable) add(off float64) {
	for i := range t {
		t[i] *= errorFade
	}
	i := 0
	for i < errorBins-1 && off > errorEnds[i] {
		i++
	}
	t[i]++
}

// quantile returns what a share of the errors does not exceed. Inside a bin they are taken to be even.
func (t *errorTable) quantile(share float64) float64 {
	want := share * (doubt + t.total())
	for i, n := range t {
		here := float64(n)
		if i == doubtful {
			here += doubt
		}
		if here < want {
			want -= here
			continue
		}
		if i == 0 || here == 0 || i == doubtful {
			return errorEnds[i]
		}
		return errorEnds[i-1] + float64((errorEnds[i]-errorEnds[i-1])*float64(want/here))
	}
	return errorEnds[errorBins-1]
}

// median returns the median size of an error, whatever its sign.
func (t *errorTable) median() float64 {
	total := t.total()
	if total < enough {
		return unknownBy
	}
	sum := 0.0
	for d := range errorZero {
		sum += float64(t[errorZero+d]) + float64(t[errorZero-1-d])
		if 2*sum >= total {
			return errorStep * float64(d+1)
		}
	}
	return errorStep * errorZero
}

func (t *errorTable) total() float64 {
	sum := 0.0
	for _, n := range t {
		sum += float64(n)
	}
	return sum
}

// errorEnds are the upper ends of the bins. Beyond the fine ones, eight bins double the error: a ninth
// more from one to the next, as a product of exact factors so that all machines agree.
var errorEnds = func() (ends [errorBins]float64) {
	for i := range ends {
		if fine := i - errorZero + 1; fine <= errorFine {
			ends[i] = float64(fine) * errorStep
		} else {
			ends[i] = float64(ends[i-1] * 1.09375)
		}
	}
	ends[errorBins-1] = max(ends[errorBins-1], math.Ceil(ends[errorBins-1]))
	return ends
}()
