package views

import (
	"cmp"
	"slices"
	"strings"

	"ctxledger.dev/compaction"
	"ctxledger.dev/engine/core"
	"ctxledger.dev/ledger"
	"ctxledger.dev/tokens"
	"ctxledger.dev/window"
)

// notices returns what somebody is to be told of a decision and was not told yet: a warning comes once for
// an agent and a cycle.
func (l *Views) notices(f *core.Folded, made ledger.EditedView, now window.Situation, c tokens.Counter) []core.Decision {
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
		if !slices.ContainsFunc(core.DecisionsSince[ledger.LayerError](f, ledger.EventLayerError, 0), func(told core.Decided[ledger.LayerError]) bool { return told.Data.Entry == e.Entry }) {
			notes = append(notes, core.Decision{Event: ledger.EventLayerError, Data: e})
		}
	}
	return notes
}

// budgetNotices tells, for each agent, that its input comes near its limit, or has reached it.
func (l *Views) budgetNotices(f *core.Folded, due window.Trigger) (notes []core.Decision) {
	told := func(event string, w ledger.BudgetWarning) bool {
		return slices.ContainsFunc(core.DecisionsSince[ledger.BudgetWarning](f, event, cycle(f)), func(d core.Decided[ledger.BudgetWarning]) bool {
			return d.Data.Agent == w.Agent && d.Data.Reason == w.Reason
		})
	}
	for _, a := range Agents(f) {
		t := l.budget(f, a.Agent)
		w := ledger.BudgetWarning{Agent: a.Agent, Input: a.Input, WarnAt: t.WarnAt, CutoverAt: t.CutoverAt}
		if t.WarnAt > 0 && a.Input >= t.WarnAt && !told(ledger.EventBudgetWarn, w) {
			notes = append(notes, core.Decision{Event: ledger.EventBudgetWarn, Data: w})
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
			notes = append(notes, core.Decision{Event: ledger.EventCutover, Data: w})
		}
	}
	return notes
}

// graceNotice tells that a compaction is due in the turn after another one, and waits.
func graceNotice(f *core.Folded, made ledger.EditedView, now window.Situation, c tokens.Counter) []core.Decision {
	for _, told := range core.DecisionsSince[ledger.CompactionSkipped](f, ledger.EventSkipped, cycle(f)) {
		if told.Data.Outcome == compaction.Grace && told.Data.Reason == made.Due.Held {
			return nil
		}
	}
	return []core.Decision{{Event: ledger.EventSkipped, Data: ledger.CompactionSkipped{
		Sizes: Sizes(c, made.After, made.After), Reason: made.Due.Held, Outcome: compaction.Grace, Why: made.Due.Why,
		Counted: made.After, Model: now.Model, Window: now.Window,
	}}}
}

// suppressedNotice tells that compactions wait because they change little: once, until one is tried again.
func suppressedNotice(f *core.Folded, t window.TriggerPolicy, due window.Trigger, now window.Situation) []core.Decision {
	tried := placedAttempts(f, window.State{}) // where they are, not how large they were
	if len(tried) == 0 || len(core.DecisionsSince[ledger.CompactionSuppressed](f, ledger.EventSuppressed, tried[len(tried)-1].seq)) > 0 {
		return nil
	}
	told := ledger.CompactionSuppressed{Reason: due.Held, Why: due.Why, Until: now.Rearmed()}
	for _, a := range t.LastAttempts(now) {
		told.Ratios = append(told.Ratios, a.Savings())
	}
	return []core.Decision{{Event: ledger.EventSuppressed, Data: told}}
}

// viewNotices tells what the view of an agent leaves out and what it had to mend, when that is other than was
// told, and at most once in a turn.
func viewNotices(f *core.Folded) (notes []core.Decision) {
	filtered := ledger.ViewFiltered{Agent: f.Agent, Filtered: f.View.Filtered}
	if filtered.Before != filtered.After && untold(f, ledger.EventFiltered, filtered, func(d ledger.ViewFiltered) string { return d.Agent }) {
		notes = append(notes, core.Decision{Event: ledger.EventFiltered, Data: filtered})
	}
	repaired := ledger.ViewRepaired{Agent: f.Agent, Repairs: f.View.Repairs()}
	if repaired.Repairs != (window.Repairs{}) && untold(f, ledger.EventRepaired, repaired, func(d ledger.ViewRepaired) string { return d.Agent }) {
		notes = append(notes, core.Decision{Event: ledger.EventRepaired, Data: repaired})
	}
	return notes
}

// untold reports whether something was not told yet of an agent's view, nor anything else of this kind in this turn.
func untold[T comparable](f *core.Folded, event string, data T, agent func(T) string) bool {
	for _, last := range slices.Backward(core.DecisionsSince[T](f, event, 0)) {
		if strings.EqualFold(agent(last.Data), agent(data)) {
			return last.Data != data && last.Turn < f.Session.Turns
		}
	}
	return true
}

// capTurns is how many turns lie between two warnings about the number of messages.
const capTurns = 10

// capNotice tells that the view has nearly as many messages as are shown.
func capNotice(f *core.Folded) []core.Decision {
	for _, told := range core.DecisionsSince[ledger.CapWarning](f, ledger.EventCapWarning, 0) {
		if strings.EqualFold(told.Data.Agent, f.Agent) && f.Session.Turns-told.Turn < capTurns {
			return nil
		}
	}
	return []core.Decision{{Event: ledger.EventCapWarning, Data: ledger.CapWarning{Agent: f.Agent, Count: f.View.Filtered.Counted, Cap: f.Policy.Messages, Fraction: f.Policy.CapFraction}}}
}

// Sizing is what the events of a step say beyond the step itself.
type Sizing struct {
	Model     string // whose tokens; "": the session's
	rewritten int    // o200k_base tokens that are written into the provider's cache again
}

// maxItems is how many edits an event names.
const maxItems = 20

// kindOfPass says which event tells of the edits of a pass; of those that it does not name
// EventTrimmedInTurn does.
var kindOfPass = map[string]string{"clear": ledger.EventCleared, "arguments": ledger.EventTruncated}

// stepEvents tells a step of edits: an event for each kind of edits in it.
func stepEvents(f *core.Folded, step core.EditStep, of Sizing) ([]ledger.Event, error) {
	c := f.Counter(of.Model)
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
		told := editsMade(f, byKind[kind], c)
		told.Reason, told.Before, told.After = step.Reason, c.Of(step.Before).N, c.Of(step.After).N
		told.Estimate, told.Rewritten = !c.Exact(), c.Of(of.rewritten).N
		event, err := core.NewEvent(kind, f.Session.ID, 0, told)
		if err != nil {
			return nil, err
		}
		event.ID = step.Summary
		events = append(events, event)
	}
	return events, nil
}

// editsMade sums edits by pass and names the dearest.
func editsMade(f *core.Folded, edits []window.Edit, c tokens.Counter) ledger.EditsMade {
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
		if call, known := f.Call(e.Call); known {
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

// Sizes are those of a view before and after, in tokens of the counter's model.
func Sizes(c tokens.Counter, before, after int) ledger.Sizes {
	b := c.Of(before)
	return ledger.Sizes{Before: b.N, After: c.Of(after).N, Estimate: !b.Exact}
}
