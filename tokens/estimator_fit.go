package tokens

import "math"

// vector has a number for each feature.
type vector [features]float64

// of returns the sum of features by their weights.
func (w *vector) of(x *vector) float64 {
	sum := 0.0
	for i, v := range x {
		sum += float64(w[i] * v)
	}
	return sum
}

// fit is a weighted least-squares problem that forgets: what of it has to be kept to go on.
type fit struct {
	prior   vector           // the weights to stay near to
	weights vector           // the solution
	info    [features]vector // Σ worth·x·xᵀ, its upper triangle
	target  vector           // Σ worth·x·tokens
	mix     vector           // Σ x: what the texts were made of
}

const (
	forgetting = 0.995 // what is left of a measurement after the next one
	trust      = 1.0   // how many measurements of usual texts the prior is worth
	maxWeight  = 1000  // tokens for one of a feature: no tokenizer comes near
	sweeps     = 64    // passes over the weights; a few are enough from one measurement to the next
	settled    = 0.01  // tokens that a pass moves the estimate of a usual text by, at the end
)

// usual is what texts have of each feature that have a thousand o200k_base tokens: the scale on which
// weights are compared.
var usual = vector{1000, 450, 2200, 500, 150, 20, 500, 180, 2}

// add takes in one measurement.
func (f *fit) add(x *vector, tokens, worth float64) {
	for i := range x {
		scaled := float64(worth * x[i])
		for j := i; j < len(x); j++ {
			f.info[i][j] = float64(forgetting*f.info[i][j]) + float64(scaled*x[j])
		}
		f.target[i] = float64(forgetting*f.target[i]) + float64(scaled*tokens)
		f.mix[i] = float64(forgetting*f.mix[i]) + x[i]
	}
	f.solve()
}

// solve finds the best weights that are not negative, one at a time, round after round: the problem is
// convex and its bounds are those of single weights, so that this ends at the minimum.
func (f *fit) solve() {
	ridge := f.ridge()
	for range sweeps {
		moved := 0.0
		for i := range f.weights {
			g := f.target[i] + float64(ridge[i]*f.prior[i])
			for j, w := range f.weights {
				if j != i {
					g -= float64(f.info[min(i, j)][max(i, j)] * w)
				}
			}
			next := min(max(0, g/(f.info[i][i]+ridge[i])), maxWeight)
			moved = max(moved, float64(math.Abs(next-f.weights[i])*usual[i]))
			f.weights[i] = next
		}
		if moved < settled {
			return
		}
	}
}

// ridge is how strongly each weight is held at the prior's: as by trust measurements of usual texts.
func (f *fit) ridge() (r vector) {
	size := f.prior.of(&usual) + floor
	for i, u := range usual {
		share := u / size
		r[i] = float64(float64(trust*share) * share)
	}
	return r
}
