package replay

import (
	"context"
	"errors"
	"slices"
	"strconv"

	"ctxledger.dev/internal/env"
	"ctxledger.dev/tokens"
)

// player counts what one policy's requests cost.
type player struct {
	*track
	scale
	out    Outcome
	before []block // the newest request
	cache  Cache   // of the provider
	long   int64   // tokens written into it for an hour
	// unpriced says that a price of what was used is not known.
	unpriced bool
	used     int // identifiers used and said before
	had      int // of them, those that the view had
	said     map[string]int
	taken    int // entries whose words are in said
	// back is what was read back, by the block behind which it came.
	back map[string][]block
}

// play replays the session under one policy.
func (t *track) play(ctx context.Context, e env.Env, p Policy, sc scale) (out Outcome, err error) {
	v, err := p.open(ctx, e, t, sc.limit())
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, v.Close()) }()
	pl := &player{track: t, scale: sc, out: Outcome{Policy: p.Name}, said: map[string]int{}, back: map[string][]block{}}
	for i := range t.steps {
		st := &t.steps[i]
		now, err := v.view(ctx, st)
		if err != nil {
			return out, err
		}
		if now.compacted {
			pl.out.Compactions++
		}
		if now.stepped {
			pl.out.Steps++
		}
		if now.summarised > 0 { // the whole view was sent once more, to be summarised
			pl.request(pl.before, st, int64(pl.factor*float64(now.summarised)))
		}
		blocks := pl.withBack(sendable(now.blocks))
		if !now.stepped && !startsWith(blocks, pl.before) {
			pl.out.Broken++
		}
		pl.request(blocks, st, st.usage.Output)
		if missing := pl.missing(blocks, st); !p.recorded {
			pl.readBack(blocks, st, missing)
		}
	}
	return pl.sum(), nil
}

// sendable leaves out what a view ends with while its calls are under way: no provider takes a request without
// their results, so a host that sent one all the same had broken them off.
func sendable(blocks []block) []block {
	for len(blocks) > 0 && blocks[len(blocks)-1].calls {
		blocks = blocks[:len(blocks)-1]
	}
	return blocks
}

// request charges one request. Whoever sends a view is taken to mark its parts so that all of what it shares with an
// earlier one can be read.
func (pl *player) request(blocks []block, st *step, output int64) {
	life := cacheLife
	if st.long {
		life = cacheLifeLong
	}
	asked := []Block{{ID: "prompt and tools", Tokens: pl.overhead, Life: life}}
	for _, b := range blocks {
		asked = append(asked, Block{ID: b.id, Tokens: pl.factor * float64(b.tokens), Life: life})
	}
	used := pl.cache.Use(st.at, asked)
	used.Output = output
	if pl.out.Requests > 0 {
		known := pl.of(view{blocks: blocks[:common(blocks, pl.before)]}.size())
		pl.out.Cold += max(0, known-used.CacheRead)
	}
	cost := pl.model.Rates(tokens.TermsOf(used.In())).Cost(used)
	pl.out.Dollars += cost.Dollars
	pl.unpriced = pl.unpriced || cost.Unpriced > 0
	pl.before, pl.long = blocks, pl.long+used.CacheWriteLong
	pl.out.Requests++
	pl.out.Input += used.In()
	pl.out.CacheRead += used.CacheRead
	pl.out.Output += output
	pl.out.Peak = max(pl.out.Peak, used.In())
}

// common is how many blocks both begin with.
func common(a, b []block) int {
	n := 0
	for n < min(len(a), len(b)) && a[n].id == b[n].id {
		n++
	}
	return n
}

func startsWith(all, beginning []block) bool { return common(all, beginning) == len(beginning) }

// missing returns the identifiers of a step that were said before and that the view lacks.
func (pl *player) missing(blocks []block, st *step) []string {
	for ; pl.taken < st.upTo; pl.taken++ {
		for w := range pl.shown(pl.taken).words {
			pl.said[w] = pl.taken
		}
	}
	var out []string
	seen := map[string]bool{}
	for _, id := range st.needed {
		if _, known := pl.said[id]; !known || seen[id] {
			continue
		}
		seen[id] = true
		pl.used++
		if inView(blocks, id) {
			pl.had++
		} else {
			out = append(out, id)
		}
	}
	return out
}

func inView(blocks []block, id string) bool {
	for _, b := range slices.Backward(blocks) { // the newest are the likeliest
		if b.words[id] {
			return true
		}
	}
	return false
}

// readBack charges a call of read_artifact for each identifier that the view lacks, with what it brings:
// the newest message that names it, as far as one answer goes.
func (pl *player) readBack(blocks []block, st *step, missing []string) {
	for _, id := range missing {
		if inView(blocks, id) {
			continue // an earlier one brought it
		}
		from := pl.shown(pl.said[id])
		b := block{id: "read " + id + strconv.Itoa(st.upTo), tokens: ReadCall + min(ReadMost, from.tokens),
			words: from.words}
		pl.out.ReadBack++
		last := ""
		if len(blocks) > 0 {
			last = blocks[len(blocks)-1].id
		}
		pl.back[last] = append(pl.back[last], b)
		blocks = append(blocks[:len(blocks):len(blocks)], b)
		pl.request(blocks, st, ReadCall)
	}
}

// withBack returns a view with what was read back in its place. What was read back goes with the
// message behind which it came.
func (pl *player) withBack(blocks []block) []block {
	if len(pl.back) == 0 {
		return blocks
	}
	var out []block
	for _, b := range blocks {
		out = append(out, b)
		for last := b.id; ; {
			more := pl.back[last]
			if len(more) == 0 {
				break
			}
			out = append(out, more...)
			last = more[len(more)-1].id
		}
	}
	return out
}

// sum returns the outcome.
func (pl *player) sum() Outcome {
	o := pl.out
	written := o.Input - o.CacheRead - pl.long
	if o.Priced = !pl.unpriced; !o.Priced {
		o.Dollars = 0
	}
	const readUnits, writeUnits, outputUnits = 0.1, 1.25, 5 // the usual relations of providers' prices
	o.Units = readUnits*float64(o.CacheRead) + writeUnits*float64(written) +
		tokens.LongWrite*float64(pl.long) + outputUnits*float64(o.Output)
	o.Stable = o.StableOf()
	o.Kept = shareOf(pl.had, pl.used)
	return o
}

// shareOf is n of all; 1 of nothing.
func shareOf(n, of int) float64 {
	if of == 0 {
		return 1
	}
	return float64(n) / float64(of)
}
