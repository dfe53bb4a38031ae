package main

import (
	"fmt"
	"io"
	"math"
	"slices"

	"ctxledger.dev/cli/columns"
)

// group is some of the sessions, by how much of their window they fill.
type group struct {
	name string
	of   func(p played) bool
}

func groups() []group {
	half := func(p played) bool { return 2*p.Peak > p.Window }
	return []group{{"past half a window", half}, {"below half a window", func(p played) bool { return !half(p) }}}
}

// printPolicies prints sums, then a row for each session, those that lose most first.
func printPolicies(w io.Writer, all []played) {
	if len(all) == 0 {
		fmt.Fprintln(w, "No session that can be sent.")
		return
	}
	printErrors(w, all)
	all = slices.DeleteFunc(slices.Clone(all), func(p played) bool { return !p.Told })
	if len(all) == 0 {
		return
	}
	fmt.Fprintln(w)
	t := columns.New(columns.Cut, false, "POLICY", "SESSIONS", ">COST", ">OF NONE", ">HIGHEST", ">ABOVE 101%", ">READ", ">WRITTEN",
		">STEPS", ">STABLE", ">READ BACK")
	for _, g := range groups() {
		some := slices.DeleteFunc(slices.Clone(all), func(p played) bool { return !g.of(p) })
		if len(some) == 0 {
			continue
		}
		for i := range all[0].Outcomes {
			t.Add(sumRow(g, some, i)...)
		}
	}
	t.Print(w)
	fmt.Fprintln(w)
	printAnswers(w, all)
	fmt.Fprintln(w)
	last := len(all[0].Outcomes) - 1
	slices.SortFunc(all, func(a, b played) int {
		if a.ratio(last) > b.ratio(last) {
			return -1
		}
		return 1
	})
	printSessions(w, all)
}

// sumRow sums what sessions cost under a policy.
func sumRow(g group, some []played, i int) []string {
	sum, none, highest, above := outcome{}, 0.0, 0.0, 0
	for _, p := range some {
		o := p.Outcomes[i]
		sum.Requests, sum.Dollars, sum.Used = sum.Requests+o.Requests, sum.Dollars+o.Dollars, sum.Used.Plus(o.Used)
		sum.Steps, sum.Broken, sum.ReadBack = sum.Steps+o.Steps, sum.Broken+o.Broken, sum.ReadBack+o.ReadBack
		none += p.Outcomes[0].Dollars
		highest = max(highest, p.ratio(i))
		if p.ratio(i) > 1.01 {
			above++
		}
	}
	stable := 1 - float64(sum.Broken)/math.Max(1, float64(sum.Requests-sum.Steps))
	return []string{some[0].Outcomes[i].Policy, fmt.Sprintf("%d %s", len(some), g.name), fmt.Sprintf("$%.2f", sum.Dollars),
		percent(sum.Dollars / none), percent(highest), fmt.Sprint(above), fmt.Sprint(sum.Used.CacheRead),
		fmt.Sprint(sum.Used.Written()), fmt.Sprint(sum.Steps), percent(stable), fmt.Sprint(sum.ReadBack)}
}

// printErrors prints how near the provider under none is to what the real one reported.
func printErrors(w io.Writer, all []played) {
	var sum predicted
	var costs []float64
	within, compared := 0, 0
	for _, p := range all {
		if p.Told {
			compared++
		}
		none := p.Outcomes[0]
		one := predicted{Rules: none.Used, Recorded: p.Recorded.Used, Dollars: none.Dollars, Reported: p.Recorded.Dollars}
		sum = sum.plus(one)
		cost := math.Abs(one.errors()[2])
		if costs = append(costs, cost); cost <= near {
			within++
		}
	}
	slices.Sort(costs)
	e := sum.errors()
	fmt.Fprintf(w, "None compared with what the provider reported: reads %s, writes %s, cost %s; of the sessions' costs the median is "+
		"%s off, the 90th percentile %s, and %d of %d are within 2%%. %d are within 5%%: these are compared.\n", signed(e[0]),
		signed(e[1]), signed(e[2]), signed(costs[len(costs)/2]), signed(costs[len(costs)*9/10]), within, len(all), compared)
}

// printAnswers prints how many questions about cut results are answered by reading back once.
func printAnswers(w io.Writer, all []played) {
	for i, o := range all[0].Outcomes {
		var sum asking
		for _, p := range all {
			a := p.Outcomes[i].Answers
			sum.Stubs, sum.FoundStub = sum.Stubs+a.Stubs, sum.FoundStub+a.FoundStub
			sum.Summaries, sum.FoundSum = sum.Summaries+a.Summaries, sum.FoundSum+a.FoundSum
			sum.MostTokens = max(sum.MostTokens, a.MostTokens)
		}
		if sum.Stubs+sum.Summaries > 0 {
			fmt.Fprintf(w, "%s: one call that reads back answers %d of %d questions about results with a stub, and %d of %d about "+
				"results in a summary; the longest answer has %d tokens.\n", o.Policy, sum.FoundStub, sum.Stubs, sum.FoundSum,
				sum.Summaries, sum.MostTokens)
		}
	}
}

// printSessions prints a row for each session.
func printSessions(w io.Writer, all []played) {
	heads := []string{"SESSION", ">REQUESTS", ">PEAK", ">OF WINDOW", ">NONE"}
	for _, o := range all[0].Outcomes[1:] {
		heads = append(heads, ">"+o.Policy)
	}
	t := columns.New(columns.Cut, false, heads...)
	for _, p := range all {
		row := []string{p.Session[:min(8, len(p.Session))], fmt.Sprint(p.Outcomes[0].Requests), fmt.Sprint(p.Peak),
			percent(float64(p.Peak) / float64(p.Window)), fmt.Sprintf("$%.2f", p.Outcomes[0].Dollars)}
		for i := range p.Outcomes[1:] {
			row = append(row, percent(p.ratio(i+1)))
		}
		t.Add(row...)
	}
	t.Print(w)
}

func percent(share float64) string { return fmt.Sprintf("%.1f%%", 100*share) }
