package main

import "ctxledger.dev/engine/replay"

// sum adds up the outcomes of sessions by policy. What the view had of identifiers is a mean, weighted by requests.
func sum(reports []replay.Report) []replay.Outcome {
	var out []replay.Outcome
	for _, r := range reports {
		for i, o := range r.Outcomes {
			if i == len(out) {
				out = append(out, replay.Outcome{Policy: o.Policy, Priced: true})
			}
			add(&out[i], o)
		}
	}
	for i := range out {
		out[i].Stable = out[i].StableOf()
		out[i].Kept /= float64(max(out[i].Requests, 1))
	}
	return out
}

func add(o *replay.Outcome, p replay.Outcome) {
	o.Requests += p.Requests
	o.ReadBack += p.ReadBack
	o.Compactions += p.Compactions
	o.Input += p.Input
	o.CacheRead += p.CacheRead
	o.Cold += p.Cold
	o.Output += p.Output
	o.Dollars += p.Dollars
	o.Priced = o.Priced && p.Priced
	o.Units += p.Units
	o.Steps += p.Steps
	o.Broken += p.Broken
	o.Kept += p.Kept * float64(p.Requests)
	o.Peak = max(o.Peak, p.Peak)
}
