package views

import (
	"cmp"
	"slices"

	"ctxledger.dev/compaction"
	"ctxledger.dev/engine/core"
	"ctxledger.dev/internal/agentname"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/tokens"
	"ctxledger.dev/window"
)

// notices returns the notes about a decision that were not recorded yet: a warning is given once for each agent and
// cycle.
func (l *Views) notices(
	f *core.Folded, made ledger.EditedView, now window.Situation, c measure,
) []core.Decision {
	t := f.Policy.Compact
	notes := l.budgetNotices(f, made.Due)
	if made.Due.Grace {
		notes = append(notes, graceNotice(f, made, now, c)...)
	}
	if made.Due.Suppressed {
		notes = append(notes, suppressedNotice(f, t, made.Due, now)...)
	}
	if made.NearCap {
		notes = append(notes, capNotice(f)...)
	}
	notes = append(notes, viewNotices(f)...)
	for _, e := range made.Failed {
		sameEntry := func(past core.Decided[ledger.LayerError]) bool { return past.Data.Entry == e.Entry }
		if !slices.ContainsFunc(core.DecisionsSince[ledger.LayerError](f, ledger.EventLayerError, 0), sameEntry) {
			notes = append(notes, core.Decision{Event: ledger.EventLayerError, Data: e})
		}
	}
	return notes
}

// budgetNotices reports, for each agent, that its input is near its limit, or that it is why a compaction is due.
func (l *Views) budgetNotices(f *core.Folded, due window.Trigger) (notes []core.Decision) {
	for _, a := range agentsOf(f) {
		t := l.budget(f, a.Agent)
		notes = append(notes, inputWarning(f, a, t)...)
		switch {
		case a.Apart: // see dueFor
		case due.Reason == window.ReasonCumulative && t.CutoverAt > 0 && a.Counted(t) >= t.CutoverAt:
			notes = append(notes, cutover(f, cumulative(a, t))...)
		case due.Reason == window.ReasonTurn && t.SingleTurn > 0 && a.Turn > t.SingleTurn:
			notes = append(notes, cutover(f, singleTurn(a, t))...)
		}
	}
	return notes
}

// inputWarning warns of an agent's input since the last compaction.
func inputWarning(f *core.Folded, a ledger.AgentInput, t window.TriggerPolicy) []core.Decision {
	if t.WarnAt <= 0 || a.Counted(t) < t.WarnAt {
		return nil
	}
	w := cumulative(a, t)
	w.Reason = ""
	return onceInCycle(f, ledger.EventBudgetWarn, w)
}

// cumulative is an agent's input since the last compaction, with its limits.
func cumulative(a ledger.AgentInput, t window.TriggerPolicy) ledger.BudgetWarning {
	return ledger.BudgetWarning{Agent: a.Agent, Reason: window.ReasonCumulative, Input: a.Counted(t),
		WarnAt: t.WarnAt, CutoverAt: t.CutoverAt, Estimate: a.Estimate}
}

// singleTurn is an agent's input in the last turn, with its limit.
func singleTurn(a ledger.AgentInput, t window.TriggerPolicy) ledger.BudgetWarning {
	return ledger.BudgetWarning{Agent: a.Agent, Reason: window.ReasonTurn, Turn: a.Turn, CutoverAt: t.SingleTurn,
		Estimate: a.Estimate}
}

// cutover says that a limit was reached.
func cutover(f *core.Folded, w ledger.BudgetWarning) []core.Decision {
	return onceInCycle(f, ledger.EventCutover, w)
}

// onceInCycle returns a warning, unless the same agent was warned for the same reason since the last compaction, and has not
// paid what that warned of.
func onceInCycle(f *core.Folded, event string, w ledger.BudgetWarning) []core.Decision {
	for _, past := range core.DecisionsSince[ledger.BudgetWarning](f, event, cycleStart(f)) {
		if past.Data.Agent == w.Agent && past.Data.Reason == w.Reason && !over(f, past) {
			return nil
		}
	}
	return []core.Decision{{Event: event, Data: w}}
}

// spentWarning warns of a limit of the configuration: once when it is near, once when it is reached.
func spentWarning(f *core.Folded, s ledger.Spent) []core.Decision {
	if !s.Near() {
		return nil
	}
	for _, past := range core.DecisionsSince[ledger.BudgetWarning](f, ledger.EventBudgetWarn, 0) {
		if p := past.Data.Spent; p != nil && p.Same(s) && (p.Reached() || !s.Reached()) {
			return nil
		}
	}
	return []core.Decision{{Event: ledger.EventBudgetWarn,
		Data: ledger.BudgetWarning{Agent: s.Agent, Reason: ledger.ReasonSpent, Spent: &s}}}
}

