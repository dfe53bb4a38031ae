package main

import (
	"fmt"
	"io"
	"text/tabwriter"

	"ctxledger.dev/internal/chars"
)

// table prints a column for each session.
func table(w io.Writer, pairs []pair) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	row := func(name string, cell func(p pair) string) {
		fmt.Fprintf(t, "%-44s\t", name)
		for _, p := range pairs {
			fmt.Fprintf(t, "%s\t", cell(p))
		}
		fmt.Fprintln(t)
	}
	x := ratesOf(priced)
	row("session", func(p pair) string { return p.name })
	row("requests, without and with", func(p pair) string {
		return fmt.Sprintf("%d, %d", len(p.without.steps)+len(p.without.asides), len(p.with.steps)+len(p.with.asides))
	})
	row("tokens sent without", func(p pair) string { return chars.Commas(p.without.total().sum()) })
	row("tokens sent with", func(p pair) string { return chars.Commas(p.with.total().sum()) })
	row("difference", func(p pair) string { return share(p.difference().sum(), p.without.total().sum()) })
	row("difference, as status says", func(p pair) string {
		return share(-p.with.said.Net, int(p.with.said.Sent)+p.with.said.Net)
	})
	row("  in results of calls", func(p pair) string { return signed(p.difference().results) })
	row("  our tools, in all requests", func(p pair) string { return listed(p.with, first(p.own())) })
	row("  the agent's tools because of us", func(p pair) string { return listed(p.with, second(p.own())) })
	row("  system prompt", func(p pair) string { return signed(p.difference().system) })
	row("  words: what hooks and the server add", func(p pair) string { return signed(p.difference().words) })
	row("  calls", func(p pair) string { return signed(p.difference().calls) })
	row("stubs among results", func(p pair) string { n, of := p.with.stubs(); return fmt.Sprintf("%d of %d", n, of) })
	row("calls that need what became a stub", func(p pair) string { return fmt.Sprint(len(p.needs())) })
	row("difference, with these reading back", func(p pair) string {
		n, _ := p.with.readBack(p.needs(), x)
		return share(p.difference().sum()+n, p.without.total().sum())
	})
	row("cost without, "+priced, func(p pair) string { return fmt.Sprintf("$%.3f", p.without.dollars(x)) })
	row("cost with", func(p pair) string { return fmt.Sprintf("$%.3f", p.with.dollars(x)) })
	row("difference of cost", func(p pair) string { return percent(p.with.dollars(x)-p.without.dollars(x), p.without.dollars(x)) })
	row("difference of cost, reading back", func(p pair) string {
		_, d := p.with.readBack(p.needs(), x)
		return percent(p.with.dollars(x)+d-p.without.dollars(x), p.without.dollars(x))
	})
	t.Flush()
	for _, p := range pairs[:1] {
		ours, agents := p.own()
		a, _ := p.with.listed(ours)
		b, _ := p.with.listed(agents)
		fmt.Fprintf(w, "in one request: %s tokens for %d tools of ours, %s for %q\n", chars.Commas(a), len(ours), chars.Commas(b), agents)
	}
}

func first(a, _ []string) []string  { return a }
func second(_, b []string) []string { return b }

// listed returns what tools take in all requests.
func listed(r run, names []string) string {
	_, all := r.listed(names)
	return signed(all)
}

// difference is what a session with ctxledger sent more.
func (p pair) difference() count { return p.with.total().minus(p.without.total()) }

// signed prints a number of tokens with its sign.
func signed(n int) string {
	if n < 0 {
		return "-" + chars.Commas(-n)
	}
	return "+" + chars.Commas(n)
}

// share prints a number of tokens, and its part of another one.
func share(n, of int) string { return signed(n) + ", " + percent(float64(n), float64(of)) }

func percent(n, of float64) string { return fmt.Sprintf("%+.1f%%", 100*n/of) }

// print prints both sizes of the first request.
func (r resumption) print(w io.Writer, of string) {
	before, after := r.before.sum(), r.after.sum()
	fmt.Fprintf(w, "resume of %s: its next request has %s tokens, that of the new session %s (%s); of them system prompt "+
		"and tools %s\n", of, chars.Commas(before), chars.Commas(after), percent(float64(after-before), float64(before)),
		chars.Commas(r.after.system+r.after.tools))
}
