package main

import (
	"slices"
	"strings"

	"ctxledger.dev/engine/replay"
	"ctxledger.dev/tokens"
	"ctxledger.dev/transcript"
)

// sized is what the provider counted of a recording.
type sized struct {
	sizes  map[string]float64 // tokens of blocks of messages
	factor float64            // tokens for one of o200k_base
	// prompt is what no message shows of the first request: the system prompt, and tools.
	prompt float64
	odd    int // requests whose growth is not that of their messages
}

// sizes calibrates the tokens of blocks with what the provider counted: what a request has that is not explained by the
// blocks known before is what the new ones have, in proportion to their estimates. What they cannot explain, such as
// reasoning, belongs to the words of the model, which no step cuts. Where a request is smaller than its messages, its host has
// cleared old results; what they do not explain stays as a difference until the next compaction.
func (m *messagesOf) sizes() sized {
	s := sized{sizes: map[string]float64{}, factor: m.factor()}
	cleared := 0.0
	for i, q := range m.requests {
		var fresh []block
		guess, known := 0.0, 0.0
		for _, said := range m.of(q) {
			for _, b := range said.blocks {
				size, had := s.sizes[b.id]
				if had {
					known += size
					continue
				}
				s.sizes[b.id] = s.factor * float64(b.tokens)
				guess += s.sizes[b.id]
				fresh = append(fresh, b)
			}
		}
		if q.Compacted {
			cleared = 0
		}
		now := float64(q.Usage.Prompt())
		if i == 0 {
			s.prompt = max(leastPrompt, now-guess)
			known += guess
		}
		switch rest := now + cleared - s.prompt - known; {
		case i == 0 || rest == guess:
		case rest > guess && len(fresh) > 0:
			s.give(fresh, rest-guess)
		case rest > leastShare*guess && len(fresh) > 0:
			for _, b := range fresh {
				s.sizes[b.id] *= rest / guess
			}
		default:
			s.odd++
			if cleared += guess - rest; guess-rest >= leastCleared {
				cleared -= s.clear(m, q, guess-rest)
			}
		}
	}
	for _, said := range m.made {
		for _, b := range said.blocks {
			if transcript.EarlierBy(b.text) != "" {
				s.sizes[earlier+strings.TrimSpace(b.text)] = s.sizes[b.id]
			}
		}
	}
	return s
}

// earlier and the text of an agent's summary name its size, besides the id of its block.
const earlier = "summary: "

// clear clears the oldest results of a request until it is as many tokens smaller, but not its newest ones, and returns by how
// much it became smaller.
func (s *sized) clear(m *messagesOf, q replay.Request, tokens float64) (freed float64) {
	const kept = 3 // as Claude Code does
	var results []block
	for _, said := range m.of(q) {
		results = append(results, slices.DeleteFunc(slices.Clone(said.blocks), func(b block) bool { return !b.result })...)
	}
	for _, b := range results[:max(0, len(results)-kept)] {
		with := b.clear()
		s.sizes[with.id] = s.factor * float64(with.tokens)
		if less := s.sizes[b.id] - s.sizes[with.id]; less > 0 && freed+less <= tokens+leastPrompt {
			m.cleared[b.id], m.clears[q.UpTo] = q.UpTo, true
			freed += less
		}
	}
	return freed
}

const (
	leastPrompt  = 1_500 // tokens
	leastCleared = 5_000 // tokens that a host clears at once: less is noise
	leastShare   = 0.3   // of an estimate: less is not what the tokenizer makes of it
)

// give adds tokens to the first of some blocks that the model said, or else to the first.
func (s *sized) give(blocks []block, tokens float64) {
	at := max(0, slices.IndexFunc(blocks, func(b block) bool { return b.said }))
	s.sizes[blocks[at].id] += tokens
}

// factor is the provider's tokens for one of o200k_base: the median of requests that grew by much.
func (m *messagesOf) factor() float64 {
	const much, least, most, enough = 500, 0.5, 3, 5
	var all []float64
	size, before := 0, 0
	for _, q := range m.requests {
		n := 0
		for _, said := range m.of(q) {
			for _, b := range said.blocks {
				n += b.tokens
			}
		}
		now := q.Usage.Prompt()
		if f := float64(now-before) / float64(max(1, n-size)); n-size >= much && before > 0 && f > least && f < most {
			all = append(all, f)
		}
		size, before = n, now
	}
	if len(all) < enough {
		const sample = 1_000_000
		return float64(tokens.Builtin().For(m.requests[0].Model).Of(sample).N) / sample
	}
	slices.Sort(all)
	return all[len(all)/2]
}
