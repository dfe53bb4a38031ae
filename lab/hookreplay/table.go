package main

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
)

// table prints a line for each configuration.
func table(w io.Writer, configs []configuration, found [][]outcome) {
	found = slices.DeleteFunc(slices.Clone(found), func(o []outcome) bool { return len(o) == 0 || o[0].requests == 0 })
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "hook\tsessions it touched\tcut\tadded (tokens)\tdenied\tchars of messages\ttokens\tcost\tof it reading back"+
		"\tin the sessions touched: median, p90, worst\tneeds\tof calls and answers behind a cut\tworst session\tlost, saved names, $")
	for i, c := range configs {
		var s outcome
		var costs, shares []float64
		touched := 0
		for _, all := range found {
			o := all[i]
			s.add(o)
			if o.cut+o.injected+o.denied > 0 {
				touched++
				costs = append(costs, percent(o.spent, o.recorded))
				shares = append(shares, percent(float64(o.needs), float64(o.units)))
			}
		}
		slices.Sort(costs)
		slices.Sort(shares)
		fmt.Fprintf(t, "%s\t%d of %d\t%d\t%d (%d)\t%d\t%+.3f %%\t%+.3f %%\t%+.3f %% ($%+.2f of %.2f)\t$%.2f\t%+.2f, %+.2f, %+.2f %%\t%d\t"+
			"%.2f %% of %d\t%.2f %%\t%d, %d, %.2f\n", c.name, touched, len(found), s.cut, s.injected, s.injectedTokens, s.denied,
			-percent(s.lessChars, float64(s.chars)), -percent(s.less, float64(s.sent)), percent(s.spent, s.recorded), s.spent,
			s.recorded, s.readBack, at(costs, 0.5), at(costs, 0.9), at(costs, 1), s.needs,
			percent(float64(s.needs), float64(s.units)), s.units, at(shares, 1), s.lost, s.saved, s.savedDollars)
	}
	t.Flush()
	calls, requests := 0, 0
	for _, all := range found {
		calls += all[0].calls
		requests += all[0].requests
	}
	fmt.Fprintf(w, "%d sessions, %d requests, %d calls\n", len(found), requests, calls)
}

// add sums outcomes.
func (o *outcome) add(b outcome) {
	o.chars, o.sent = o.chars+b.chars, o.sent+b.sent
	o.lessChars, o.less = o.lessChars+b.lessChars, o.less+b.less
	o.cut, o.injected, o.injectedTokens, o.denied = o.cut+b.cut, o.injected+b.injected, o.injectedTokens+b.injectedTokens,
		o.denied+b.denied
	o.units, o.needs = o.units+b.units, o.needs+b.needs
	o.recorded, o.spent, o.readBack = o.recorded+b.recorded, o.spent+b.spent, o.readBack+b.readBack
	o.lost, o.saved, o.savedDollars = o.lost+b.lost, o.saved+b.saved, o.savedDollars+b.savedDollars
}

func percent(n, of float64) float64 {
	if of == 0 {
		return 0
	}
	return 100 * n / of
}

// at returns a quantile of sorted numbers.
func at(sorted []float64, q float64) float64 {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[min(int(q*float64(len(sorted))), len(sorted)-1)]
}
