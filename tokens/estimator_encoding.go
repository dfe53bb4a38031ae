package tokens

import (
	"encoding/binary"
	"math"

	"ctxledger.dev/internal/fault"
)

// The encoding of a state: a version, the measurements, and all numbers, little-endian. The model
// is not part of it: its keeper knows the model.
const (
	estimatorVersion = 1
	estimatorSize    = 1 + 8 + 8*(3*int(features)+int(features)*(int(features)+1)/2) + 4*errorBins
	maxState         = 1 << 40 // of any number of a state
)

// AppendBinary appends the state, which is less than a kilobyte, to dst. It never fails.
func (e *Estimator) AppendBinary(dst []byte) ([]byte, error) {
	dst = append(dst, estimatorVersion)
	dst = binary.LittleEndian.AppendUint64(dst, uint64(e.learned))
	e.numbers(func(v *float64) { dst = binary.LittleEndian.AppendUint64(dst, math.Float64bits(*v)) })
	for _, n := range e.errors {
		dst = binary.LittleEndian.AppendUint32(dst, math.Float32bits(n))
	}
	return dst, nil
}

// ParseEstimator reads the state of a model's estimator. Errors: corrupt for bytes that are no state;
// unavailable for those of a newer version.
func ParseEstimator(model string, state []byte) (*Estimator, error) {
	const op = "tokens.estimator"
	switch {
	case len(state) > 0 && state[0] > estimatorVersion:
		return nil, fault.New(fault.Unavailable, op,
			"the estimator of %.1000q has version %d, but this program supports only versions up to %d", model, state[0], estimatorVersion)
	case len(state) != estimatorSize || state[0] != estimatorVersion:
		return nil, fault.New(fault.Corrupt, op, "the estimator of %.1000q has %d bytes, not %d", model, len(state),
			estimatorSize)
	}
	e := NewEstimator(model)
	e.learned = int64(binary.LittleEndian.Uint64(state[1:]))
	state = state[9:]
	e.numbers(func(v *float64) {
		*v = math.Float64frombits(binary.LittleEndian.Uint64(state))
		state = state[8:]
	})
	for i := range e.errors {
		e.errors[i] = math.Float32frombits(binary.LittleEndian.Uint32(state[4*i:]))
	}
	if !e.sound() {
		return nil, fault.New(fault.Corrupt, op, "the estimator of %.1000q contains numbers that no measurement can produce",
			model)
	}
	return e, nil
}

// numbers visits the numbers of the fit in the order in which they are stored.
func (f *fit) numbers(visit func(*float64)) {
	for i := range f.weights {
		visit(&f.weights[i])
		visit(&f.target[i])
		visit(&f.mix[i])
		for j := i; j < len(f.info[i]); j++ {
			visit(&f.info[i][j])
		}
	}
}

// sound reports whether a state that was read can be used: with it, no estimate is infinite or not a number.
func (e *Estimator) sound() bool {
	ok := e.learned >= 0
	within := func(v, limit float64) bool { return v >= 0 && v <= limit } // false for NaN
	e.numbers(func(v *float64) { ok = ok && within(*v, maxState) })
	for i := range e.weights {
		ok = ok && within(e.weights[i], maxWeight)
	}
	for _, n := range e.errors {
		ok = ok && within(float64(n), 1/(1-errorFade)+1)
	}
	return ok
}
