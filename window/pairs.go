package window

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
)

// cancelled replaces a result that never came although its neighbours did.
const cancelled = "Tool call %s with id %s was cancelled - another message came in before it could be completed."

// malformed replaces the result of a call that could not be run.
const malformed = "Tool call %s with id %s could not be executed - arguments were malformed or truncated."

// frameTokens is the part of a header's count that is the frame of a message.
const frameTokens = 4

// forgotten replaces a result whose original was removed.
const forgotten = "[result forgotten — removed from the ledger on %s]"

// pairUp puts every call next to its result: an assistant's message and the results directly after it are one
// unit. Where answers are lists of items, words may come between the two. It returns the remaining drafts, and the
// last of them that separates those before it from what comes after it, whatever is still appended; nil if there
// is none. What the host loaded while calls are in flight waits for their results. left counts what is left out, and
// before what of that is in front of fixed.
func pairUp(drafts []*draft) (out []*draft, fixed *draft, left, before Left) {
	drafts, loaded := cutTail(drafts)
	var open []sessions.Call // what the next results answer
	for i, d := range drafts {
		itemised := transcript.Itemised(d.first().Format)
		if !d.results && (!itemised || d.speaks()) {
			open = open[:0] // what has no result by now was reported as cancelled
		}
		fixing := fixes(open, out)
		switch calls := d.openCalls(); {
		case d.results:
			if d.answersOnly(open) {
				open = open[:0]
			} else {
				came, _ := d.resultIDs()
				left.Results += d.settle(open)
				open = slices.DeleteFunc(open, func(c sessions.Call) bool { return came[c.ID] || !itemised })
			}
			if len(d.entries) > 0 {
				out = append(out, d)
			}
		default:
			open = append(open, calls...) // results that come later bring a message back that is left out now
			if len(calls) > 0 && !d.answered(drafts[i+1:]) {
				continue
			}
			if out = append(out, d); fixing && !d.first().Loaded {
				fixed, before = d, left
			}
		}
	}
	if inFlight(out) {
		left.Loaded = len(loaded)
	} else {
		out = append(out, loaded...)
	}
	return joinAnswers(out), fixed, left, before
}

// cutTail separates what the host loaded last.
func cutTail(drafts []*draft) (before, loaded []*draft) {
	n := len(drafts)
	for n > 0 && drafts[n-1].first().Loaded {
		n--
	}
	return drafts[:n:n], drafts[n:]
}

// inFlight reports whether the last answer of paired drafts makes a call that has no result yet.
func inFlight(paired []*draft) bool {
	n := len(paired)
	if n == 0 {
		return false
	}
	came, lost := paired[n-1].resultIDs()
	if paired[n-1].results && n > 1 {
		n--
	}
	return slices.ContainsFunc(paired[n-1].openCalls(), func(c sessions.Call) bool {
		_, gone := lost[c.ID]
		return !came[c.ID] && !gone
	})
}

// joinAnswers joins an answer that makes calls with those directly before it, if the provider wants one: what
// separated them belonged to no call.
func joinAnswers(drafts []*draft) []*draft {
	var out []*draft
	for _, d := range drafts {
		from := len(out)
		if transcript.Alternates(d.first().Format) && len(d.openCalls()) > 0 {
			for from > 0 && out[from-1].first().Role == transcript.RoleAssistant &&
				out[from-1].first().Format == d.first().Format {
				from--
			}
		}
		if out = append(out, d); from == len(out)-1 {
			continue
		}
		for _, next := range out[from+1:] {
			out[from].entries = append(out[from].entries, next.entries...)
			out[from].drop = append(out[from].drop, next.drop...)
		}
		out = out[:from+1]
	}
	return out
}

// openCalls returns the calls that the next message has to answer: those of a host's tools. What a
// provider ran itself is answered within the message.
func (d *draft) openCalls() []sessions.Call {
	if d.first().Role != transcript.RoleAssistant {
		return nil
	}
	if len(d.entries) == 1 && len(d.drop) == 0 && len(d.first().Results) == 0 {
		return callsOf(d.first())
	}
	inside := map[string]bool{}
	for _, e := range d.entries {
		for _, r := range resultsOf(e) {
			inside[r.CallID] = true
		}
	}
	var calls []sessions.Call
	for _, e := range d.entries {
		for _, c := range callsOf(e) {
			if !inside[c.ID] && !slices.Contains(d.drop, c.ID) {
				calls = append(calls, c)
			}
		}
	}
	return calls
}

// answered repairs the calls of d, given the drafts after it, and reports whether d stays. Missing results are
// added if others came; if none came, the calls are dropped. At the very end of the log they are in flight, and
// stay.
func (d *draft) answered(behind []*draft) bool {
	if len(behind) == 0 {
		return true
	}
	if behind[0].results && behind[0].answersOnly(d.openCalls()) {
		return true
	}
	next, came, lost := d.resultsBehind(behind)
	inFlight := len(behind) == 1 && next.results && next.onlyTools()
	var missing []sessions.Call
	var add []transcript.Part
	for _, c := range d.openCalls() {
		when, gone := lost[c.ID]
		switch {
		case came[c.ID]:
		case gone:
			add = append(add, standIn(c, fmt.Sprintf(forgotten, when.UTC().Format(time.DateOnly))))
		case !inFlight:
			missing = append(missing, c)
			text := cancelled
			if c.Malformed {
				text = malformed
			}
			add = append(add, standIn(c, fmt.Sprintf(text, c.Name, c.ID)))
		}
	}
	if len(missing) > 0 && len(missing) == len(d.openCalls()) {
		return d.dropCalls(missing)
	}
	next.add = append(next.add, add...)
	return true
}