// warned returns the warnings about input since the last compaction, oldest first. That a session continues after a pause
// is one until the request is paid.
func warned(f *core.Folded) (out []ledger.BudgetWarning) {
	var past []core.Decided[ledger.BudgetWarning]
	for _, event := range []string{ledger.EventBudgetWarn, ledger.EventCutover} {
		past = append(past, core.DecisionsSince[ledger.BudgetWarning](f, event, cycleStart(f))...)
	}
	slices.SortFunc(past, func(a, b core.Decided[ledger.BudgetWarning]) int { return cmp.Compare(a.Seq, b.Seq) })
	for _, w := range past {
		if !over(f, w) {
			out = append(out, w.Data)
		}
	}
	return out
}

// over reports whether a warning was of one request, which has been paid: that a session continues after a pause.
func over(f *core.Folded, w core.Decided[ledger.BudgetWarning]) bool {
	return w.Data.Reason == ledger.ReasonResumed && paid(f.Entries, w.Seq)
}

// paid reports whether the provider has measured an answer to the newest prompt before an entry, or one since.
func paid(log []sessions.Entry, seq int64) bool {
	for i := range log {
		if prompt := int64(len(log) - i); prompt <= seq && log[prompt-1].Prompt {
			return slices.ContainsFunc(log[prompt:], func(e sessions.Entry) bool {
				return !e.Hidden && e.Usage != nil && e.Usage.Prompt() > 0
			})
		}
	}
	return false
}

// graceNotice reports that a compaction is due in the turn after another one, and waits.
func graceNotice(f *core.Folded, made ledger.EditedView, now window.Situation, c measure) []core.Decision {
	for _, past := range core.DecisionsSince[ledger.CompactionSkipped](f, ledger.EventSkipped, cycleStart(f)) {
		if past.Data.Outcome == compaction.Grace && past.Data.Reason == made.Due.Held {
			return nil
		}
	}
	return []core.Decision{{Event: ledger.EventSkipped, Data: ledger.CompactionSkipped{
		Sizes: sizesOf(made.TokensAfter, made.TokensAfter), Reason: made.Due.Held, Outcome: compaction.Grace,
		Why:     made.Due.Why,
		Counted: made.After, Model: now.Model, Window: now.Window,
	}}}
}

// suppressedNotice reports, once until the next attempt, that compactions wait because they save little.
func suppressedNotice(
	f *core.Folded, t window.TriggerPolicy, due window.Trigger, now window.Situation,
) []core.Decision {
	tried := placedAttempts(f, window.State{}) // where they are, not how large they were
	if len(tried) == 0 {
		return nil
	}
	last := tried[len(tried)-1].seq
	if len(core.DecisionsSince[ledger.CompactionSuppressed](f, ledger.EventSuppressed, last)) > 0 {
		return nil
	}
	suppressed := ledger.CompactionSuppressed{Reason: due.Held, Why: due.Why, Until: now.Rearmed()}
	for _, a := range t.LastAttempts(now) {
		suppressed.Ratios = append(suppressed.Ratios, a.Savings())
	}
	return []core.Decision{{Event: ledger.EventSuppressed, Data: suppressed}}
}

// viewNotices reports what the view of an agent leaves out and repairs, when that differs from the last report, and at
// most once in a turn.
func viewNotices(f *core.Folded) (notes []core.Decision) {
	filtered := ledger.ViewFiltered{Agent: f.Agent, Filtered: f.View.Filtered}
	ofFiltered := func(d ledger.ViewFiltered) string { return d.Agent }
	if filtered.Before != filtered.After && isNew(f, ledger.EventFiltered, filtered, ofFiltered) {
		notes = append(notes, core.Decision{Event: ledger.EventFiltered, Data: filtered})
	}
	repaired := ledger.ViewRepaired{Agent: f.Agent, Repairs: f.View.Repairs()}
	ofRepaired := func(d ledger.ViewRepaired) string { return d.Agent }
	if repaired.Repairs != (window.Repairs{}) && isNew(f, ledger.EventRepaired, repaired, ofRepaired) {
		notes = append(notes, core.Decision{Event: ledger.EventRepaired, Data: repaired})
	}
	return notes
}

