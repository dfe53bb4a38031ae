package replay

// Ours is the number of the product's default among Policies.
const Ours = 2

// Sum adds up the outcomes of sessions by policy. What the view had of identifiers is a mean, weighted by requests.
func Sum(reports []Report) []Outcome {
	var out []Outcome
	for _, r := range reports {
		for i, o := range r.Outcomes {
			if i == len(out) {
				out = append(out, Outcome{Policy: o.Policy, Priced: true})
			}
			out[i].add(o)
		}
	}
	for i := range out {
		out[i].Stable = out[i].stable()
		out[i].Kept /= float64(max(out[i].Requests, 1))
	}
	return out
}

func (o *Outcome) add(p Outcome) {
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

// Ratio returns the cost under a policy as a part of that of the first one, 1 where there is none.
func (r Report) Ratio(policy int) float64 {
	if policy >= len(r.Outcomes) || r.Outcomes[0].Units == 0 {
		return 1
	}
	return r.Outcomes[policy].Units / r.Outcomes[0].Units
}
