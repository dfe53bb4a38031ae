package views

import (
	"context"
	"math"
	"time"

	"ctxledger.dev/engine/core"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/kv"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
)

// Recorder is a recorder that also warns. A host whose session files are followed asks for no view, so nobody else
// would notice that an agent of it is near its limit, or that a session continues which is over its threshold.
type Recorder struct {
	ledger.Recorder
	views *Views
}

// NewRecorder returns a recorder that records by r and warns by v.
func NewRecorder(r ledger.Recorder, v *Views) Recorder { return Recorder{r, v} }

// AppendEntries records entries and then what there is to warn of in a session in which somebody is working, once for
// each agent and cycle. A warning that cannot be recorded is no error: the next entries are another occasion.
func (r Recorder) AppendEntries(
	ctx context.Context, req ledger.AppendEntriesRequest,
) (ledger.AppendEntriesResponse, error) {
	resp, err := r.Recorder.AppendEntries(ctx, req)
	if err == nil && r.views.isNow(req.Entries) {
		_ = r.views.warn(ctx, resp.Session, resp.Seq-int64(len(req.Entries)), "")
	}
	return resp, err
}

// Requests are the measured requests of a ledger, about which it also warns.
type Requests struct {
	ledger.ModelRequests
	views *Views
}

// NewRequests returns requests that are recorded by r and warned about by v.
func NewRequests(r ledger.ModelRequests, v *Views) Requests { return Requests{r, v} }

// NoteRequest records a request and then what there is to warn of, as Recorder.AppendEntries does.
func (r Requests) NoteRequest(ctx context.Context, req ledger.NoteRequestRequest) (ledger.ModelRequest, error) {
	noted, err := r.ModelRequests.NoteRequest(ctx, req)
	if err == nil && r.views.core.Now().Sub(req.Request.At) < limits.ActiveSession {
		_ = r.views.warn(ctx, noted.Session, math.MaxInt64, req.Request.Agent)
	}
	return noted, err
}

// isNow reports whether the last of new entries was made just now: past sessions are imported without warnings.
func (l *Views) isNow(entries []sessions.NewEntry) bool {
	return len(entries) > 0 && l.core.Now().Sub(entries[len(entries)-1].Time) < limits.ActiveSession
}

// warn records the warnings about a session of which the entries after one are new. agent sent its newest request.
func (l *Views) warn(ctx context.Context, session string, since int64, agent string) error {
	m := core.Mutation{Op: "warn", At: l.core.Now()}
	for range limits.Plans {
		found, err := core.View(ctx, l.core, func(tx kv.Tx) (warnings, error) {
			return l.unasked(ctx, tx, session, since, agent)
		})
		if err != nil || len(found.notes) == 0 {
			return err
		}
		_, err = core.Mutate(ctx, l.core, m, func(tx kv.Tx) (struct{}, []ledger.Event, error) {
			events, err := found.record(tx, m)
			return struct{}{}, events, err
		})
		if !fault.Is(err, fault.Stale) {
			return err
		}
	}
	return nil // it grows all the time: there will be other occasions
}

// warnings are what is to be recorded after the last entry of a session that they were found in.
type warnings struct {
	session sessions.Session
	notes   []core.Decision
}

// record appends the warnings, unless the log has grown meanwhile.
func (w warnings) record(tx kv.Tx, m core.Mutation) ([]ledger.Event, error) {
	s, err := sessions.Get(tx, w.session.ID)
	if err != nil {
		return nil, err
	}
	if s.Seq != w.session.Seq {
		return nil, core.Stale(s, w.session.Seq)
	}
	events, err := core.RecordDecisions(tx, &s, w.notes, m)
	if err != nil {
		return nil, err
	}
	return events, sessions.Save(tx, s)
}

