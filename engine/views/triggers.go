package views

import (
	"cmp"
	"slices"

	"ctxledger.dev/compaction"
	"ctxledger.dev/compaction/settings"
	"ctxledger.dev/engine/core"
	"ctxledger.dev/internal/agentname"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
	"ctxledger.dev/window"
	"ctxledger.dev/window/overflow"
)

// situation is the input of the triggers for a view of so many o200k_base tokens.
func situation(f *core.Folded, w ledger.Window, st window.State, view int, s ledger.Signals) window.Situation {
	now := window.Situation{
		Window: w.Tokens, Model: w.Model, View: st.Request(view), Most: st.Most(view), Fixed: st.Request(newest(f)),
		Turns: turns(f), Cold: st.Cold,
		Overflow: s.Overflow, Asked: s.Asked, Manual: s.Manual,
		Trimmed: s.Trimmed || owesCompaction(f),
	}
	if cur := f.Current(); cur != nil {
		turn := f.Entries[f.At[cur.ID]-1].Turn
		now.Grace = f.Session.Turns-turn <= 1
	}
	now.Attempts = attempts(f, st)
	return now
}

// budget is the trigger policy of a view with the input limits of one agent.
func (l *Views) budget(f *core.Folded, agent string) window.TriggerPolicy {
	t := f.Policy.Compact
	if own, has := l.core.Settings(f.Session).Agent(agent); has && !agentname.Same(agent, f.Agent) {
		of := own.Compact
		t.SingleTurn, t.WarnAt, t.CutoverAt, t.CountCached = of.SingleTurn, of.WarnAt, of.CutoverAt, of.CountCached
	}
	return t
}

// dueFor says whether a compaction is due for any agent whose messages are in the view, and whether an agent is near
// its limit. now is the situation without the input of agents.
func (l *Views) dueFor(f *core.Folded, now window.Situation) (due window.Trigger, warn bool) {
	open := untried(f)
	for i, a := range agentsOf(f) {
		t := l.budget(f, a.Agent)
		now.Input = a.Counted(t)
		warn = warn || t.Warns(now)
		now.TurnInput, now.Input = open[i].Turn, open[i].Counted(t)
		if a.Apart {
			continue // a compaction of this view changes nothing of what it is sent
		}
		own := t.Due(now)
		if due.Why == "" || due.Reason == "" && (own.Reason != "" || due.Held == "" && own.Held != "") {
			due = own
		}
	}
	return due, warn
}

// cycleStart returns the entry of the compaction in effect, ours or the host's own, after which the present cycle began;
// 0: there is none.
func cycleStart(f *core.Folded) int64 {
	if f.View.Host > 0 {
		return f.View.Host
	}
	if cur := f.Current(); cur != nil {
		return f.At[cur.ID]
	}
	return 0
}

// attempt is an attempt to compact, with its entry in the log.
type attempt struct {
	window.Attempt
	seq    int64
	reason string
}

// placedAttempts returns the attempts so far: compactions that were made, and those that the policy requested and
// that were refused.
func placedAttempts(f *core.Folded, st window.State) []attempt {
	var all []attempt
	for _, r := range f.Records {
		all = append(all, attempt{window.Attempt{
			Before: st.Request(r.Before), After: st.Request(r.After), Window: r.Window, Model: r.Model,
			Manual: r.Reason == window.ReasonManual,
		}, f.At[r.ID], r.Reason})
	}
	for _, t := range core.DecisionsSince[ledger.CompactionSkipped](f, ledger.EventSkipped, 0) {
		if d := t.Data; d.Outcome != compaction.Grace {
			n := st.Request(d.Counted)
			all = append(all, attempt{window.Attempt{Before: n, After: n, Window: d.Window, Model: d.Model}, t.Seq,
				d.Reason})
		}
	}
	slices.SortFunc(all, func(a, b attempt) int { return cmp.Compare(a.seq, b.seq) })
	return all
}

func attempts(f *core.Folded, st window.State) []window.Attempt {
	all := placedAttempts(f, st)
	out := make([]window.Attempt, len(all))
	for i, a := range all {
		out[i] = a.Attempt
	}
	return out
}

