package engine

import (
	"cmp"
	"slices"
	"strings"

	"ctxledger.dev/compaction"
	"ctxledger.dev/ledger"
	"ctxledger.dev/overflow"
	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
	"ctxledger.dev/window"
)

// situation is what triggers look at when the view has so many o200k_base tokens.
func (f *folded) situation(w ledger.Window, st window.State, view int, s ledger.Signals) window.Situation {
	now := window.Situation{
		Window: w.Tokens, Model: w.Model, View: st.Request(view), Most: st.Most(view), Fixed: st.Request(f.newest()), Turns: f.turns(), Cold: st.Cold,
		Overflow: s.Overflow, Asked: s.Asked, Insist: s.Insist, Manual: s.Manual,
		Trimmed: s.Trimmed || f.owesCompaction(),
	}
	if cur := f.current(); cur != nil {
		turn := f.entries[f.at[cur.ID]-1].Turn
		now.Grace = f.session.Turns-turn <= 1
	}
	now.Attempts = f.attempts(st)
	return now
}

// budget is the trigger policy of a view with the limits that one agent has for what it takes.
func (l *Local) budget(f *folded, agent string) window.TriggerPolicy {
	t := f.policy.Compact
	if own, has := l.settings(f.session).Agents[strings.ToLower(agent)]; has && !strings.EqualFold(agent, f.agent) {
		t.SingleTurn, t.WarnAt, t.CutoverAt = own.Compact.SingleTurn, own.Compact.WarnAt, own.Compact.CutoverAt
	}
	return t
}

// dueFor says whether a compaction is due, for any agent whose messages stand in the view, and whether one nears
// its limit. now is the situation without what an agent took.
func (l *Local) dueFor(f *folded, now window.Situation) (due window.Trigger, warn bool) {
	untried := f.untried()
	for i, a := range f.agents() {
		t := l.budget(f, a.Agent)
		now.Input = a.Input
		warn = warn || t.Warns(now)
		now.TurnInput, now.Input = untried[i].Turn, untried[i].Input
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

// cycle returns the entry of the compaction in force: what came behind it belongs to the present cycle.
func (f *folded) cycle() int64 {
	if cur := f.current(); cur != nil {
		return f.at[cur.ID]
	}
	return 0
}

// attempt is one with its place in the log.
type attempt struct {
	window.Attempt
	seq    int64
	reason string
}

// placedAttempts returns what was tried so far: compactions that were made, and those that the policy asked for
// and that came to nothing.
func (f *folded) placedAttempts(st window.State) []attempt {
	var all []attempt
	for _, r := range f.records {
		all = append(all, attempt{window.Attempt{
			Before: st.Request(r.Before), After: st.Request(r.After), Window: r.Window, Model: r.Model, Manual: r.Reason == window.ReasonManual,
		}, f.at[r.ID], r.Reason})
	}
	for _, t := range takenSince[ledger.CompactionSkipped](f, ledger.EventSkipped, 0) {
		if d := t.Data; d.Outcome != compaction.Grace {
			n := st.Request(d.Counted)
			all = append(all, attempt{window.Attempt{Before: n, After: n, Window: d.Window, Model: d.Model}, t.seq, d.Reason})
		}
	}
	slices.SortFunc(all, func(a, b attempt) int { return cmp.Compare(a.seq, b.seq) })
	return all
}

func (f *folded) attempts(st window.State) []window.Attempt {
	all := f.placedAttempts(st)
	out := make([]window.Attempt, len(all))
	for i, a := range all {
		out[i] = a.Attempt
	}
	return out
}

// owesCompaction reports whether a request went through only as a trimmed copy, or was cut by its provider,
// and no compaction was tried since: the next evaluation has one.
func (f *folded) owesCompaction() bool {
	last := int64(0)
	for _, r := range f.records {
		last = max(last, f.at[r.ID])
	}
	last = max(last, f.refused(window.ReasonExceeded))
	if len(takenSince[ledger.RequestTrimmed](f, ledger.EventTrimmed, last)) > 0 {
		return true
	}
	return slices.ContainsFunc(takenSince[ledger.ContextOverflow](f, ledger.EventOverflow, last), func(t taken[ledger.ContextOverflow]) bool {
		return t.Data.Action == overflow.CompactNext
	})
}

// refused returns the entry of the last compaction that was due for a reason and came to nothing; 0: none did.
func (f *folded) refused(reason string) (last int64) {
	for _, t := range takenSince[ledger.CompactionSkipped](f, ledger.EventSkipped, 0) {
		if t.Data.Reason == reason && t.Data.Outcome != compaction.Grace {
			last = t.seq
		}
	}
	return last
}

// agents returns what each agent of a session took since the last accepted compaction, and in the last turn:
// the main conversation first, then by name.
func (f *folded) agents() []ledger.AgentInput { return f.inputs(f.cycle(), 0) }

// untried is agents without what a compaction was made for already, or tried in vain: one that did not help is
// not repeated with each request.
func (f *folded) untried() []ledger.AgentInput {
	cycle := f.cycle()
	return f.inputs(max(cycle, f.refused(window.ReasonCumulative)), max(cycle, f.refused(window.ReasonTurn)))
}

// inputs sums what each agent took behind an entry of the log, and behind another one in the last turn.
func (f *folded) inputs(since, inTurn int64) []ledger.AgentInput {
	sums := map[string]*ledger.AgentInput{"": {}}
	for _, e := range f.entries {
		if e.Usage == nil || e.Kind != sessions.KindMessage || e.Hidden && e.Author == "" {
			continue
		}
		a := sums[e.Author]
		if a == nil {
			a = &ledger.AgentInput{Agent: e.Author, Apart: true}
			sums[e.Author] = a
		}
		a.Apart = a.Apart && e.Hidden
		input := e.Usage.Prompt()
		if e.Turn == f.session.Turns && e.Seq > inTurn {
			a.Turn += input
		}
		if e.Seq > since {
			a.Input += input
		}
	}
	out := make([]ledger.AgentInput, 0, len(sums))
	for _, a := range sums {
		out = append(out, *a)
	}
	slices.SortFunc(out, func(a, b ledger.AgentInput) int { return cmp.Compare(a.Agent, b.Agent) })
	return out
}

// newest is what the view has from its newest answer on, in o200k_base tokens: it stays verbatim in any case.
func (f *folded) newest() int {
	n := 0
	for _, slot := range slices.Backward(f.view.Slots) {
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
	if due.Reason == window.ReasonExceeded && mode.Asks() {
		return compaction.Intent
	}
	return cmp.Or(mode, compaction.Intent)
}

// keepOf returns how many turns a compaction keeps that is due because of their number: where few are allowed,
// what it keeps by default would be all of them.
func keepOf(p window.TriggerPolicy, due window.Trigger) int {
	const few = 20
	if due.Reason != window.ReasonTurns || p.Turns >= few {
		return 0
	}
	return max(1, p.Turns/2)
}
