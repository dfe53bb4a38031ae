package window

import (
	"fmt"
	"strings"

	"ctxledger.dev/intents"
	"ctxledger.dev/internal/chars"
)

// pairStep is how many units go at once, so that the provider's cache holds for as many rounds.
const pairStep = 8

// keptUnits returns how many of g units stay under a window of n: between n and n + pairStep - 1.
func keptUnits(g, n int) int {
	if g <= n {
		return g
	}
	return g - (g-n)/pairStep*pairStep
}

// noteLines is how many calls a note names.
const noteLines = 100

// gateChars and gateShare bound where the pair window starts to work: below it a view stays as it is.
const (
	gateChars = 200_000
	gateShare = 0.9
)

// pairWindow collapses the oldest units into a note when there are too many. Adjacent units of one step become one
// note; notes of earlier steps stay as they are.
func pairWindow(s *scene) (out []Edit) {
	if s.policy.ToolPairs <= 0 || s.used*charsPerToken < s.gate() {
		return nil
	}
	units := s.newest() + 1
	gone := units - keptUnits(units, s.policy.ToolPairs)
	for from := 0; from < len(s.acts) && s.acts[from].unit < gone; {
		to := from
		for to+1 < len(s.acts) && s.acts[to+1].unit < gone && s.joined(to) {
			to++
		}
		out = append(out, s.note(s.acts[from:to+1])...)
		from = to + 1
	}
	return out
}

func (s *scene) gate() int {
	budget := gateChars
	if s.policy.InTurnTokens > 0 {
		budget = s.policy.InTurnTokens * charsPerToken
	}
	return int(gateShare * float64(budget))
}

// joined reports whether the unit of a call ends where that of the next one begins.
func (s *scene) joined(i int) bool {
	a, b := &s.acts[i], &s.acts[i+1]
	return a.unit == b.unit || b.slot == a.slot+2
}

// note proposes to replace whole units by a note.
func (s *scene) note(acts []act) []Edit {
	first, last := acts[0].slot, acts[len(acts)-1].slot+1
	if last >= len(s.slots) || acts[len(acts)-1].result == nil {
		return nil // its results are on their way
	}
	var b strings.Builder
	fmt.Fprintf(&b, collapsedHead, len(acts))
	for i := range acts {
		if i == noteLines {
			fmt.Fprintf(&b, "\n- … and %s more", chars.Commas(len(acts)-i))
			break
		}
		fmt.Fprintf(&b, "\n- %s → %s", acts[i].label(), s.outcome(&acts[i]))
		if h := acts[i].handle(); h != "" {
			fmt.Fprintf(&b, " (read_artifact id %s)", h)
		}
	}
	e := Edit{Part: PartRange, Text: b.String(), Tokens: frameTokens + textTokens(b.String())}
	e.Seq, e.To = bounds(s.slots[first : last+1])
	for _, slot := range s.slots[first : last+1] {
		e.Before += slot.Tokens
	}
	return smaller(e)
}

// bounds returns the first and the last entry of slots.
func bounds(slots []Slot) (from, to int64) {
	from = slots[0].Seqs[0]
	for _, slot := range slots {
		for _, seq := range slot.Seqs {
			from, to = min(from, seq), max(to, seq)
		}
	}
	return from, to
}

// outcome summarises the result of a call in a few words.
func (s *scene) outcome(a *act) string {
	switch {
	case a.result == nil:
		return "no result"
	case a.Op == intents.OpShell:
		return s.ended(a) + ", " + chars.Commas(a.result.Chars) + " chars"
	case a.result.Failed:
		return "failed, " + chars.Commas(a.result.Chars) + " chars"
	}
	return "ok, " + chars.Commas(a.result.Chars) + " chars"
}
