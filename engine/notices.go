package engine

import (
	"cmp"
	"slices"
	"strings"

	"ctxledger.dev/compaction"
	"ctxledger.dev/ledger"
	"ctxledger.dev/tokens"
	"ctxledger.dev/window"
)

// notices returns what somebody is to be told of a decision and was not told yet: a warning comes once for
// an agent and a cycle.
func (l *Local) notices(f *folded, made ledger.EditedView, now window.Situation, c tokens.Counter) []note {
	t := f.policy.Compact
	notes := l.budgetNotices(f, made.Due)
	if made.Due.Grace {
		notes = append(notes, f.graceNotice(made, now, c)...)
	}
	if made.Due.Suppressed {
		notes = append(notes, f.suppressedNotice(t, made.Due, now)...)
	}
	if made.NearCap {
		notes = append(notes, f.capNotice()...)
	}
	notes = append(notes, f.viewNotices()...)
	for _, e := range made.Failed {
		if !slices.ContainsFunc(takenSince[ledger.LayerError](f, ledger.EventLayerError, 0), func(told taken[ledger.LayerError]) bool { return told.Data.Entry == e.Entry }) {
			notes = append(notes, note{ledger.EventLayerError, e})
		}
	}
	return notes
}

// budgetNotices tells, for each agent, that its input comes near its limit, or has reached it.
func (l *Local) budgetNotices(f *folded, due window.Trigger) (notes []note) {
	told := func(event string, w ledger.BudgetWarning) bool {
		return slices.ContainsFunc(takenSince[ledger.BudgetWarning](f, event, f.cycle()), func(d taken[ledger.BudgetWarning]) bool {
			return d.Data.Agent == w.Agent && d.Data.Reason == w.Reason
		})
	}
	for _, a := range f.agents() {
		t := l.budget(f, a.Agent)
		w := ledger.BudgetWarning{Agent: a.Agent, Input: a.Input, WarnAt: t.WarnAt, CutoverAt: t.CutoverAt}
		if t.WarnAt > 0 && a.Input >= t.WarnAt && !told(ledger.EventBudgetWarn, w) {
			notes = append(notes, note{ledger.EventBudgetWarn, w})
		}
		if a.Apart {
			continue // see dueFor
		}
		w.Reason = due.Reason
		switch {
		case due.Reason == window.ReasonCumulative && t.CutoverAt > 0 && a.Input >= t.CutoverAt:
		case due.Reason == window.ReasonTurn && t.SingleTurn > 0 && a.Turn > t.SingleTurn:
			w.Input, w.Turn, w.WarnAt, w.CutoverAt = 0, a.Turn, 0, t.SingleTurn
		default:
			continue
		}
		if !told(ledger.EventCutover, w) {
			notes = append(notes, note{ledger.EventCutover, w})
		}
	}
	return notes
}

// graceNotice tells that a compaction is due in the turn after another one, and waits.
func (f *folded) graceNotice(made ledger.EditedView, now window.Situation, c tokens.Counter) []note {
	for _, told := range takenSince[ledger.CompactionSkipped](f, ledger.EventSkipped, f.cycle()) {
		if told.Data.Outcome == compaction.Grace && told.Data.Reason == made.Due.Held {
			return nil
		}
	}
	return []note{{ledger.EventSkipped, ledger.CompactionSkipped{
		Sizes: sizes(c, made.After, made.After), Reason: made.Due.Held, Outcome: compaction.Grace, Why: made.Due.Why,
		Counted: made.After, Model: now.Model, Window: now.Window,
	}}}
}

// suppressedNotice tells that compactions wait because they change little: once, until one is tried again.
func (f *folded) suppressedNotice(t window.TriggerPolicy, due window.Trigger, now window.Situation) []note {
	tried := f.placedAttempts(window.State{}) // where they are, not how large they were
	if len(tried) == 0 || len(takenSince[ledger.CompactionSuppressed](f, ledger.EventSuppressed, tried[len(tried)-1].seq)) > 0 {
		return nil
	}
	told := ledger.CompactionSuppressed{Reason: due.Held, Why: due.Why, Until: now.Rearmed()}
	for _, a := range t.LastAttempts(now) {
		told.Ratios = append(told.Ratios, a.Savings())
	}
	return []note{{ledger.EventSuppressed, told}}
}

