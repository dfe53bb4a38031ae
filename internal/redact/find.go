package redact

import (
	"bytes"
	"cmp"
	"slices"
	"sync"
)

// ruleset is the table made ready.
type ruleset struct {
	filter prefilter
	rules  int
	key    *rule // that of private keys, which are found by the shape of their lines as well
	noise  *rule // its literals tell that something in a text is invisible; it finds nothing
}

// builtin is the table of this package, compiled once for all redactors.
var builtin = sync.OnceValue(func() *ruleset { return newRuleset(rules()) })

func newRuleset(rows []row) *ruleset {
	s := &ruleset{rules: len(rows), noise: &rule{order: len(rows)}}
	for _, literal := range invisible() {
		s.filter.add(s.noise, literal)
	}
	for i, w := range rows {
		r := w.compile(i)
		if w.kind == privateKey {
			s.key = r
		}
		for _, literal := range w.literals {
			s.filter.add(r, literal)
		}
	}
	return s
}

// find returns the secrets of a text in their order, without overlaps.
func (s *ruleset) find(text []byte) []span {
	return disjoint(s.candidates(text, 0), 0)
}

// candidates returns what the rules find, in any order. Invisible things are looked behind from base on.
func (s *ruleset) candidates(text []byte, base int) []span {
	return s.percent(s.base64(s.plain(text, base), text), text)
}

// plain returns what the rules find in the text as it is, and without what is invisible in it.
func (s *ruleset) plain(text []byte, base int) []span {
	spans, noise := s.raw(text)
	return s.clean(spans, text, base, noise)
}

// raw returns what the rules find in the text as it is, and where something in it is invisible.
func (s *ruleset) raw(text []byte) (spans []span, noise []int) {
	var bare extent
	var ends []int // where the newest find of each rule ends; nil before the first: most texts have none
	s.filter.scan(text, func(r *rule, at, n int) {
		switch {
		case r == s.noise:
			if isNoise(text, at) {
				noise = append(noise, at)
			}
		case ends != nil && at < ends[r.order]:
			// Inside of what it has found: a text of nothing but beginnings costs no more than another.
		case r.parse != nil:
			spans = r.parsed(spans, text, at, n)
		default:
			if found, ok := r.match(text, at, n, &bare); ok {
				if ends == nil {
					ends = make([]int, s.rules)
				}
				spans, ends[r.order] = append(spans, found), found.end
			}
		}
	})
	return spans, noise
}

// disjoint sorts spans and cuts what an earlier one covers off the later ones, so that nothing that any
// rule found stays visible. What precedes from is covered already.
func disjoint(spans []span, from int) []span {
	slices.SortFunc(spans, func(a, b span) int {
		// Of one secret found raw and decoded, the decoded one is what it is elsewhere, too.
		return cmp.Or(a.start-b.start, b.end-a.end, a.order-b.order, bytes.Compare(b.secret, a.secret))
	})
	kept := spans[:0]
	for _, s := range spans {
		if s.end <= from {
			continue
		}
		s.start = max(s.start, from)
		kept, from = append(kept, s), s.end
	}
	return kept
}
