package main

import (
	"cmp"
	"slices"

	"ctxledger.dev/engine/replay"
	"ctxledger.dev/tokens"
)

// reading is what an agent has to read back because what it was sent lacks it: each identifier that a call of the recorded
// answer names, that was said before, and that is nowhere in the request. One request more asks for it, and what that
// brings stays in all later ones, until the messages go behind which it came.
type reading struct {
	words map[string]map[string]bool // by block
	said  map[string]string          // the newest block that says a word
	back  []back
}

// back is what was read back once.
type back struct {
	behind string          // the block behind which it came: see place
	words  map[string]bool // of it
	tokens float64
	cached bool // by the provider
}

func newReading() *reading {
	return &reading{words: map[string]map[string]bool{}, said: map[string]string{}}
}

// place names a block: also what stands in the place of a result has the same place.
func place(b block) string { return cmp.Or(b.call, b.id) }

// of returns the words of a block.
func (r *reading) of(b block) map[string]bool {
	words, known := r.words[b.id]
	if !known {
		_, words = replay.Identifiers(b.text)
		r.words[b.id] = words
		for w := range words {
			r.said[w] = b.id
		}
	}
	return words
}

// missing returns the identifiers that an answer needs, that a request as written has, and as sent has not.
func (r *reading) missing(needed []string, written, sent []block) (out []string) {
	for _, b := range written {
		r.of(b)
	}
	seen := map[string]bool{}
	for _, id := range needed {
		if seen[id] || r.has(id) || !has(r, written, id) || has(r, sent, id) {
			continue
		}
		seen[id] = true
		out = append(out, id)
	}
	return out
}

func has(r *reading, blocks []block, id string) bool {
	for i := len(blocks) - 1; i >= 0; i-- { // the newest are the likeliest
		if r.of(blocks[i])[id] {
			return true
		}
	}
	return false
}

// has reports whether something that was read back has a word.
func (r *reading) has(id string) bool {
	return slices.ContainsFunc(r.back, func(b back) bool { return b.words[id] })
}

// carried are the tokens that were read back.
func (r *reading) carried() (n float64) {
	for _, b := range r.back {
		n += b.tokens
	}
	return n
}

// charge returns what a request costs more for what was read back before it.
func (r *reading) charge(model string, used tokens.Used, long bool, sent []block) (cost float64) {
	places := map[string]bool{}
	for _, b := range sent {
		places[place(b)] = true
	}
	r.back = slices.DeleteFunc(r.back, func(b back) bool { return !places[b.behind] })
	x := tokens.Builtin().Rates(model, tokens.TermsOf(used.In()))
	write := x.CachedWrite
	if long {
		write = x.LongWrite
	}
	lost := used.CacheRead < used.Written()
	for i, b := range r.back {
		if b.cached && !lost {
			cost += b.tokens * x.CachedRead
		} else {
			cost += b.tokens * write
		}
		r.back[i].cached = true
	}
	return cost
}

// bring reads back identifiers behind a request, and returns how many calls that takes and what they cost. What one brings is
// not asked for again.
func (r *reading) bring(ids []string, sizeOf func(id string) float64, a answered) (calls int, cost float64) {
	x := tokens.Builtin().Rates(a.model, tokens.TermsOf(a.used.In()))
	for _, id := range ids {
		if r.has(id) {
			continue
		}
		calls++
		cost += (float64(a.used.In())+r.carried())*x.CachedRead + replay.ReadCall*x.Output
		r.back = append(r.back, back{behind: place(a.blocks[len(a.blocks)-1]), words: r.words[r.said[id]],
			tokens: replay.ReadCall + min(replay.ReadMost, sizeOf(id))})
	}
	return calls, cost
}
