package main

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
)

// table prints a line for each configuration, gross and net of what our own list costs.
func table(w io.Writer, own []listed, configs []configuration, found [][]outcome) {
	found = slices.DeleteFunc(slices.Clone(found), func(o []outcome) bool { return len(o) == 0 || o[0].requests == 0 })
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "hook\tsessions it touched\tcut\tadded (tokens)\tdenied\tchars of messages\ttokens\tcost\tof it reading back"+
		"\tin the sessions touched: median, p90, worst\tnet of our tools: tokens\tcost\tin all sessions: median, p90, worst"+
		"\tneeds\tof calls and answers behind a cut\tworst session\tlost, saved names, $")
	for i, c := range configs {
		var s outcome
		var costs, nets, shares []float64
		touched := 0
		for _, all := range found {
			o := all[i]
			s.add(o)
			nets = append(nets, percent(o.spent+o.list, o.recorded))
			if o.cut+o.injected+o.denied > 0 {
				touched++
				costs = append(costs, percent(o.spent, o.recorded))
				shares = append(shares, percent(float64(o.needs), float64(o.units)))
			}
		}
		slices.Sort(costs)
		slices.Sort(nets)
		slices.Sort(shares)
		fmt.Fprintf(t, "%s\t%d of %d\t%d\t%d (%d)\t%d\t%+.3f%%\t%+.3f%%\t%+.3f%% ($%+.2f of %.2f)\t$%.2f\t%s\t"+
			"%+.3f%%\t%+.3f%% ($%+.2f)\t%s\t%d\t%.2f%% of %d\t%.2f%%\t%d, %d, %.2f\n",
			c.name, touched, len(found), s.cut, s.injected, s.injectedTokens, s.denied,
			-percent(s.lessChars, float64(s.chars)), -percent(s.less, float64(s.sent)), percent(s.spent, s.recorded), s.spent,
			s.recorded, s.readBack, spread(costs),
			percent(s.listSent-s.less, float64(s.sent)), percent(s.spent+s.list, s.recorded), s.spent+s.list, spread(nets),
			s.needs, percent(float64(s.needs), float64(s.units)), s.units, at(shares, 1), s.lost, s.saved, s.savedDollars)
	}
	t.Flush()
	summary(w, own, found)
}

// summary prints how much was replayed, and what each part of our own list costs in it, in proportion to its tokens: as it
// is charged, and at least, if the provider has the list whenever it has anything of a request.
func summary(w io.Writer, own []listed, found [][]outcome) {
	var s outcome
	calls, tokens := 0, 0
	for _, all := range found {
		s.add(all[0])
		calls += all[0].calls
		s.requests += all[0].requests
	}
	fmt.Fprintf(w, "%d sessions, %d requests, %d calls\n", len(found), s.requests, calls)
	for _, l := range own {
		tokens += l.tokens
	}
	for _, l := range own {
		if tokens > 0 {
			part := float64(l.tokens) / float64(tokens)
			fmt.Fprintf(w, "our own, in every request: %d tokens (o200k_base), %s: %+.3f%% of the tokens of messages, "+
				"%+.3f%% of the cost ($%+.2f), at least %+.3f%%\n", l.tokens, l.what, percent(part*s.listSent, float64(s.sent)),
				percent(part*s.list, s.recorded), part*s.list, percent(part*s.listLeast, s.recorded))
		}
	}
}

// spread prints the median, the 90th percentile and the highest of sorted numbers, in percent.
func spread(sorted []float64) string {
	return fmt.Sprintf("%+.2f, %+.2f, %+.2f%%", at(sorted, 0.5), at(sorted, 0.9), at(sorted, 1))
}

// add sums outcomes.
func (o *outcome) add(b outcome) {
	o.chars, o.sent = o.chars+b.chars, o.sent+b.sent
	o.lessChars, o.less = o.lessChars+b.lessChars, o.less+b.less
	o.cut, o.injected, o.injectedTokens, o.denied = o.cut+b.cut, o.injected+b.injected, o.injectedTokens+b.injectedTokens,
		o.denied+b.denied
	o.units, o.needs = o.units+b.units, o.needs+b.needs
	o.recorded, o.spent, o.readBack = o.recorded+b.recorded, o.spent+b.spent, o.readBack+b.readBack
	o.list, o.listLeast, o.listSent = o.list+b.list, o.listLeast+b.listLeast, o.listSent+b.listSent
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
