package window

import (
	"slices"

	"ctxledger.dev/intents"
	"ctxledger.dev/sessions"
)

// The defaults of clearing.
const (
	keepResults   = 6
	keepFew       = 3
	fewBelow      = 100_000 // tokens of window
	leastCleared  = 3_000   // tokens
	recentFailure = 10      // messages in which errors stay
	// longPlaceholder is what no placeholder takes in tokens: longer results need no closer look.
	longPlaceholder = 100
)

// clearResults clears old results, all that are older than the newest few at once, when the view has grown beyond its
// share of the compaction threshold. What is cleared frees a part of it that is worth a step; the view then has to grow
// by as much before there is another one.
func clearResults(s *scene) (out []Edit) {
	c := s.policy.Clear
	if c.Trigger <= 0 || s.Request(s.used) <= s.policy.ClearAbove(s.Window) {
		return nil
	}
	freed := 0
	for _, a := range s.outdated() {
		if e := s.hide(a, cleared(a, s.count(a.resultTokens))); len(e) > 0 {
			out, freed = append(out, e...), freed+e[0].freed()
		}
		if c.Inputs && !a.argsEdited {
			out = append(out, s.rewrite(a, Edit{Text: keptNote(noteCleared, a.entry.Handle())})...)
		}
	}
	if s.count(freed) < s.policy.clearAtLeast(s.Window) {
		return nil
	}
	return out
}

// outdated returns the calls whose results a clearing takes: all but the newest few.
func (s *scene) outdated() []*act {
	old := s.clearable()
	return old[:max(0, len(old)-s.policy.Clear.keep(s.Window))]
}

// NextCleared is a result that the next clearing takes.
type NextCleared struct {
	Seq    int64 // of the entry that carries it
	Call   *sessions.Call
	Tokens int // o200k_base, as it is shown now
}

// NextClears returns the results that a clearing would take now, oldest first, whether one is due or not; nil where none ever is.
func NextClears(in Input, p Policy, st State) (out []NextCleared) {
	if p.Clear.Trigger <= 0 {
		return nil
	}
	for _, a := range newScene(in, p, st).outdated() {
		out = append(out, NextCleared{a.answer.Seq, a.Call, a.resultTokens})
	}
	return out
}

// clearable returns the calls whose results may be cleared, in order.
func (s *scene) clearable() (out []*act) {
	c := s.policy.Clear
	for i := range s.acts {
		a := &s.acts[i]
		switch {
		case a.result == nil || s.isCleared(a):
		case slices.ContainsFunc(c.Exclude, a.named), intents.Logs(a.Name):
		case len(c.Only) > 0 && !slices.ContainsFunc(c.Only, a.named):
		case a.result.Failed && a.slot+1 >= len(s.slots)-recentFailure:
		case a.resultTokens < longPlaceholder &&
			len(s.hide(a, cleared(a, s.count(a.resultTokens)))) == 0: // it is shorter than its placeholder
		default:
			out = append(out, a)
		}
	}
	return out
}

// isCleared reports whether a result is as short as it gets.
func (s *scene) isCleared(a *act) bool {
	e, edited := s.edits[editKey{a.answer.Seq, a.ID, PartResult}]
	return edited && e.Head+e.Tail == 0
}

// named reports whether a call is one of a tool, by any host's name for what it does.
func (a *act) named(tool string) bool {
	own, other := a.sameTool(tool)
	return own || other
}

// ClearAbove returns the tokens above which results are cleared: the step before a compaction. 0: they never are.
func (p Policy) ClearAbove(window int) int {
	return int(p.Clear.Trigger * float64(p.Compact.Threshold(window)))
}

func (c ClearPolicy) keep(window int) int {
	switch {
	case c.Keep > 0:
		return c.Keep
	case window > 0 && window < fewBelow:
		return keepFew
	}
	return keepResults
}

// clearAtLeast returns the tokens that a clearing has to free.
func (p Policy) clearAtLeast(window int) int {
	if p.Clear.AtLeast > 0 {
		return p.Clear.AtLeast
	}
	if p.Clear.Set {
		return p.Compact.Threshold(window) / 20 // or each result would be a step of its own
	}
	return max(leastCleared, p.Compact.Threshold(window)/5)
}
