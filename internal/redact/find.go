package redact

import (
	"cmp"
	"slices"
	"sync"
)

// ruleset is the table made ready.
type ruleset struct {
	filter prefilter
}

// builtin is the table of this package, compiled once for all redactors.
var builtin = sync.OnceValue(func() *ruleset { return newRuleset(rules()) })

func newRuleset(rows []row) *ruleset {
	s := new(ruleset)
	for i, w := range rows {
		r := w.compile(i)
		for _, literal := range w.literals {
			s.filter.add(r, literal)
		}
	}
	return s
}

// find returns the secrets of a text in their order, without overlaps.
func (s *ruleset) find(text []byte) []span {
	return disjoint(s.candidates(text), 0)
}

// candidates returns what the rules find, in any order.
func (s *ruleset) candidates(text []byte) []span {
	spans := s.plain(text)
	return s.encoded(spans, text)
}

// plain returns what the rules find in the text as it stands.
func (s *ruleset) plain(text []byte) []span {
	var spans []span
	s.filter.scan(text, func(r *rule, at, n int) {
		if found, ok := r.match(text, at, n); ok {
			spans = append(spans, found)
		}
	})
	return spans
}

// disjoint sorts spans and cuts what an earlier one covers off the later ones, so that nothing that any
// rule found stays visible. What lies before from is covered already.
func disjoint(spans []span, from int) []span {
	slices.SortFunc(spans, func(a, b span) int {
		return cmp.Or(a.start-b.start, b.end-a.end, a.order-b.order)
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
