package main

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"time"

	"ctxledger.dev/cli/columns"
	"ctxledger.dev/engine/replay"
	"ctxledger.dev/tokens"
)

// predicted is what the rules make of a session, and what its provider reported.
type predicted struct {
	Session   string      `json:"session"`
	Provider  string      `json:"provider"`
	Requests  int         `json:"requests"`
	Rules     tokens.Used `json:"rules"`
	Recorded  tokens.Used `json:"recorded"`
	Dollars   float64     `json:"dollars"`
	Reported  float64     `json:"reported_dollars"`
	Lost      int         `json:"lost"` // requests that read less than the rules say, for no reason that is recorded
	LostInput int64       `json:"lost_input"`
}

// rulesOf returns the rules of the provider of a session, and its name.
func (r *recording) rulesOf(model string) (replay.Rules, string) {
	if r.host == codex {
		return replay.OpenAI(model), "OpenAI"
	}
	return replay.Anthropic(model), "Anthropic"
}

// predict plays a session by the rules: sizes and times of its requests are as recorded, and what they read and write is
// not looked at, but for what other sessions had in the cache when it began. given says that what is left in the cache
// behind a loss, a compaction or a pause is given, too: how much of the request was as before is not recorded.
func (r *recording) predict(given bool) predicted { return r.predictSized(r.sizes(), given) }

// sizes returns how large the requests were.
func (r *recording) sizes() (out []float64) {
	for _, q := range r.requests {
		out = append(out, float64(q.Usage.Prompt()))
	}
	return out
}

// predictSized plays a session whose requests have other sizes.
func (r *recording) predictSized(sizes []float64, given bool) (out predicted) {
	rules, name := r.rulesOf(r.requests[0].Model)
	out = predicted{Session: r.name, Provider: name, Requests: len(r.requests)}
	caches := map[string]*replay.Cache{}
	talk := growing{first: min(r.system(), sizes[0])}
	kept := r.shared() // by other sessions
	for i, q := range r.requests {
		c := caches[q.Model]
		if c == nil {
			c = &replay.Cache{Rules: rules}
			caches[q.Model] = c
		}
		lost := r.lost(i)
		if lost {
			out.Lost++
			out.LostInput += r.had(i-1) - q.Usage.CacheRead
		}
		if q.Compacted {
			talk.anew()
		}
		talk.cut(sizes[i])
		if given && (lost || q.Compacted || r.expired(i)) {
			talk.first, kept = float64(q.Usage.CacheRead), q.Usage.CacheRead > 0
			talk.anew()
		}
		if kept {
			c.Use(q.At, []replay.Block{{ID: talk.shared(), Tokens: talk.first, Life: life(q)}})
		}
		used := c.Use(q.At, talk.grow(q, sizes[i], rules.Free))
		if rules.Free { // its answer is cached with it
			c.Use(q.At, talk.answered(q))
		}
		used.Output = q.Usage.Output
		out.Rules = out.Rules.Plus(used)
		out.Recorded = out.Recorded.Plus(q.Usage.Used())
		out.Dollars += costOf(q.Model, used)
		out.Reported += costOf(q.Model, q.Usage.Used())
	}
	return out
}

// growing is a conversation of which only the sizes are known.
type growing struct {
	first  float64 // tokens that it shares with other sessions
	blocks []replay.Block
	made   int // blocks ever
}

// shared is the id of what it shares.
func (g *growing) shared() string { return fmt.Sprint("shared ", g.first) }

// anew forgets what was said.
func (g *growing) anew() { g.blocks = nil }

// cut makes a conversation as small as a request: without its end, such as reasoning that is not sent again, or anew if much
// is missing, which was in the middle.
func (g *growing) cut(to float64) {
	const little = 0.05
	if g.size()-to > little*to {
		g.anew()
	}
	for len(g.blocks) > 0 && g.size() > to {
		g.blocks = g.blocks[:len(g.blocks)-1]
	}
}

func (g *growing) size() (n float64) {
	for _, b := range g.blocks {
		n += b.Tokens
	}
	return n + g.first
}

func (g *growing) add(tokens float64, life time.Duration) {
	g.made++
	g.blocks = append(g.blocks, replay.Block{ID: fmt.Sprint(g.made), Tokens: tokens, Life: life})
}

// grow returns a request, which is so large. free says that all of it is marked, else what its provider has
// read or written.
func (g *growing) grow(q replay.Request, size float64, free bool) []replay.Block {
	for i := range g.blocks {
		if g.blocks[i].Life = 0; free {
			g.blocks[i].Life = life(q)
		}
	}
	more := max(0, size-g.size())
	if behind := min(more, float64(q.Usage.Input)); !free && behind > 0 {
		g.add(more-behind, life(q))
		g.add(behind, 0)
	} else {
		g.add(more, life(q))
	}
	return append([]replay.Block{{ID: g.shared(), Tokens: g.first, Life: life(q)}}, g.blocks...)
}

// answered returns a request with its answer, which becomes a part of the conversation.
func (g *growing) answered(q replay.Request) []replay.Block {
	g.add(float64(q.Usage.Output), life(q))
	return append([]replay.Block{{ID: g.shared(), Tokens: g.first, Life: life(q)}}, g.blocks...)
}

// off returns by how much a figure is too large, as a share of what it should be.
func off(got, want float64) float64 {
	if want == 0 {
		return 0
	}
	return got/want - 1
}

// errors are those of a prediction: of what is read from the cache, written to it, and paid.
func (p predicted) errors() [3]float64 {
	return [3]float64{off(float64(p.Rules.CacheRead), float64(p.Recorded.CacheRead)),
		off(float64(p.Rules.Written()), float64(p.Recorded.Written())), off(p.Dollars, p.Reported)}
}

// plus sums predictions.
func (p predicted) plus(q predicted) predicted {
	return predicted{Provider: q.Provider, Requests: p.Requests + q.Requests, Rules: p.Rules.Plus(q.Rules),
		Recorded: p.Recorded.Plus(q.Recorded), Dollars: p.Dollars + q.Dollars, Reported: p.Reported + q.Reported,
		Lost: p.Lost + q.Lost, LostInput: p.LostInput + q.LostInput}
}

// near is how near a prediction has to be.
const near = 0.02

// printRules prints how near the rules are, in sum and by session.
func printRules(w io.Writer, title string, all []predicted) {
	byName := map[string][]predicted{}
	for _, p := range all {
		byName[p.Provider] = append(byName[p.Provider], p)
	}
	t := columns.New(columns.Cut, false, title, ">SESSIONS", ">REQUESTS", ">READS", ">WRITES", ">COST", ">MEDIAN", ">P90",
		">COST WITHIN 2%", ">LOST")
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		var sum predicted
		var costs []float64
		within := 0
		for _, p := range byName[name] {
			sum = sum.plus(p)
			cost := math.Abs(p.errors()[2])
			costs = append(costs, cost)
			if cost <= near {
				within++
			}
		}
		slices.Sort(costs)
		e := sum.errors()
		t.Add(name, fmt.Sprint(len(costs)), fmt.Sprint(sum.Requests), signed(e[0]), signed(e[1]), signed(e[2]),
			signed(costs[len(costs)/2]), signed(costs[len(costs)*9/10]), fmt.Sprintf("%d (%.0f%%)", within, 100*float64(within)/float64(len(costs))),
			fmt.Sprint(sum.Lost))
	}
	t.Print(w)
}

func signed(share float64) string { return fmt.Sprintf("%+.2f%%", 100*share) }