// owesCompaction reports whether a request succeeded only as a trimmed copy, or was cut by its provider, and no
// compaction was tried since. The next evaluation then finds one due.
func owesCompaction(f *core.Folded) bool {
	last := int64(0)
	for _, r := range f.Records {
		last = max(last, f.At[r.ID])
	}
	last = max(last, refused(f, window.ReasonExceeded))
	if len(core.DecisionsSince[ledger.RequestTrimmed](f, ledger.EventTrimmed, last)) > 0 {
		return true
	}
	overflows := core.DecisionsSince[ledger.ContextOverflow](f, ledger.EventOverflow, last)
	return slices.ContainsFunc(overflows, func(t core.Decided[ledger.ContextOverflow]) bool {
		return t.Data.Action == overflow.CompactNext
	})
}

// refused returns the entry of the last compaction that was due for a reason and was refused; 0: none was.
func refused(f *core.Folded, reason string) (last int64) {
	for _, t := range core.DecisionsSince[ledger.CompactionSkipped](f, ledger.EventSkipped, 0) {
		if t.Data.Reason == reason && t.Data.Outcome != compaction.Grace {
			last = t.Seq
		}
	}
	return last
}

// agentsOf returns the input of each agent of a session since the last accepted compaction, and in the last turn:
// the main conversation first, then by name.
func agentsOf(f *core.Folded) []ledger.AgentInput { return inputs(f, cycleStart(f), 0) }

// untried is Agents without the input for which a compaction was already made or refused: one that did not help is
// not repeated with each request.
func untried(f *core.Folded) []ledger.AgentInput {
	since := cycleStart(f)
	return inputs(f, max(since, refused(f, window.ReasonCumulative)), max(since, refused(f, window.ReasonTurn)))
}

// inputs sums the input of each agent after one entry of the log and, in the last turn, after another. Each request of an agent
// repeats the ones before: what its provider reads of them from a cache is not new. Of a session of which nothing was
// measured the requests are estimated.
func inputs(f *core.Folded, since, inTurn int64) []ledger.AgentInput {
	sums := map[string]*ledger.AgentInput{"": {}}
	estimate := !f.Measured()
	add := func(e *sessions.Entry, fresh, all int) {
		a := sums[e.Author]
		if a == nil {
			a = &ledger.AgentInput{Agent: e.Author, Apart: true}
			sums[e.Author] = a
		}
		a.Apart, a.Estimate = a.Apart && e.Hidden, estimate
		if e.Turn == f.Session.Turns && e.Seq > inTurn {
			a.Turn += all
		}
		if e.Seq > since {
			a.Input, a.All = a.Input+fresh, a.All+all
		}
	}
	if estimate {
		f.Estimated(add)
	}
	for i := range f.Entries {
		if e := &f.Entries[i]; e.Measured() && (!e.Hidden || e.Author != "") {
			add(e, int(e.Usage.Input+e.Usage.CacheWrite), e.Usage.Prompt())
		}
	}
	out := make([]ledger.AgentInput, 0, len(sums))
	for _, a := range sums {
		out = append(out, *a)
	}
	slices.SortFunc(out, func(a, b ledger.AgentInput) int { return cmp.Compare(a.Agent, b.Agent) })
	return out
}

// newest is the size of the view from its newest answer on, in o200k_base tokens: that part is always kept verbatim.
func newest(f *core.Folded) int {
	n := 0
	for _, slot := range slices.Backward(f.View.Slots) {
		n += slot.Tokens
		if slot.Role == transcript.RoleAssistant {
			break
		}
	}
	return n
}

// modeOf returns how a compaction that is due is made: as configured, but without a model where the
// provider has just refused the history that the model would be given.
func modeOf(p window.TriggerPolicy, due window.Trigger) compaction.Mode {
	mode := compaction.Mode(p.Mode)
	if (due.Reason == window.ReasonExceeded || p.NoModel) && mode.Asks() {
		return compaction.Intent
	}
	return cmp.Or(mode, compaction.Intent)
}

// keepOf returns how many turns a compaction keeps that is due because of their number: where few are allowed,
// what it keeps by default would be all of them. 0: what the policy says.
func keepOf(p window.Policy, due window.Trigger) int {
	const few = 20
	if due.Reason != window.ReasonTurns || p.Compact.Turns >= few || p.Keep != settings.DefaultKeep {
		return 0
	}
	return max(1, p.Compact.Turns/2)
}
