package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"ctxledger.dev/tokens"
)

// firstText is how much prose a fresh process counts, in bytes.
const firstText = 100_000

// ownRuns is how often our counter repeats in a round what npm's do once: it takes a hundredth of the time.
const ownRuns = 5

// enough is the longest time for a text after which a counter gets another round.
const enough = 10 * time.Second

// measureTokens measures counting in dedicated processes: real text compared with npm's counters,
// the costs of a fresh process, and pieces that break counters.
func measureTokens(ctx context.Context, b *bench) error {
	if err := b.buildCounters(ctx); err != nil {
		return err
	}
	texts, err := b.corpora(ctx, b.text)
	if err != nil {
		return err
	}
	g := grid{
		title: fmt.Sprintf("Counting whole texts, MB/s of one thread, medians of %d rounds in which all counters take turns (of one where it took over %.0f s); ours counts %d times in each. "+
			"In brackets: how many tokens more or fewer than npm `tiktoken`, the reference.", b.rounds(), enough.Seconds(), ownRuns),
		header: slices.Concat([]string{"text", "encoding", "tokens"}, ownCounters, npmCounters, []string{"times `tiktoken`", "times the fastest of npm"}),
	}
	for _, e := range tokens.Encodings() {
		speeds, err := b.throughput(ctx, e.String(), texts, "count")
		if err != nil {
			return err
		}
		for i, text := range texts {
			g.rows = append(g.rows, speeds[i].row(text, e.String()))
		}
	}
	b.report.grids = append(b.report.grids, g)
	for _, measure := range []func(context.Context, []corpus) error{b.measureParallel, b.measureFirst, b.measureTables, b.measureLongPieces} {
		if err := measure(ctx, texts); err != nil {
			return err
		}
	}
	return nil
}

// rounds is how often every counter runs, in turns, after an uncounted warm-up.
func (b *bench) rounds() int { return min(3, b.runs) }

// speeds are the times of the counters for one text, by their names.
type speeds map[string]counted

// throughput runs all counters on all texts. The first round counts only for a counter that is too slow
// for another one.
func (b *bench) throughput(ctx context.Context, encoding string, texts []corpus, task string) (results []speeds, err error) {
	counters := map[string]*counter{}
	defer func() {
		for _, c := range counters {
			err = errors.Join(err, c.close())
		}
	}()
	for _, name := range slices.Concat(ownCounters, npmCounters) {
		c, err := b.startCounter(ctx, name, encoding)
		if err != nil {
			return nil, err
		}
		counters[name] = c
	}
	for _, text := range texts {
		s := speeds{}
		for round := range 1 + b.rounds() {
			for name, c := range counters {
				if s[name].took.median() > enough {
					continue
				}
				runs := 1
				if slices.Contains(ownCounters, name) {
					runs = ownRuns
				}
				r, err := c.ask(task, text.path, runs, time.Minute, 0)
				if err != nil {
					return nil, err
				}
				if round > 1 {
					r.took = append(r.took, s[name].took...)
				}
				s[name] = r
			}
		}
		results = append(results, s)
	}
	return results, nil
}

// speed returns the speed of one counter in MB/s.
func (s speeds) speed(name string, text corpus) float64 {
	return float64(text.size) / 1e6 / s[name].took.median().Seconds()
}

// fastest is the speed of the fastest counter from npm.
func (s speeds) fastest(text corpus) float64 {
	best := 0.0
	for _, name := range npmCounters {
		best = max(best, s.speed(name, text))
	}
	return best
}

// row returns the line of the table for one text.
func (s speeds) row(text corpus, encoding string) []string {
	want := s[reference].n
	cells := []string{fmt.Sprintf("%s, %s", text.name, megabytes(text.size)), encoding, fmt.Sprint(want)}
	for _, name := range slices.Concat(ownCounters, npmCounters) {
		cell := threeDigits(s.speed(name, text))
		if n := s[name].n; n != want {
			cell += fmt.Sprintf(" (%+d)", n-want)
		}
		cells = append(cells, cell)
	}
	against := func(speed float64) string {
		return fmt.Sprintf("%.0f; pure Go %.0f", s.speed(own, text)/speed, s.speed(pure, text)/speed)
	}
	return append(cells, against(s.speed(reference, text)), against(s.fastest(text)))
}

// threeDigits prints a speed.
func threeDigits(x float64) string {
	if x >= 100 {
		return fmt.Sprintf("%.0f", x)
	}
	return fmt.Sprintf("%.3g", x)
}

