package compaction

import (
	"fmt"
	"strings"

	"ctxledger.dev/compaction/feedback"
	"ctxledger.dev/compaction/layout"
	"ctxledger.dev/internal/chars"
)

const (
	// windowTokens is the size of the whole view that window mode works towards by default.
	windowTokens = 80_000
	windowHead   = "[PINNED MESSAGES — verbatim, from turns dropped by window mode]"
)

// planWindow drops the oldest turns until the whole view fits its budget. Never dropped: the newest
// turn, the first request, rules and corrections of the user, earlier summaries.
func planWindow(in *Input, o Options) (Proposal, error) {
	limit := o.Budget
	if limit == 0 {
		limit = windowTokens
	}
	if in.Window > 0 {
		limit = min(limit, in.Window)
	}
	v := newView(in)
	if v.before <= limit {
		return nothing("the whole view, %s, fits the budget of %s", in.sized(v.before), chars.Commas(limit)), nil
	}
	ok := borders(in.Items)
	target := limit
	last := lastTurns(in.Items, ok, v.start, max(1, o.Keep))
	if last <= v.start {
		return nothing("only turns that are always kept are left: %s, budget %s", in.sized(v.before),
			chars.Commas(limit)), nil
	}
	var p Proposal
	for cut := v.start + 1; cut <= last; cut++ {
		turnStart := ok[cut] && in.Items[cut].Turn != in.Items[cut-1].Turn
		if cut < last && (!turnStart || v.kept(cut) > target) {
			continue
		}
		s, err := newSource(in, o, draftID(in, o, cut), cut, limit)
		if err != nil {
			return Proposal{}, err
		}
		text, err := windowText(s)
		if err != nil {
			return Proposal{}, err
		}
		if p = v.judge(s, Window, text, limit); p.Outcome == Compacted {
			break
		}
		target = limit - asMessage(text) - p.Record.resumeTokens() // what is pinned only grows with the range
	}
	return p, nil
}

// windowText returns what replaces the dropped turns: an earlier summary, the pinned messages, and one line with
// the number of dropped turns and their handle.
func windowText(s *source) (string, error) {
	var parts []string
	earlier := earlierSummary(s.in)
	if earlier != "" {
		parts = append(parts, earlier)
	}
	pinned, err := windowPins(s)
	if err != nil {
		return "", err
	}
	block := windowHead
	for _, e := range pinned {
		if q := layout.Print(e); !strings.Contains("\n"+earlier, "\n"+q+"\n") { // otherwise the earlier summary has it
			block += "\n" + q
		}
	}
	block += fmt.Sprintf("\n[%s earlier turn(s) dropped by window mode: %s]", chars.Commas(s.dropped()), s.retrieve())
	return strings.Join(append(parts, block), layout.Rule), nil
}

// windowPins returns what callers pinned, the first request, and rules and corrections.
func windowPins(s *source) ([]layout.Entry, error) {
	pins, ids, err := pinsOf(s)
	if err != nil {
		return nil, err
	}
	var out []layout.Entry
	for _, p := range pins {
		out = append(out, p.Entry)
	}
	for i, u := range s.in.talk.user {
		tag := feedback.Standing(u.text)
		switch {
		case u.via != "" && u.via != viaLoaded:
		case u.index >= s.cut || ids[u.item.ID]:
		case i == 0 && u.via == "":
			out = append(out, layout.Entry{Label: u.label(s.cut, "first request"),
				Text: layout.Fit(u.text, s.budget/4, handleOf(u.item.ID))})
		case tag != "" && len(u.text) <= ruleLength:
			out = append(out, layout.Entry{Label: u.label(s.cut, tag), Text: u.text})
		}
	}
	return out, nil
}

// dropped counts the turns that are no longer in the view, including those that only a summary covers.
func (s *source) dropped() int {
	turns := make(map[int]bool)
	for i := range s.in.Items[:s.cut] {
		turns[s.in.Items[i].Turn] = true
	}
	delete(turns, s.splitTurn())
	return len(turns)
}

// earlierSummary returns the summary that must stay: the earlier text without a trailing block of window mode.
func earlierSummary(in *Input) string {
	if strings.HasPrefix(in.PreviousText, windowHead) {
		return ""
	}
	if i := strings.LastIndex(in.PreviousText, layout.Rule+windowHead); i >= 0 {
		return in.PreviousText[:i]
	}
	return in.PreviousText
}
