package main

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"ctxledger.dev/ledger"
	"ctxledger.dev/tokens"
)

const (
	everything = "all"
	large      = 500 // tokens from which an addition counts as large
	smallest   = 20  // o200k_base tokens below which estimators do not learn either
)

// table holds what was found out per model.
type table map[string]*row

// row is how well one model was predicted. Errors are shares of what was measured.
type row struct {
	any, large, context, sessions []float64
	covered                       int
	played                        int // sessions
}

func (t table) row(model string) *row {
	if t[model] == nil {
		t[model] = &row{}
	}
	return t[model]
}

// models returns the models in order, everything last.
func (t table) models() []string {
	names := slices.Sorted(maps.Keys(t))
	if i := slices.Index(names, everything); i >= 0 {
		names = append(slices.Delete(names, i, i+1), everything)
	}
	return names
}

// play predicts and learns the sessions of one user in order.
func (t table) play(all []session, held bool) {
	known := map[string]*tokens.Estimator{}
	for i, s := range all {
		sums := map[string][2]float64{} // estimated and measured of each model's additions
		for _, m := range s.measured {
			e := known[m.Model]
			if e == nil {
				e = tokens.NewEstimator(m.Model)
				known[m.Model] = e
			}
			if m.Features[tokens.FeatureTokens] < smallest {
				continue
			}
			if !held || i%2 == 1 {
				guess := e.Estimate(m.Features)
				t.row(m.Model).add(guess, m)
				t.row(everything).add(guess, m)
				sum := sums[m.Model]
				sums[m.Model] = [2]float64{sum[0] + float64(guess.N), sum[1] + float64(m.Growth())}
			}
			if !held || i%2 == 0 {
				e.Learn(m.Features, m.Growth())
			}
		}
		for model, sum := range sums {
			off := math.Abs(sum[0]-sum[1]) / sum[1]
			for _, r := range []*row{t.row(model), t.row(everything)} {
				r.played++
				r.sessions = append(r.sessions, off)
			}
		}
	}
}

// add counts one prediction.
func (r *row) add(guess tokens.Count, m ledger.Measurement) {
	grown := float64(m.Growth())
	off := math.Abs(float64(guess.N) - grown)
	r.any = append(r.any, off/grown)
	if grown >= large {
		r.large = append(r.large, off/grown)
	}
	r.context = append(r.context, off/float64(m.After))
	if m.Growth() <= int64(guess.Upper) {
		r.covered++
	}
}

const header = "model\tsessions\trequests\ttext ≥500: n\tmedian %\tp90 %\ttext: median %\tp90 %\tcontext: median " +
	"%\tp95 %\tsession: median %\tbound covers %\t"

func (r *row) line(model string) string {
	return fmt.Sprintf("%s\t%d\t%d\t%d\t%.2f\t%.1f\t%.2f\t%.1f\t%.3f\t%.2f\t%.2f\t%.1f\t", model, r.played,
		len(r.any), len(r.large),
		quantile(r.large, .5), quantile(r.large, .9), quantile(r.any, .5), quantile(r.any, .9),
		quantile(r.context, .5), quantile(r.context, .95), quantile(r.sessions, .5), 100*float64(
			r.covered)/float64(len(r.any)))
}

// quantile returns what a share of the errors does not exceed, in percent.
func quantile(errors []float64, share float64) float64 {
	if len(errors) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(errors))
	return 100 * sorted[min(len(sorted)-1, int(share*float64(len(sorted))))]
}
