package views

import (
	"context"
	"net/url"
	"strings"
	"time"

	"ctxledger.dev/engine/core"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/kv"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/tokens"
	"ctxledger.dev/window/overflow"
)

// maxAnswerBody bounds the body of an answer, in bytes.
const maxAnswerBody = 256 << 10

// Overflow implements ledger.Views. A limit learned for a model is valid for the whole ledger. The overflow itself is an entry
// of the session's log, so that the next call in the same turn knows that it is not the first.
func (l *Views) Overflow(ctx context.Context, r ledger.OverflowRequest) (ledger.OverflowResponse, error) {
	const op = "engine.overflow"
	err := core.CheckTexts(op, core.Label("session", r.Session), core.Label("model", r.Model),
		core.Label("provider", r.Provider), core.Label("endpoint", r.Endpoint),
		core.Label("finish", r.Finish), core.Text("body", string(r.Body), maxAnswerBody))
	if err != nil {
		return ledger.OverflowResponse{}, err
	}
	if r.MaxOutput < 0 || r.NumCtx < 0 || r.Status < 0 {
		return ledger.OverflowResponse{}, fault.New(fault.Invalid, op,
			"status, max_output and num_ctx must be 0 or more; 0 means not known")
	}
	m := l.core.NewMutation("overflow", r.Key, r)
	return core.Mutate(ctx, l.core, m, func(tx kv.Tx) (ledger.OverflowResponse, []ledger.Event, error) {
		f, err := l.core.FoldFor(tx, r.Session, r.Reader, false)
		if err != nil {
			return ledger.OverflowResponse{}, nil, err
		}
		resp, notes, err := l.overflowed(ctx, tx, f, r, m.At)
		if err != nil {
			return ledger.OverflowResponse{}, nil, err
		}
		events, err := core.RecordDecisions(tx, &f.Session, notes, m)
		if err != nil {
			return ledger.OverflowResponse{}, nil, err
		}
		return resp, events, sessions.Save(tx, f.Session)
	})
}

// overflowed classifies the answer to a request, learns from it, and says what to do.
func (l *Views) overflowed(
	ctx context.Context, tx kv.Tx, f *core.Folded, r ledger.OverflowRequest, now time.Time,
) (ledger.OverflowResponse, []core.Decision, error) {
	resp := ledger.OverflowResponse{Session: f.Session.ID}
	if r.Model == "" {
		r.Model = f.Session.Model
	}
	at, numCtx, err := l.calledAt(tx, f, r)
	if err != nil {
		return resp, nil, err
	}
	before, err := l.windowAt(tx, f, r.Model, at, numCtx)
	if err != nil {
		return resp, nil, err
	}
	_, text, err := l.summaryMessage(ctx, f)
	if err != nil {
		return resp, nil, err
	}
	c := f.Counter(r.Model)
	resp.View = c.Of(f.Tokens(text))
	fixed, _ := fixedInput(f, c)
	resp.Fixed = fixed.N
	q := overflow.Request{
		Window: before.Tokens, Estimate: resp.View.N + resp.Fixed, MaxOutput: r.MaxOutput, NumCtx: numCtx,
		Suspected: suspected(f, at),
	}
	v := overflow.Classify(overflow.Response{Status: r.Status, Body: r.Body, Finish: r.Finish, Usage: r.Usage}, q)
	known, lesson, err := learnWindow(tx, v, at, f.Session.ID, before.Profile, q, now)
	if err != nil {
		return resp, nil, err
	}
	resp.Verdict, resp.Lesson, resp.Limit = v, lesson, known.RetryWindow(at, before.Profile, numCtx, now)
	if ratio := (overflow.Ratio{}).Learn(v.Actual, q.Estimate); ratio.N > 0 && v.Class != overflow.SilentOverflow {
		resp.Actual = ratio.Correct(q.Estimate)
	}
	resp.Stage, resp.TrimmedTo = trimmedTo(f)
	resp.Advice = overflow.Advise(l.incident(f, r, resp, at, now))
	event := ledger.ContextOverflow{Verdict: v, Place: at, NumCtx: numCtx, Estimate: q.Estimate,
		Action: resp.Advice.Action, OutputCap: resp.Advice.OutputCap}
	var notes []core.Decision
	if v.Class != overflow.None || v.Suspect {
		notes = append(notes, core.Decision{Event: ledger.EventOverflow, Data: event})
	}
	resp.Window = before
	resp.Window.Tokens, resp.Window.Learned = known.Window(at, before.Profile, numCtx, now), nil
	if resp.Window.Tokens != before.Profile {
		resp.Window.Learned = &known
	}
	if event.OutputCap > 0 {
		resp.Window.OutputCap = event.OutputCap
	}
	if lesson == overflow.Higher || resp.Window.Tokens != before.Tokens {
		notes = append(notes, core.Decision{Event: ledger.EventWindowLearned, Data: ledger.WindowLearned{
			Place: at, Lesson: lesson, Named: v.Limit, Old: before.Tokens, New: resp.Window.Tokens, Pattern: v.Pattern,
		}})
	}
	return resp, notes, nil
}

