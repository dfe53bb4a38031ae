package compaction

import (
	"fmt"
	"strings"

	"ctxledger.dev/compaction/layout"
	"ctxledger.dev/internal/chars"
)

// accept checks the post-conditions of a compaction in order. The first violation names the outcome.
func accept(s *source, r *Record, text string, limit int) (Outcome, string) {
	for _, holds := range []func(*source, *Record, string, int) (Outcome, string){
		unitsWhole, smaller, worthwhile, pinnedPresent, fits,
	} {
		if outcome, why := holds(s, r, text, limit); outcome != Compacted {
			return outcome, why
		}
	}
	return Compacted, fmt.Sprintf("%s → %s tokens", chars.Commas(r.Before), chars.Commas(r.After))
}

// unitsWhole requires that the boundary separates no call from its results.
func unitsWhole(s *source, _ *Record, _ string, _ int) (Outcome, string) {
	if s.cut < len(s.in.Items) && !borders(s.in.Items)[s.cut] {
		return DoesNotFit, "the boundary would split a tool call and its results"
	}
	return Compacted, ""
}

// smaller requires fewer tokens in the whole view than before, by exact count.
func smaller(s *source, r *Record, _ string, _ int) (Outcome, string) {
	if r.After >= r.Before {
		return NotSmaller, fmt.Sprintf("the view would have %s instead of %s", s.in.sized(r.After),
			s.in.sized(r.Before))
	}
	return Compacted, ""
}

// leastGain is how much of the view a compaction saves at least that nothing but a request asks for, in percent.
const leastGain = 10

// worthwhile requires that a compaction which only a request asks for is worth rewriting a view that fits. A request
// that says how many turns are kept is obeyed.
func worthwhile(s *source, r *Record, _ string, _ int) (Outcome, string) {
	usable := s.in.usable()
	due := !s.o.requested() || usable > 0 && r.Before > usable
	if due || s.o.Keep > 0 || s.o.Whole || s.o.Mode == Window || 100*(r.Before-r.After) >= leastGain*r.Before {
		return Compacted, ""
	}
	return NothingToDo, fmt.Sprintf("it still fits, and compacting it would save only %s of %s, less than %d%%; "+
		"to compact it anyway, say how many turns to keep (--keep or keep_turns)", s.in.sized(r.Before-r.After),
		s.in.sized(r.Before), leastGain)
}

// pinnedPresent requires every pin in the text or in the part kept verbatim.
func pinnedPresent(s *source, _ *Record, text string, _ int) (Outcome, string) {
	for _, pin := range s.o.Pin {
		e, err := resolvePin(s, pin, make(map[string]bool))
		if err != nil || !strings.Contains(text, layout.Body(e.Text)) {
			return DoesNotFit, fmt.Sprintf("the pinned %q would be lost", layout.OneLine(pin, 60))
		}
	}
	return Compacted, ""
}

// fits requires a view within the limit, if there is one.
func fits(s *source, r *Record, _ string, limit int) (Outcome, string) {
	if limit > 0 && r.After > limit {
		return DoesNotFit, fmt.Sprintf("the view would have %s, but only %s fit: the part kept verbatim is too large",
			s.in.sized(r.After), chars.Commas(limit))
	}
	return Compacted, ""
}
