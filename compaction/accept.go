package compaction

import (
	"fmt"
	"strings"

	"ctxledger.dev/internal/chars"
)

// accept holds a compaction against the post-conditions, in order. The first that fails names the
// outcome.
func accept(s *source, r *Record, text string, limit int) (Outcome, string) {
	for _, holds := range []func(*source, *Record, string, int) (Outcome, string){
		unitsWhole, smaller, pinnedPresent, fits,
	} {
		if outcome, why := holds(s, r, text, limit); outcome != Compacted {
			return outcome, why
		}
	}
	return Compacted, fmt.Sprintf("%s → %s tokens", chars.Commas(r.Before), chars.Commas(r.After))
}

// unitsWhole: the boundary parts no call from its results.
func unitsWhole(s *source, _ *Record, _ string, _ int) (Outcome, string) {
	if s.cut < len(s.in.Items) && !borders(s.in.Items)[s.cut] {
		return DoesNotFit, "the boundary would part a tool call from its results"
	}
	return Compacted, ""
}

// smaller: the whole view has fewer tokens than before, by real count.
func smaller(_ *source, r *Record, _ string, _ int) (Outcome, string) {
	if r.After >= r.Before {
		return NotSmaller, fmt.Sprintf("the view would have %s tokens instead of %s", chars.Commas(r.After), chars.Commas(r.Before))
	}
	return Compacted, ""
}

// pinnedPresent: what the caller pinned stands in the text, or in the part kept verbatim.
func pinnedPresent(s *source, _ *Record, text string, _ int) (Outcome, string) {
	for _, pin := range s.o.Pin {
		e, err := s.resolve(pin, make(map[string]bool))
		if err != nil || !strings.Contains(text, quoted(e.text)) {
			return DoesNotFit, fmt.Sprintf("the pinned %q would be lost", oneLine(pin, 60))
		}
	}
	return Compacted, ""
}

// quoted is a text as it stands in a document, without its label and fence.
func quoted(text string) string {
	text = strings.TrimSpace(chars.Strip(text))
	lines := strings.Split(text, "\n")
	if len(lines) == 1 {
		return text
	}
	for i, l := range lines {
		if poses(l) {
			lines[i] = "| " + l
		}
	}
	return strings.Join(lines, "\n")
}

// fits: the view after it is within the limit, where there is one.
func fits(_ *source, r *Record, _ string, limit int) (Outcome, string) {
	if limit > 0 && r.After > limit {
		return DoesNotFit, fmt.Sprintf("the view would have %s tokens, %s fit: the part kept verbatim is too large", chars.Commas(r.After), chars.Commas(limit))
	}
	return Compacted, ""
}