// unasked returns the warnings about a session that were not recorded yet in its cycle. Most sessions have no limits and
// go on without a pause: then their log is not read.
func (l *Views) unasked(ctx context.Context, tx kv.Tx, session string, since int64, agent string) (warnings, error) {
	s, err := sessions.Get(tx, session)
	if err != nil {
		return warnings{}, err
	}
	prompt, err := resumedBy(tx, s, max(since, 0))
	if err != nil || prompt == 0 && !l.limited(s) {
		return warnings{}, err
	}
	f, err := l.core.FoldFor(tx, session, ledger.Reader{}, true)
	if err != nil {
		return warnings{}, err
	}
	found := warnings{f.Session, l.nearLimits(f)}
	spent, err := l.core.Spent(tx, f.Session, agent)
	if err != nil {
		return warnings{}, err
	}
	for _, of := range spent {
		found.notes = append(found.notes, spentWarning(f, of)...)
	}
	if prompt > 0 {
		resumed, err := l.resumed(ctx, tx, f, prompt)
		if err != nil {
			return warnings{}, err
		}
		found.notes = append(found.notes, resumed...)
	}
	return found, nil
}

// limited reports whether any agent of a session has a limit of input.
func (l *Views) limited(s sessions.Session) bool {
	set := l.core.Settings(s)
	if set.Policy.Compact.LimitsInput() || len(set.Limits) > 0 {
		return true
	}
	for _, own := range set.Agents {
		if own.Compact.LimitsInput() {
			return true
		}
	}
	return false
}

// nearLimits returns, for each agent, the warnings that its input is near its limit, and that it has reached it.
func (l *Views) nearLimits(f *core.Folded) (notes []core.Decision) {
	for _, a := range agentsOf(f) {
		t := l.budget(f, a.Agent)
		notes = append(notes, inputWarning(f, a, t)...)
		if !a.Apart && t.CutoverAt > 0 && a.Counted(t) >= t.CutoverAt {
			notes = append(notes, cutover(f, cumulative(a, t))...)
		}
		if !a.Apart && t.SingleTurn > 0 && a.Turn > t.SingleTurn {
			notes = append(notes, cutover(f, singleTurn(a, t))...)
		}
	}
	return notes
}

// resumedBy returns the newest request after an entry, if it came after a pause in which a provider's cache expires;
// 0: there is none.
func resumedBy(tx kv.Tx, s sessions.Session, since int64) (prompt int64, err error) {
	if !s.Main() {
		return 0, nil
	}
	var asked time.Time
	for seq := s.Seq; seq > 0; seq-- {
		e, err := sessions.GetEntry(tx, s.ID, seq)
		if err != nil {
			return 0, err
		}
		switch {
		case e.Kind != sessions.KindMessage || e.Hidden:
		case prompt > 0 && asked.Sub(e.Time) > cacheLife:
			return prompt, nil
		case e.Prompt && seq > since:
			prompt, asked = seq, e.Time
		case prompt > 0 || seq <= since:
			return 0, nil
		}
	}
	return 0, nil
}

// resumed warns that a session continues, by a request, which holds more than its threshold and of which the provider
// has nothing in its cache any more.
func (l *Views) resumed(ctx context.Context, tx kv.Tx, f *core.Folded, prompt int64) ([]core.Decision, error) {
	if !cachedAt(f.Entries[:prompt-1], time.Time{}, f.Entries[prompt-1].Time).cold {
		return nil, nil
	}
	w, err := l.windowOf(tx, f, "")
	if err != nil {
		return nil, err
	}
	_, text, err := l.summaryMessage(ctx, f)
	if err != nil {
		return nil, err
	}
	g := gaugeOf(f, "", unedited(f))
	use := briefUse(f, g, w, viewOf(g.shows, f, text))
	if use.Held.N <= use.Threshold {
		return nil, nil
	}
	return onceInCycle(f, ledger.EventBudgetWarn, ledger.BudgetWarning{
		Reason: ledger.ReasonResumed, Held: use.Held.N, Threshold: use.Threshold, Estimate: !use.Held.Exact,
	}), nil
}