// measureParallel measures counting by two threads, compared with one, in turns.
func (b *bench) measureParallel(ctx context.Context, texts []corpus) error {
	return b.withCounter(ctx, own, tokens.O200kBase.String(), func(c *counter) error {
		for _, text := range texts {
			var one, two times
			for range 5 * b.runs {
				r, err := c.ask("count", text.path, 1, 0, 0)
				if err != nil {
					return err
				}
				one = append(one, r.took...)
				if r, err = c.ask("parallel", text.path, 1, 0, 0); err != nil {
					return err
				}
				two = append(two, r.took...)
			}
			b.report.add("counting "+text.name+", o200k_base, two threads", rate(text.size, two.median()), "one thread: "+rate(text.size, one.median()),
				fmt.Sprintf("%.2f × as fast", one.median().Seconds()/two.median().Seconds()), fmt.Sprint(len(two)))
		}
		return nil
	})
}

// measureFirst measures the first count of a fresh process, alone and with the process around it.
func (b *bench) measureFirst(ctx context.Context, texts []corpus) error {
	text, err := b.head(texts[1])
	if err != nil {
		return err
	}
	for _, e := range tokens.Encodings() {
		var first, whole, theirs times
		count := func(c *counter) error {
			r, err := c.ask("count", text.path, 1, 0, 0)
			first = append(first, r.took...)
			return err
		}
		for i := range 5 * b.runs {
			if err := whole.clock(func() error { return b.withCounter(ctx, own, e.String(), count) }); err != nil {
				return err
			}
			if i%5 > 0 {
				continue // theirs are slow
			}
			ours := first
			if err := theirs.clock(func() error { return b.withCounter(ctx, reference, e.String(), count) }); err != nil {
				return err
			}
			first = ours
		}
		b.report.add(fmt.Sprintf("first count of a fresh process, %d KB of prose, %s", text.size/1000, e), millis(first.median()), "", "", fmt.Sprint(len(first)))
		b.report.add("″: the whole process", millis(whole.median()), "with npm `tiktoken`: "+millis(theirs.median()),
			fmt.Sprintf("%.0f × as fast", float64(theirs.median())/float64(whole.median())), fmt.Sprintf("%d and %d", len(whole), len(theirs)))
	}
	return nil
}

// head writes the first bytes of a text into a file.
func (b *bench) head(text corpus) (corpus, error) {
	raw, err := os.ReadFile(text.path)
	if err != nil {
		return corpus{}, err
	}
	return b.corpus("head of "+text.name, raw[:min(firstText, len(raw))])
}

// withCounter calls a function with a counter in a process of its own.
func (b *bench) withCounter(ctx context.Context, name, encoding string, do func(*counter) error) error {
	c, err := b.startCounter(ctx, name, encoding)
	if err != nil {
		return err
	}
	err = do(c)
	return errors.Join(err, c.close())
}

// measureTables measures the memory kept after the first count of prose, the growth by the first long piece,
// and the allocations of a warm count.
func (b *bench) measureTables(ctx context.Context, texts []corpus) error {
	text, err := b.head(texts[1])
	if err != nil {
		return err
	}
	long, err := b.corpus("long piece", append(kinds[0].text(1<<20), '\n'))
	if err != nil {
		return err
	}
	for _, e := range tokens.Encodings() {
		var ours, theirs growth
		var later, last counted
		err := b.withCounter(ctx, own, e.String(), func(c *counter) (err error) {
			if ours, err = firstGrowth(c, text); err != nil {
				return err
			}
			if later, err = c.ask("count", text.path, 1000, time.Minute, 0); err != nil {
				return err
			}
			last, err = c.ask("count", long.path, 1, 0, 0)
			return err
		})
		if err != nil {
			return err
		}
		err = b.withCounter(ctx, reference, e.String(), func(c *counter) (err error) { theirs, err = firstGrowth(c, text); return err })
		if err != nil {
			return err
		}
		b.report.add("memory that the first count of prose leaves on the heap, "+e.String(), fmt.Sprintf("%.1f MB", float64(ours.heap)/1e6),
			fmt.Sprintf("after a first piece of 1 MB: %.1f MB", float64(ours.heap+last.heap-later.heap)/1e6), "", "1")
		if ours.rss > 0 {
			b.report.add("″: growth of the process", megabytes(ours.rss), "npm `tiktoken`: "+megabytes(theirs.rss), ratio(time.Duration(ours.rss), time.Duration(theirs.rss)), "1")
		}
		b.report.add("″: allocations of a later count", fmt.Sprintf("%.2f", float64(later.allocations)/float64(len(later.took))), "", "", fmt.Sprint(len(later.took)))
	}
	return nil
}

// growth is the memory growth by the first count, in bytes.
type growth struct {
	heap int64 // ours only
	rss  int64 // of the process; 0 if the system does not report it
}

// firstGrowth measures a counter's first count.
func firstGrowth(c *counter, text corpus) (growth, error) {
	before, err := c.ask("nothing", text.path, 1, 0, 0)
	if err != nil {
		return growth{}, err
	}
	empty := memoryOf(c.cmd.Process.Pid)
	after, err := c.ask("count", text.path, 1, 0, 0)
	return growth{after.heap - before.heap, memoryOf(c.cmd.Process.Pid) - empty}, err
}