// isNew reports whether an event about an agent's view differs from the last one of its kind, which is of an earlier
// turn.
func isNew[T comparable](f *core.Folded, event string, data T, agent func(T) string) bool {
	for _, last := range slices.Backward(core.DecisionsSince[T](f, event, 0)) {
		if agentname.Same(agent(last.Data), agent(data)) {
			return last.Data != data && last.Turn < f.Session.Turns
		}
	}
	return true
}

// capTurns is the least number of turns between two warnings about the number of messages.
const capTurns = 10

// capNotice reports that the view has nearly as many messages as its cap.
func capNotice(f *core.Folded) []core.Decision {
	for _, past := range core.DecisionsSince[ledger.CapWarning](f, ledger.EventCapWarning, 0) {
		if agentname.Same(past.Data.Agent, f.Agent) && f.Session.Turns-past.Turn < capTurns {
			return nil
		}
	}
	return []core.Decision{{Event: ledger.EventCapWarning, Data: ledger.CapWarning{
		Agent: f.Agent, Count: f.View.Filtered.Counted, Cap: f.Policy.Messages, Fraction: f.Policy.CapFraction,
	}}}
}

// sizing is what the events of a step say beyond the step itself.
type sizing struct {
	Model     string // whose tokens; "": the session's
	rewritten int    // o200k_base tokens that are written into the provider's cache again
}

// maxItems is how many edits an event names.
const maxItems = 20

// kindOfPass is the event for the edits of a pass; EventTrimmedInTurn is that of the other passes.
var kindOfPass = map[string]string{"clear": ledger.EventCleared, "arguments": ledger.EventTruncated}

// stepEvents returns an event for each kind of edits in a step.
func stepEvents(f *core.Folded, step core.EditStep, of sizing) ([]ledger.Event, error) {
	c := measureOf(f, of.Model)
	byKind := map[string][]window.Edit{}
	for _, e := range step.Edits {
		kind := cmp.Or(kindOfPass[e.Pass], ledger.EventTrimmedInTurn)
		byKind[kind] = append(byKind[kind], e)
	}
	var events []ledger.Event
	for _, kind := range []string{ledger.EventTrimmedInTurn, ledger.EventCleared, ledger.EventTruncated} {
		if len(byKind[kind]) == 0 {
			continue
		}
		made := editsMade(f, byKind[kind], c)
		made.Reason, made.Before = step.Reason, c.View(step.Before, nil).N
		made.After = c.View(step.Before, step.Edits).N
		made.Estimate, made.Rewritten = !c.Exact(), c.Of(of.rewritten).N
		event, err := core.NewEvent(kind, f.Session.ID, 0, made)
		if err != nil {
			return nil, err
		}
		event.ID = step.Summary
		events = append(events, event)
	}
	return events, nil
}

// editsMade sums edits by pass and names the largest.
func editsMade(f *core.Folded, edits []window.Edit, c measure) ledger.EditsMade {
	made := ledger.EditsMade{Count: len(edits), Passes: []ledger.PassEdits{}, Items: []ledger.EditedItem{}}
	freed := 0 // weighed, as in Passes until the end
	for _, e := range edits {
		n := c.part(e.Seq, e.Before-e.Tokens)
		freed += n
		i := slices.IndexFunc(made.Passes, func(p ledger.PassEdits) bool { return p.Pass == e.Pass })
		if i < 0 {
			i = len(made.Passes)
			made.Passes = append(made.Passes, ledger.PassEdits{Pass: e.Pass})
		}
		made.Passes[i].Count++
		made.Passes[i].Freed += n
		tool := ""
		if call, known := f.Call(e.Call); known {
			tool = call.Name
		}
		made.Items = append(made.Items, ledger.EditedItem{Entry: e.Seq, Call: e.Call, Tool: tool, Freed: c.sum(n).N})
	}
	made.Freed = c.sum(freed).N
	for i := range made.Passes {
		made.Passes[i].Freed = c.sum(made.Passes[i].Freed).N
	}
	slices.SortStableFunc(made.Items, func(a, b ledger.EditedItem) int { return cmp.Compare(b.Freed, a.Freed) })
	made.Items = made.Items[:min(len(made.Items), maxItems)]
	return made
}

// sizesOf are those of a view before and after, as counted.
func sizesOf(before, after tokens.Count) ledger.Sizes {
	return ledger.Sizes{Before: before.N, After: after.N, Estimate: !before.Exact}
}