// calledAt returns where the request was sent: as it says, or where the session's earlier ones went.
func (l *Views) calledAt(tx kv.Tx, f *core.Folded, r ledger.OverflowRequest) (overflow.Place, int, error) {
	at, numCtx, err := l.served(tx, f, r.Model)
	if r.Provider != "" || r.Endpoint != "" {
		at.Provider, at.Endpoint = r.Provider, address(r.Endpoint)
	}
	if r.NumCtx > 0 {
		numCtx = r.NumCtx
	}
	return at, numCtx, err
}

// address is the part of an endpoint that identifies the server. It leaves out keys, which some endpoints contain.
func address(endpoint string) string {
	u, err := url.Parse(endpoint)
	if err != nil || u.Host == "" {
		before, _, _ := strings.Cut(endpoint, "?")
		_, after, found := strings.Cut(before, "@")
		if found {
			return after
		}
		return before
	}
	return u.Scheme + "://" + u.Host + strings.TrimSuffix(u.Path, "/")
}

// incident adds to a verdict what the log knows.
func (l *Views) incident(
	f *core.Folded, r ledger.OverflowRequest, resp ledger.OverflowResponse, at overflow.Place, now time.Time,
) overflow.Incident {
	in := overflow.Incident{
		Verdict: resp.Verdict, Model: at.Model, Current: at.Model, At: r.At, Streamed: r.Streamed, Trimmed: resp.Stage,
		Fits: resp.Actual > 0 && resp.Limit > 0 && resp.Actual <= resp.Limit, Recover: !f.Policy.Compact.NoRecovery,
	}
	if f.Session.Model != "" {
		in.Current = tokens.NewEstimator(f.Session.Model).Model()
	}
	if in.At.IsZero() {
		in.At = now
	}
	if cur := f.Current(); cur != nil {
		in.Compacted = cur.Created
	}
	for _, past := range core.DecisionsSince[ledger.ContextOverflow](f, ledger.EventOverflow, 0) {
		d := past.Data
		same := past.Turn == f.Session.Turns && d.Place.Model == at.Model
		kin := (d.Class == overflow.BrokenPairs) == (in.Class == overflow.BrokenPairs)
		if same && kin && d.Class != overflow.None && d.Action != overflow.Ignore {
			in.Earlier++
		}
	}
	return in
}

// suspected reports whether the call before this one of the same model was suspected to have been cut.
func suspected(f *core.Folded, at overflow.Place) bool {
	suspect := false
	for _, past := range core.DecisionsSince[ledger.ContextOverflow](f, ledger.EventOverflow, 0) {
		if past.Data.Place == at {
			suspect = past.Data.Suspect
		}
	}
	return suspect
}

// trimmedTo returns the stage and the characters of the trimmed copy that was made last in this turn, 0 for none.
func trimmedTo(f *core.Folded) (stage, size int) {
	for _, past := range core.DecisionsSince[ledger.RequestTrimmed](f, ledger.EventTrimmed, 0) {
		if past.Turn == f.Session.Turns {
			stage, size = past.Data.Stage, past.Data.After
		}
	}
	return stage, size
}

// NoteTrim implements ledger.Views.
func (l *Views) NoteTrim(ctx context.Context, r ledger.NoteTrimRequest) (ledger.NoteTrimResponse, error) {
	const op = "engine.trim"
	if err := core.CheckTexts(op, core.Label("session", r.Session), core.Label("reason", r.Reason),
		core.Label("outcome", r.Outcome)); err != nil {
		return ledger.NoteTrimResponse{}, err
	}
	if r.Stage < 0 || r.Stage > overflow.Stages || r.Before < 0 || r.After < 0 {
		return ledger.NoteTrimResponse{}, fault.New(fault.Invalid, op,
			"a trimmed copy has a stage of 0 to %d and sizes of 0 or more", overflow.Stages)
	}
	m := l.core.NewMutation("trim", r.Key, r)
	return core.Mutate(ctx, l.core, m, func(tx kv.Tx) (ledger.NoteTrimResponse, []ledger.Event, error) {
		s, err := sessions.Get(tx, r.Session)
		if err != nil {
			return ledger.NoteTrimResponse{}, nil, err
		}
		trimmed := core.Decision{Event: ledger.EventTrimmed, Data: r.RequestTrimmed}
		events, err := core.RecordDecisions(tx, &s, []core.Decision{trimmed}, m)
		if err != nil {
			return ledger.NoteTrimResponse{}, nil, err
		}
		return ledger.NoteTrimResponse{Entry: events[0].Entry}, events, sessions.Save(tx, s)
	})
}
