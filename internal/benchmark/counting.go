package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"ctxledger.dev/tokens"
)

// firstText is how much prose a fresh process counts, in bytes.
const firstText = 100_000

// measureTokens measures counting in processes that do nothing else: real text beside npm's counters,
// what a fresh process pays, and pieces that break counters.
func measureTokens(ctx context.Context, b *bench) error {
	if err := b.buildCounters(ctx); err != nil {
		return err
	}
	texts, err := b.corpora(ctx, b.text)
	if err != nil {
		return err
	}
	g := grid{
		title: fmt.Sprintf("Counting whole texts, MB/s of one thread, medians of %d rounds in which all counters take turns. "+
			"In brackets: how many tokens more or fewer than npm `tiktoken`, the reference.", b.rounds()),
		header: slices.Concat([]string{"text", "encoding", "tokens"}, ownCounters, npmCounters, []string{"times `tiktoken`", "times the fastest of npm"}),
	}
	var prose float64 // in MB/s
	for _, e := range tokens.Encodings() {
		speeds, err := b.throughput(ctx, e.String(), texts, "count")
		if err != nil {
			return err
		}
		for i, text := range texts {
			g.rows = append(g.rows, speeds[i].row(text, e.String()))
		}
		if prose == 0 {
			prose = speeds[1].speed(own, texts[1])
		}
		b.report.add("allocations of one count of "+texts[1].name+", "+e.String(), fmt.Sprint(speeds[1][own].allocations), "", "", fmt.Sprint(b.rounds()))
	}
	b.report.grids = append(b.report.grids, g)
	for _, measure := range []func(context.Context, []corpus) error{b.measureEncode, b.measureFirst, b.measureTables} {
		if err := measure(ctx, texts); err != nil {
			return err
		}
	}
	return b.measureLongPieces(ctx, prose)
}

// rounds is how often every counter is asked, in turns, after a first time that is not counted.
func (b *bench) rounds() int { return min(3, b.runs) }

// speeds is what the counters took for one text, by their names.
type speeds map[string]counted

// throughput has all counters do the same with all texts.
func (b *bench) throughput(ctx context.Context, encoding string, texts []corpus, task string) (results []speeds, err error) {
	counters := map[string]*counter{}
	defer func() {
		for _, c := range counters {
			err = errors.Join(err, c.close())
		}
	}()
	for _, name := range slices.Concat(ownCounters, npmCounters) {
		if counters[name], err = b.startCounter(ctx, name, encoding); err != nil {
			return nil, err
		}
	}
	for _, text := range texts {
		s := speeds{}
		for round := range 1 + b.rounds() {
			for name, c := range counters {
				r, err := c.ask(task, text.path, 1, 0, 0)
				if err != nil {
					return nil, err
				}
				if round > 0 {
					r.took = append(r.took, s[name].took...)
					s[name] = r
				}
			}
		}
		results = append(results, s)
	}
	return results, nil
}

// speed is that of one counter, in MB/s.
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