// resultsBehind returns the calls whose results come after d, as resultIDs does, and the draft that has the first
// of them, or the next one.
func (d *draft) resultsBehind(behind []*draft) (next *draft, came map[string]bool, lost map[string]time.Time) {
	next = behind[0]
	came, lost = next.resultIDs()
	if !transcript.Itemised(d.first().Format) {
		return next, came, lost
	}
	waits := map[string]bool{}
	for _, c := range d.openCalls() {
		waits[c.ID] = true
	}
	all := len(waits)
	for _, b := range behind {
		if len(waits) == 0 || b.speaks() {
			break // all have come, or an answered request reported the rest as cancelled
		}
		first := len(waits) == all
		here, gone := b.resultIDs()
		maps.Copy(came, here)
		maps.Copy(lost, gone)
		for id := range here {
			delete(waits, id)
		}
		for id := range gone {
			delete(waits, id)
		}
		if first && len(waits) < all {
			next = b
		}
	}
	return next, came, lost
}

// speaks reports whether the model answers in a draft.
func (d *draft) speaks() bool {
	return d.first().Role == transcript.RoleAssistant && !isCompacted(d.first())
}

// standIn returns a result that replaces a missing one.
func standIn(c sessions.Call, text string) transcript.Part {
	return transcript.Part{Kind: transcript.KindResult, ID: c.ID, Name: c.Name, Text: text, IsError: true}
}

// resultIDs returns the calls whose results are in d, and when forgotten ones were forgotten.
func (d *draft) resultIDs() (came map[string]bool, lost map[string]time.Time) {
	came, lost = map[string]bool{}, map[string]time.Time{}
	if !d.results {
		return came, lost
	}
	for _, e := range d.entries {
		for _, r := range e.Results {
			if e.Forgotten != nil {
				lost[r.CallID] = *e.Forgotten
			} else {
				came[r.CallID] = true
			}
		}
	}
	return came, lost
}

// dropCalls removes calls from a message and reports whether anything else may be in it. A record of more tokens
// than its calls have holds text or reasoning; only transcript.Edit can tell which.
func (d *draft) dropCalls(calls []sessions.Call) bool {
	ids := map[string]bool{}
	for _, c := range calls {
		ids[c.ID] = true
		d.drop = append(d.drop, c.ID)
	}
	return slices.ContainsFunc(d.entries, func(e *sessions.Entry) bool {
		if isThoughts(e) { // it goes with its calls, and withoutThoughts has to see that
			return false
		}
		rest, all := e.Tokens-frameTokens-e.Reasoning, len(e.Results) == 0 // reasoning alone is no message
		for _, c := range callsOf(e) {
			rest -= c.Tokens
			all = all && ids[c.ID]
		}
		return rest > 0 || !all
	})
}

// settle orders results by their calls, and removes duplicates and those without a call in the message before. It returns
// how many have none.
func (d *draft) settle(calls []sessions.Call) (orphans int) {
	order := make(map[string]int, len(calls))
	for i, c := range calls {
		order[c.ID] = i
	}
	came, _ := d.resultIDs()
	seen := map[string]bool{}
	d.entries = slices.DeleteFunc(d.entries, func(e *sessions.Entry) bool {
		useful := e.Role != transcript.RoleTool // words stay
		for _, r := range e.Results {
			if e.Forgotten != nil && came[r.CallID] {
				continue // the same result is there once more
			}
			switch _, called := order[r.CallID]; {
			case !called && e.Forgotten == nil:
				orphans++
			case called && !seen[r.CallID]:
				useful = true
				seen[r.CallID] = true
			}
		}
		return !useful
	})
	if d.keepFirst(order); len(d.keep) > 0 {
		return orphans // of duplicates the first stays: another order would choose another one
	}
	if len(d.entries) == 0 || !transcript.Joins(d.first().Format) {
		return orphans // messages of their own stay in the order in which they were sent
	}
	rank := func(e *sessions.Entry) int {
		best := len(calls)
		for _, r := range e.Results {
			if at, called := order[r.CallID]; called {
				best = min(best, at)
			}
		}
		return best
	}
	slices.SortStableFunc(d.entries, func(a, b *sessions.Entry) int { return rank(a) - rank(b) })
	return orphans
}

// answersOnly reports whether a draft is one record with the one result of the one call.
func (d *draft) answersOnly(calls []sessions.Call) bool {
	if len(calls) != 1 || len(d.entries) != 1 {
		return false
	}
	e := d.first()
	return e.Forgotten == nil && len(e.Results) == 1 && e.Results[0].CallID == calls[0].ID
}

// keepFirst notes the results to remove from the records that stay.
func (d *draft) keepFirst(order map[string]int) {
	count := map[string]int{}
	for _, e := range d.entries {
		for _, r := range resultsOf(e) {
			count[r.CallID]++
		}
	}
	for id, n := range count {
		_, called := order[id]
		if called && n == 1 {
			continue
		}
		if d.keep == nil {
			d.keep = map[string]int{}
		}
		if called {
			d.keep[id] = 1
		} else {
			d.keep[id] = 0
		}
	}
}
