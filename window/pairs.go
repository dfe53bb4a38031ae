package window

import (
	"fmt"
	"slices"
	"time"

	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
)

// cancelled stands for a result that never came although its neighbours did.
const cancelled = "Tool call %s with id %s was cancelled - another message came in before it could be completed."

// forgotten stands for a result whose original was removed.
const forgotten = "[result forgotten — removed from the ledger on %s]"

// pairUp makes every call and its result stand together: an assistant's message and the results
// directly behind it are one unit. It returns the drafts that are left. lost says when results were
// forgotten, by call id.
func pairUp(drafts []*draft, lost map[string]time.Time) []*draft {
	var out []*draft
	for i, d := range drafts {
		switch {
		case d.results:
			var calls []sessions.Call
			if i > 0 {
				calls = drafts[i-1].openCalls()
			}
			d.settle(calls)
			if len(d.entries) > 0 {
				out = append(out, d)
			}
		case len(d.openCalls()) == 0:
			out = append(out, d)
		case d.answered(drafts[i+1:], lost):
			out = append(out, d)
		}
	}
	return out
}

// openCalls returns the calls that the next message has to answer: those of a host's tools. What a
// provider ran itself is answered within the message.
func (d *draft) openCalls() []sessions.Call {
	if d.first().Role != transcript.RoleAssistant {
		return nil
	}
	inside := map[string]bool{}
	for _, e := range d.entries {
		for _, r := range e.Results {
			inside[r.CallID] = true
		}
	}
	var calls []sessions.Call
	for _, e := range d.entries {
		for _, c := range e.Calls {
			if !inside[c.ID] {
				calls = append(calls, c)
			}
		}
	}
	return calls
}

// answered deals with the calls of d, given the drafts behind it, and reports whether d stays.
// Missing results are added where others came; where none came the calls are dropped. At the very end
// of the log they are in flight, and stay.
func (d *draft) answered(behind []*draft, lost map[string]time.Time) bool {
	if len(behind) == 0 {
		return true
	}
	next := behind[0]
	results := map[string]bool{}
	if next.results {
		for _, e := range next.entries {
			for _, r := range e.Results {
				results[r.CallID] = true
			}
		}
		if len(behind) == 1 && next.onlyTools() {
			return true
		}
	}
	missing, found := []sessions.Call(nil), false
	for _, c := range d.openCalls() {
		if results[c.ID] {
			found = true
		} else {
			missing = append(missing, c)
		}
	}
	if !found {
		return d.dropCalls(missing)
	}
	for _, c := range missing {
		text := fmt.Sprintf(cancelled, c.Name, c.ID)
		if when, ok := lost[c.ID]; ok {
			text = fmt.Sprintf(forgotten, when.UTC().Format(time.DateOnly))
		}
		next.add = append(next.add, transcript.Part{Kind: transcript.KindResult, ID: c.ID, Text: text, IsError: true})
	}
	return true
}

// dropCalls takes calls out of a message and reports whether anything else may be in it. A record of
// more tokens than its calls have holds text or reasoning; only transcript.Edit can tell which.
func (d *draft) dropCalls(calls []sessions.Call) bool {
	ids := map[string]bool{}
	for _, c := range calls {
		ids[c.ID] = true
		d.drop = append(d.drop, c.ID)
	}
	return slices.ContainsFunc(d.entries, func(e *sessions.Entry) bool {
		rest, all := e.Tokens, len(e.Results) == 0
		for _, c := range e.Calls {
			rest -= c.Tokens
			all = all && ids[c.ID]
		}
		return rest > 0 || !all
	})
}

// settle puts results in the order of their calls, and takes those out that have no call in the
// message before, and duplicates.
func (d *draft) settle(calls []sessions.Call) {
	order := make(map[string]int, len(calls))
	for i, c := range calls {
		order[c.ID] = i
	}
	seen := map[string]bool{}
	d.entries = slices.DeleteFunc(d.entries, func(e *sessions.Entry) bool {
		useful := e.Role != transcript.RoleTool // words stay
		for _, r := range e.Results {
			if _, called := order[r.CallID]; called && !seen[r.CallID] {
				useful = true
				seen[r.CallID] = true
			}
		}
		return !useful
	})
	if d.keepFirst(order); len(d.keep) > 0 {
		return // of duplicates the first stays: another order would choose another one
	}
	rank := func(e *sessions.Entry) int {
		best := len(calls)
		for _, r := range e.Results {
			best = min(best, order[r.CallID])
		}
		return best
	}
	slices.SortStableFunc(d.entries, func(a, b *sessions.Entry) int { return rank(a) - rank(b) })
}

// keepFirst notes the results that have to be taken out of the records that stay.
func (d *draft) keepFirst(order map[string]int) {
	count := map[string]int{}
	for _, e := range d.entries {
		for _, r := range e.Results {
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