// row is the line of the table for one text.
func (s speeds) row(text corpus, encoding string) []string {
	want := s[reference].n
	cells := []string{fmt.Sprintf("%s, %s", text.name, megabytes(text.size)), encoding, fmt.Sprint(want)}
	for _, name := range slices.Concat(ownCounters, npmCounters) {
		cell := fmt.Sprintf("%.3g", s.speed(name, text))
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

// measureEncode measures encoding Go source, beside npm's counters doing the same.
func (b *bench) measureEncode(ctx context.Context, texts []corpus) error {
	results, err := b.throughput(ctx, tokens.O200kBase.String(), texts[:1], "encode")
	if err != nil {
		return err
	}
	s, text := results[0], texts[0]
	speed := s.speed(own, text)
	for _, beside := range []struct {
		name  string
		speed float64
	}{{"npm `tiktoken`", s.speed(reference, text)}, {"the fastest of npm", s.fastest(text)}} {
		b.report.add("encoding "+text.name+", o200k_base, ids in memory that is there", fmt.Sprintf("%.0f MB/s", speed),
			fmt.Sprintf("%s: %.1f MB/s", beside.name, beside.speed), fmt.Sprintf("%.0f × as fast", speed/beside.speed), fmt.Sprint(b.rounds()))
	}
	return nil
}

// measureFirst measures the first count of a fresh process, alone and with the process around it.
func (b *bench) measureFirst(ctx context.Context, texts []corpus) error {
	text, err := b.head(texts[1], "first.txt", firstText)
	if err != nil {
		return err
	}
	for _, e := range tokens.Encodings() {
		var first, whole, theirs times
		for i := range 5 * b.runs {
			var r counted
			if err := whole.clock(func() error { r, err = b.once(ctx, own, e.String(), text); return err }); err != nil {
				return err
			}
			first = append(first, r.took...)
			if i%5 > 0 {
				continue // they take long
			}
			if err := theirs.clock(func() error { _, err = b.once(ctx, reference, e.String(), text); return err }); err != nil {
				return err
			}
		}
		b.report.add(fmt.Sprintf("first count of a fresh process, %d KB of prose, %s", text.size/1000, e), millis(first.median()), "", "", fmt.Sprint(len(first)))
		b.report.add("″: the whole process", millis(whole.median()), "with npm `tiktoken`: "+millis(theirs.median()),
			fmt.Sprintf("%.0f × as fast", float64(theirs.median())/float64(whole.median())), fmt.Sprintf("%d and %d", len(whole), len(theirs)))
	}
	return nil
}

// head writes the first bytes of a text into a file.
func (b *bench) head(text corpus, name string, size int) (corpus, error) {
	raw, err := readText(text.path)
	if err != nil {
		return corpus{}, err
	}
	return b.corpus(name, raw[:min(size, len(raw))])
}

// once counts a text once in a process of its own.
func (b *bench) once(ctx context.Context, name, encoding string, text corpus) (r counted, err error) {
	c, err := b.startCounter(ctx, name, encoding)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, c.close()) }()
	return c.ask("count", text.path, 1, 0, 0)
}

// measureTables measures what the first count of prose leaves in memory, and what the first long piece adds.
func (b *bench) measureTables(ctx context.Context, texts []corpus) error {
	text, err := b.head(texts[1], "tables.txt", firstText)
	if err != nil {
		return err
	}
	long, err := b.corpus("long.txt", append(kinds[0].text(1<<20), '\n'))
	if err != nil {
		return err
	}
	for _, e := range tokens.Encodings() {
		ours, rss, err := b.growth(ctx, own, e.String(), text, long)
		if err != nil {
			return err
		}
		_, theirs, err := b.growth(ctx, reference, e.String(), text)
		if err != nil {
			return err
		}
		b.report.add("memory that the first count of prose leaves on the heap, "+e.String(), fmt.Sprintf("%.1f MB", float64(ours[0])/1e6),
			fmt.Sprintf("after a first piece of 1 MB: %.1f MB", float64(ours[1])/1e6), "", "1")
		if rss > 0 {
			b.report.add("″: growth of the process", megabytes(rss), "npm `tiktoken`: "+megabytes(theirs), ratio(time.Duration(rss), time.Duration(theirs)), "1")
		}
	}
	return nil
}

// growth returns by how much the heap has grown after each of the texts, and the whole process (0 where
// the system does not tell) after the first of them.
func (b *bench) growth(ctx context.Context, name, encoding string, texts ...corpus) (heap []int64, rss int64, err error) {
	c, err := b.startCounter(ctx, name, encoding)
	if err != nil {
		return nil, 0, err
	}
	defer func() { err = errors.Join(err, c.close()) }()
	before, err := c.ask("nothing", texts[0].path, 1, 0, 0)
	if err != nil {
		return nil, 0, err
	}
	empty := memoryOf(c.cmd.Process.Pid)
	for _, text := range texts {
		after, err := c.ask("count", text.path, 1, 0, 0)
		if err != nil {
			return nil, 0, err
		}
		if heap == nil {
			rss = memoryOf(c.cmd.Process.Pid) - empty
		}
		heap = append(heap, after.heap-before.heap)
	}
	return heap, rss, nil
}
