package main

import (
	"ctxledger.dev/engine/replay"
	"ctxledger.dev/tokens"
)

// reading is what an agent has to read back because what it was sent lacks it: each identifier that a call of the recorded
// answer names, that was said before, and that is nowhere in the request. One request more asks for it, and what that
// brings stays in all later ones.
type reading struct {
	words   map[string]map[string]bool // by block
	said    map[string]string          // the newest block that says a word
	back    map[string]bool            // words of what was read back
	carried float64                    // tokens that were read back
	fresh   float64                    // of them, not yet in the provider's cache
}

func newReading() *reading {
	return &reading{words: map[string]map[string]bool{}, said: map[string]string{}, back: map[string]bool{}}
}

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
		if seen[id] || r.back[id] || !has(r, written, id) || has(r, sent, id) {
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

// charge returns what a request costs more for what was read back before it.
func (r *reading) charge(model string, used tokens.Used, long bool) float64 {
	x := tokens.Builtin().Rates(model, tokens.TermsOf(used.In()))
	write := x.CachedWrite
	if long {
		write = x.LongWrite
	}
	old := x.CachedRead
	if used.CacheRead < used.Written() { // the cache was lost
		old = write
	}
	cost := r.carried*old + r.fresh*write
	r.carried, r.fresh = r.carried+r.fresh, 0
	return cost
}

// ask reads back an identifier, and returns what that costs.
func (r *reading) ask(id string, size float64, model string, used tokens.Used) float64 {
	for w := range r.words[r.said[id]] {
		r.back[w] = true
	}
	x := tokens.Builtin().Rates(model, tokens.TermsOf(used.In()))
	r.fresh += replay.ReadCall + min(replay.ReadMost, size)
	return (float64(used.In())+r.carried)*x.CachedRead + replay.ReadCall*x.Output
}