// viewNotices tells what the view of an agent leaves out and what it had to mend, when that is other than was
// told, and at most once in a turn.
func (f *folded) viewNotices() (notes []note) {
	filtered := ledger.ViewFiltered{Agent: f.agent, Filtered: f.view.Filtered}
	if filtered.Before != filtered.After && untold(f, ledger.EventFiltered, filtered, func(d ledger.ViewFiltered) string { return d.Agent }) {
		notes = append(notes, note{ledger.EventFiltered, filtered})
	}
	repaired := ledger.ViewRepaired{Agent: f.agent, Repairs: f.view.Repairs()}
	if repaired.Repairs != (window.Repairs{}) && untold(f, ledger.EventRepaired, repaired, func(d ledger.ViewRepaired) string { return d.Agent }) {
		notes = append(notes, note{ledger.EventRepaired, repaired})
	}
	return notes
}

// untold reports whether something was not told yet of an agent's view, nor anything else of this kind in this turn.
func untold[T comparable](f *folded, event string, data T, agent func(T) string) bool {
	for _, last := range slices.Backward(takenSince[T](f, event, 0)) {
		if strings.EqualFold(agent(last.Data), agent(data)) {
			return last.Data != data && last.turn < f.session.Turns
		}
	}
	return true
}

// capTurns is how many turns lie between two warnings about the number of messages.
const capTurns = 10

// capNotice tells that the view has nearly as many messages as are shown.
func (f *folded) capNotice() []note {
	for _, told := range takenSince[ledger.CapWarning](f, ledger.EventCapWarning, 0) {
		if strings.EqualFold(told.Data.Agent, f.agent) && f.session.Turns-told.turn < capTurns {
			return nil
		}
	}
	return []note{{ledger.EventCapWarning, ledger.CapWarning{Agent: f.agent, Count: f.view.Filtered.Counted, Cap: f.policy.Messages, Fraction: f.policy.CapFraction}}}
}

// sizing is what the events of a step say beyond the step itself.
type sizing struct {
	model     string // whose tokens; "": the session's
	rewritten int    // o200k_base tokens that are written into the provider's cache again
}

// maxItems is how many edits an event names.
const maxItems = 20

// kindOfPass says which event tells of the edits of a pass; of those that it does not name
// EventTrimmedInTurn does.
var kindOfPass = map[string]string{"clear": ledger.EventCleared, "arguments": ledger.EventTruncated}

// stepEvents tells a step of edits: an event for each kind of edits in it.
func (f *folded) stepEvents(step editStep, of sizing) ([]ledger.Event, error) {
	c := f.counter(of.model)
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
		told := f.editsMade(byKind[kind], c)
		told.Reason, told.Before, told.After = step.Reason, c.Of(step.Before).N, c.Of(step.After).N
		told.Estimate, told.Rewritten = !c.Exact(), c.Of(of.rewritten).N
		event, err := newEvent(kind, f.session.ID, 0, told)
		if err != nil {
			return nil, err
		}
		event.ID = step.Summary
		events = append(events, event)
	}
	return events, nil
}

// editsMade sums edits by pass and names the dearest.
func (f *folded) editsMade(edits []window.Edit, c tokens.Counter) ledger.EditsMade {
	told := ledger.EditsMade{Count: len(edits), Passes: []ledger.PassEdits{}, Items: []ledger.EditedItem{}}
	freed, byPass := 0, map[string]int{} // o200k_base
	for _, e := range edits {
		n := e.Before - e.Tokens
		freed += n
		if byPass[e.Pass]++; byPass[e.Pass] == 1 {
			told.Passes = append(told.Passes, ledger.PassEdits{Pass: e.Pass})
		}
		for i := range told.Passes {
			if p := &told.Passes[i]; p.Pass == e.Pass {
				p.Count++
				p.Freed += n
			}
		}
		tool := ""
		if call, known := f.callOf(e.Call); known {
			tool = call.Name
		}
		told.Items = append(told.Items, ledger.EditedItem{Entry: e.Seq, Call: e.Call, Tool: tool, Freed: c.Of(n).N})
	}
	told.Freed = c.Of(freed).N
	for i := range told.Passes {
		told.Passes[i].Freed = c.Of(told.Passes[i].Freed).N
	}
	slices.SortStableFunc(told.Items, func(a, b ledger.EditedItem) int { return cmp.Compare(b.Freed, a.Freed) })
	told.Items = told.Items[:min(len(told.Items), maxItems)]
	return told
}
